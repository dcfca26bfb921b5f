#include "thinker.hpp"

#include <algorithm>
#include <asio/post.hpp>
#include <asio/thread_pool.hpp>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "legal.hpp"
#include "log.hpp"

namespace v1 = broadside::v1;

struct Thinker::Mind {
  struct Waiting {
    Reply reply;
    Wanted wanted;
  };
  Choose choose;
  std::uint64_t seed;
  std::mutex mutex;
  /// Who waits for which turn.
  std::map<std::string, std::vector<Waiting>> pending;
  /// Last, so that its threads end before what they use.
  asio::thread_pool threads;

  /// choose(), but any legal move if that fails or if the arena refused what it chose.
  v1::Move think(const v1::Turn& turn) {
    Random random(seed, turn);
    if (turn.has_refusal()) {
      logging::warning(absl::StrCat("match ", turn.match_id(), ": move refused: ", turn.refusal().message()));
      return random_move(turn, random);
    }
    std::string why = "it threw no std::exception";
    try {
      return choose(turn, random);
    } catch (const std::exception& error) {
      why = error.what();
    } catch (...) {
    }
    logging::error(absl::StrCat("match ", turn.match_id(), ", turn ", turn.turn_id(), ": choose() failed: ", why));
    return random_move(turn, random);
  }

  void answer(const std::string& key, const v1::Turn& turn) {
    if (is_forgotten(key)) return;
    const v1::Move move = think(turn);
    std::vector<Waiting> all;
    {
      std::lock_guard lock(mutex);
      all = std::move(pending.extract(key).mapped());
    }
    for (const Waiting& waiting : all) waiting.reply(move);
  }

  /// Strikes off a turn that nobody waits for any more.
  bool is_forgotten(const std::string& key) {
    std::lock_guard lock(mutex);
    const auto found = pending.find(key);
    if (std::ranges::any_of(found->second, [](const Waiting& waiting) { return waiting.wanted(); })) return false;
    pending.erase(found);
    return true;
  }
};

Thinker::Thinker(Choose choose, std::uint64_t seed, unsigned threads)
    : mind_(new Mind{std::move(choose), seed, {}, {}, asio::thread_pool(threads)}) {}

Thinker::~Thinker() { mind_->threads.join(); }

void Thinker::decide(v1::Turn turn, Reply reply, Wanted wanted) {
  // The view is in the key because two arenas that dial one bot may both have a match 1.
  std::string key = absl::StrCat(turn.match_id(), "/", turn.turn_id(), "/", turn.refusals_left(), "/",
                                 turn.view().SerializeAsString());
  std::lock_guard lock(mind_->mutex);
  std::vector<Mind::Waiting>& all = mind_->pending[key];
  all.push_back({std::move(reply), std::move(wanted)});
  if (all.size() > 1) return;
  asio::post(mind_->threads,
             [mind = mind_.get(), key = std::move(key), turn = std::move(turn)] { mind->answer(key, turn); });
}
