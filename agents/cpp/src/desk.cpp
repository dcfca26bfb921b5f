#include "desk.hpp"

#include <algorithm>
#include <mutex>
#include <optional>

namespace v1 = broadside::v1;

struct Desk::Lying {
  const std::uint32_t turn_id;
  const std::uint32_t refusals_left;
  std::mutex mutex;
  Deliver deliver;
  /// Once it is decided.
  std::optional<v1::Move> move;

  Lying(const v1::Turn& turn, Deliver deliver)
      : turn_id(turn.turn_id()), refusals_left(turn.refusals_left()), deliver(std::move(deliver)) {}
};

void Desk::take(const v1::Turn& turn, Deliver deliver) {
  std::shared_ptr<Lying>& lying = turns_[{turn.match_id(), turn.seat()}];
  if (lying && lying->turn_id == turn.turn_id() && lying->refusals_left == turn.refusals_left()) {
    std::unique_lock lock(lying->mutex);
    lying->deliver = deliver;
    if (!lying->move) return;
    lock.unlock();
    return deliver(*lying->move);  // which does not change any more
  }
  lying = std::make_shared<Lying>(turn, std::move(deliver));
  const std::weak_ptr<Lying> here = lying;
  const auto decided = [here](const v1::Move& move) {
    const auto lying = here.lock();
    if (!lying) return;
    std::unique_lock lock(lying->mutex);
    lying->move = move;
    const Deliver deliver = lying->deliver;
    lock.unlock();
    deliver(move);
  };
  thinker_.decide(turn, decided, [here] { return !here.expired(); });
}

void Desk::forget(std::uint64_t match_id, v1::Seat seat) { turns_.erase({match_id, seat}); }

void Desk::keep(const google::protobuf::RepeatedField<std::uint64_t>& running) {
  std::erase_if(turns_, [&](const auto& turn) {
    const std::uint64_t match_id = turn.first.first;
    return std::ranges::find(running, match_id) == running.end();
  });
}
