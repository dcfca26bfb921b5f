#include "turns.hpp"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "absl/strings/substitute.h"

namespace turns {

template <typename Message>
Message parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}
template v1::Move parse(const std::string&);
template v1::Turn parse(const std::string&);
template v1::MatchStart parse(const std::string&);
template v1::ConnectResponse parse(const std::string&);

v1::Move move_of(const std::string& text) { return parse<v1::Move>(text); }

v1::Move shot(const std::string& variant, int row, int column) {
  return move_of(absl::Substitute("$0 { shot { cell { row: $1 column: $2 } } }", variant, row, column));
}

std::vector<v1::Cell> cells(int count) {
  std::vector<v1::Cell> cells(count);
  for (int n = 0; n < count; ++n) {
    cells[n].set_row(n / 10 + 1);
    cells[n].set_column(n % 10 + 1);
  }
  return cells;
}

std::vector<v1::Move> every_shot(const std::string& variant) {
  std::vector<v1::Move> moves;
  for (const v1::Cell& cell : cells(100)) {
    moves.push_back(shot(variant, static_cast<int>(cell.row()), static_cast<int>(cell.column())));
  }
  return moves;
}

v1::AgentProfile profile() {
  v1::AgentProfile profile;
  profile.set_name("tester");
  profile.set_max_matches(3);
  profile.set_wants_legal_moves(true);
  for (int variant = v1::VARIANT_CLASSIC; variant <= v1::VARIANT_ABALONE; ++variant) {
    profile.add_variants(static_cast<v1::Variant>(variant));
  }
  return profile;
}

v1::Turn turn_of(const std::string& variant, const std::vector<v1::Move>& moves, v1::Phase phase) {
  auto turn = parse<v1::Turn>(absl::Substitute("turn_id: 7 seat: SEAT_TWO view { $0 {} }", variant));
  turn.set_match_id(MATCH);
  turn.set_phase(phase);
  turn.mutable_legal_moves()->mutable_moves()->Assign(moves.begin(), moves.end());
  return turn;
}

v1::Turn salvo_turn(const std::string& variant, int count, int size) {
  v1::Turn turn = turn_of(variant, {});
  const auto left = cells(count);
  v1::SalvoChoice* choice = turn.mutable_legal_moves()->mutable_salvo();
  choice->mutable_cells()->Assign(left.begin(), left.end());
  choice->set_size(size);
  return turn;
}

v1::Turn classic_turn(const std::string& targets) {
  v1::Turn turn = turn_of("classic", every_shot("classic"));
  turn.MergeFrom(parse<v1::Turn>(absl::Substitute("view { classic { targets { $0 } } }", targets)));
  return turn;
}

std::vector<v1::Move> abalone_moves() {
  std::vector<v1::Move> moves;
  for (const char* direction : {"EAST", "NORTH_WEST", "SOUTH_EAST"}) {
    moves.push_back(
        move_of(absl::Substitute("abalone { group { row: 3 number: 3 } group { row: 3 number: 4 } "
                                 "direction: ABALONE_DIRECTION_$0 }",
                                 direction)));
  }
  return moves;
}

std::vector<v1::Move> advanced_moves() {
  return {move_of("amiral_advanced { shot { cell { row: 10 column: 1 } } }"),
          move_of("amiral_advanced { torpedo { route { letter: 5 number: 5 } } }"),
          move_of("amiral_advanced { hunt { end { letter: 9 } } }"),
          move_of("amiral_advanced { air_strike { cell { row: 9 column: 9 } } }")};
}

std::vector<v1::Turn> a_turn_of_every_variant() {
  std::vector<v1::Turn> turns;
  for (const auto& variant : ONE_SHOT) turns.push_back(turn_of(variant, every_shot(variant)));
  for (const auto& variant : SALVO) turns.push_back(salvo_turn(variant, 9, 4));
  turns.push_back(turn_of("abalone", abalone_moves()));
  for (std::size_t number = 0; number < turns.size(); ++number) turns[number].set_match_id(1001 + number);
  return turns;
}

}  // namespace turns
