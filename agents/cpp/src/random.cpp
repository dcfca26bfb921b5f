#include "random.hpp"

#include <vector>

namespace {

std::mt19937_64 generator_for(std::uint64_t seed, const broadside::v1::Turn& turn) {
  std::vector<std::uint32_t> what = {static_cast<std::uint32_t>(seed >> 32), static_cast<std::uint32_t>(seed),
                                     static_cast<std::uint32_t>(turn.seat()), turn.turn_id(), turn.refusals_left()};
  for (const unsigned char byte : turn.view().SerializeAsString()) what.push_back(byte);
  std::seed_seq seeds(what.begin(), what.end());
  return std::mt19937_64(seeds);
}

}  // namespace

Random::Random(std::uint64_t seed, const broadside::v1::Turn& turn) : generator_(generator_for(seed, turn)) {}

std::size_t Random::below(std::size_t count) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(generator_);
}
