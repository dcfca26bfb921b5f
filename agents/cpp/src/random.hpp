#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "broadside/v1/agent.pb.h"

/// A generator for one turn, made of the seed and of what the turn shows, so that matches and threads do not influence
/// one another. A refused turn gets another one. The match's id, which the arena draws, is not in it: the same game is
/// played alike.
class Random {
 public:
  Random(std::uint64_t seed, const broadside::v1::Turn& turn);

  /// A number from 0 to `count` - 1; `count` is at least 1.
  std::size_t below(std::size_t count);

  /// For the algorithms and distributions of the standard library.
  std::mt19937_64& generator() { return generator_; }

 private:
  std::mt19937_64 generator_;
};
