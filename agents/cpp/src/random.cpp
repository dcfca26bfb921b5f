#include "random.hpp"

namespace {

std::mt19937_64 generator_for(std::uint64_t seed, const broadside::v1::Turn& turn) {
  const auto high = [](std::uint64_t number) { return static_cast<std::uint32_t>(number >> 32); };
  const auto low = [](std::uint64_t number) { return static_cast<std::uint32_t>(number); };
  std::seed_seq what{high(seed),
                     low(seed),
                     high(turn.match_id()),
                     low(turn.match_id()),
                     static_cast<std::uint32_t>(turn.seat()),
                     turn.turn_id(),
                     turn.refusals_left()};
  return std::mt19937_64(what);
}

}  // namespace

Random::Random(std::uint64_t seed, const broadside::v1::Turn& turn) : generator_(generator_for(seed, turn)) {}

std::size_t Random::below(std::size_t count) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(generator_);
}
