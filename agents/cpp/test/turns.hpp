#pragma once

#include <string>
#include <vector>

#include "broadside/v1/agent.pb.h"

/// Hand-made turns. A variant is named by the field of its messages: "advanced_salvo".
namespace turns {

namespace v1 = broadside::v1;

inline const std::vector<std::string> ONE_SHOT = {"classic", "amiral", "amiral_advanced", "naumachia"};
inline const std::vector<std::string> SALVO = {"salvo", "advanced_salvo"};
/// Larger than any 32 bits.
inline constexpr std::uint64_t MATCH = (std::uint64_t{1} << 53) - 1;

/// A message from protobuf's text format; a mistake in it fails the test.
template <typename Message>
Message parse(const std::string& text);

v1::Move move_of(const std::string& text);
v1::Move shot(const std::string& variant, int row, int column);
std::vector<v1::Move> every_shot(const std::string& variant);
std::vector<v1::Cell> cells(int count);
v1::AgentProfile profile();

/// A turn of the variant that lists these moves; its view is empty.
v1::Turn turn_of(const std::string& variant, const std::vector<v1::Move>& moves, v1::Phase phase = v1::PHASE_BATTLE);
v1::Turn salvo_turn(const std::string& variant, int cells, int size);
/// A turn of classic; `targets` is its view's, in text format.
v1::Turn classic_turn(const std::string& targets);

std::vector<v1::Move> abalone_moves();
/// One move of each kind that amiral-advanced has in battle.
std::vector<v1::Move> advanced_moves();
/// One turn of each of the seven variants, each in a match of its own.
std::vector<v1::Turn> a_turn_of_every_variant();

}  // namespace turns
