#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "broadside/v1/agent.pb.h"
#include "random.hpp"

/// Asks choose() for moves, on threads of its own, whichever way the turns come.
class Thinker {
 public:
  using Choose = std::function<broadside::v1::Move(const broadside::v1::Turn&, Random&)>;
  using Reply = std::function<void(const broadside::v1::Move&)>;
  /// Whether anybody still waits for the reply.
  using Wanted = std::function<bool()>;

  /// Thinks about so many turns at once.
  Thinker(Choose choose, std::uint64_t seed, unsigned threads);
  /// Waits for thoughts that are not finished.
  ~Thinker();

  /// Calls `reply` with the move for a turn, on another thread. A turn that comes again while it is thought about is
  /// not thought about twice. One that nobody wants any more when its thought would begin is not thought about at all.
  void decide(
      broadside::v1::Turn turn, Reply reply, Wanted wanted = [] { return true; });

 private:
  struct Mind;
  std::unique_ptr<Mind> mind_;
};
