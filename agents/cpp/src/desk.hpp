#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "broadside/v1/agent.pb.h"
#include "thinker.hpp"

/// Where turns lie until the next one. It outlives the streams: a move is sent again where its turn comes again.
///
/// Its functions are called by one stream at a time; moves are delivered on other threads, too.
class Desk {
 public:
  using Deliver = std::function<void(const broadside::v1::Move&)>;

  explicit Desk(Thinker& thinker) : thinker_(thinker) {}

  /// Delivers the move for a turn, unless another turn of its seat comes first or the match ends. The same turn,
  /// brought again, is not thought about again: its move goes to whoever brought it last.
  void take(const broadside::v1::Turn& turn, Deliver deliver);
  /// A seat's match is over.
  void forget(std::uint64_t match_id, broadside::v1::Seat seat);
  /// No other matches than these go on.
  void keep(const google::protobuf::RepeatedField<std::uint64_t>& running);

 private:
  struct Lying;

  Thinker& thinker_;
  /// One turn a seat: the arena asks a seat for one at a time. Thoughts point here weakly: what is gone is forgotten.
  std::map<std::pair<std::uint64_t, broadside::v1::Seat>, std::shared_ptr<Lying>> turns_;
};
