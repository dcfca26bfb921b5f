#include "choose.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "legality.hpp"
#include "turns.hpp"

namespace v1 = broadside::v1;
using Cells = std::set<std::pair<unsigned, unsigned>>;

namespace {

/// What is played in so many games.
std::vector<v1::Move> played(const v1::Turn& turn, std::uint64_t games = 200) {
  std::vector<v1::Move> moves;
  for (std::uint64_t seed = 0; seed < games; ++seed) {
    Random random(seed, turn);
    moves.push_back(choose(turn, random));
  }
  return moves;
}

std::string text_of(const std::vector<v1::Move>& moves) {
  std::string text;
  for (const v1::Move& move : moves) text += move.ShortDebugString() + "\n";
  return text;
}

void expect_plays_them_all(const v1::Turn& turn) {
  const auto chosen = played(turn);
  for (const v1::Move& move : chosen) EXPECT_TRUE(is_legal(turn, move));
  for (const v1::Move& move : turn.legal_moves().moves()) {
    EXPECT_TRUE(is_one_of(move, chosen)) << "never plays " << move.ShortDebugString();
  }
}

Cells shots_of(const v1::Turn& turn, std::uint64_t games = 200) {
  Cells cells;
  for (const v1::Move& move : played(turn, games)) {
    EXPECT_TRUE(is_legal(turn, move));
    cells.emplace(move.classic().shot().cell().row(), move.classic().shot().cell().column());
  }
  return cells;
}

}  // namespace

TEST(Choose, AShotIsOneOfTheListAndAnyOfThem) {
  for (const auto& variant : turns::ONE_SHOT) {
    expect_plays_them_all(turns::turn_of(
        variant, {turns::shot(variant, 1, 10), turns::shot(variant, 10, 1), turns::shot(variant, 4, 7)}));
  }
}

TEST(Choose, EveryKindOfMoveOfAmiralAdvancedIsPlayed) {
  expect_plays_them_all(turns::turn_of("amiral_advanced", turns::advanced_moves()));
}

TEST(Choose, ARelocationIsOneOfTheList) {
  const auto move = turns::move_of("amiral_advanced { relocation { berth { number: 3 } } }");
  expect_plays_them_all(turns::turn_of("amiral_advanced", {move}, v1::PHASE_RELOCATION));
}

TEST(Choose, AnAbaloneMoveIsOneOfTheListAndAnyOfThem) {
  expect_plays_them_all(turns::turn_of("abalone", turns::abalone_moves()));
}

TEST(Choose, AFleetIsTheOneDealt) {
  const std::string ships =
      "ships { ship_class: SHIP_CLASS_CARRIER cell { row: 1 column: 1 } orientation: ORIENTATION_VERTICAL }";
  for (const std::string variant : {"classic", "salvo", "advanced_salvo", "amiral", "naumachia"}) {
    const auto dealt = turns::move_of(variant + " { deployment { " + ships + " } }");
    expect_plays_them_all(turns::turn_of(variant, {dealt}, v1::PHASE_DEPLOYMENT));
  }
  const auto dealt = turns::move_of("amiral_advanced { deployment { fleet { " + ships + " } berth { letter: 2 } } }");
  expect_plays_them_all(turns::turn_of("amiral_advanced", {dealt}, v1::PHASE_DEPLOYMENT));
}

TEST(Choose, ASalvoNamesDifferentCellsOfTheList) {
  for (const auto& variant : turns::SALVO) {
    for (const auto& [size, left] : {std::pair(5, 100), {1, 3}, {2, 2}}) {
      const auto turn = turns::salvo_turn(variant, left, size);
      Cells named;
      for (const v1::Move& move : played(turn, 500)) {
        EXPECT_TRUE(is_legal(turn, move));
        const auto& salvo = move.has_salvo() ? move.salvo().salvo() : move.advanced_salvo().salvo();
        for (const v1::Cell& cell : salvo.cells()) named.emplace(cell.row(), cell.column());
      }
      EXPECT_EQ(static_cast<int>(named.size()), left) << "any of them";
    }
  }
}

TEST(Choose, ClassicShootsBesideAnOpenHit) {
  // Cell 10 is row 1, column 10, and the next number is no neighbour.
  const auto turn = turns::classic_turn("grid { hits: 10 } hit_classes: SHIP_CLASS_CARRIER");
  EXPECT_EQ(shots_of(turn), (Cells{{1, 9}, {2, 10}}));
  // No classes: the same.
  EXPECT_EQ(shots_of(turns::classic_turn("grid { hits: 11 }")), (Cells{{1, 1}, {3, 1}, {2, 2}}));
}

TEST(Choose, ClassicLeavesShipsThatAreSunkAlone) {
  const std::string sunk =
      " hit_classes: SHIP_CLASS_PATROL_BOAT hit_classes: SHIP_CLASS_PATROL_BOAT"
      " sunk { ship_class: SHIP_CLASS_PATROL_BOAT hits: 2 } ";
  const auto open =
      turns::classic_turn("grid { hits: 55 hits: 56 hits: 1 }" + sunk + "hit_classes: SHIP_CLASS_CARRIER");
  EXPECT_EQ(shots_of(open), (Cells{{1, 2}, {2, 1}}));
  EXPECT_GT(shots_of(turns::classic_turn("grid { hits: 55 hits: 56 }" + sunk), 2000).size(), 90U);
}

TEST(Choose, ClassicFallsBackToTheListWhenNothingBesideAHitIsLeft) {
  auto turn = turns::classic_turn("grid { hits: 1 }");
  turn.mutable_legal_moves()->clear_moves();
  *turn.mutable_legal_moves()->add_moves() = turns::shot("classic", 9, 9);
  *turn.mutable_legal_moves()->add_moves() = turns::shot("classic", 2, 2);
  EXPECT_EQ(shots_of(turn), (Cells{{9, 9}, {2, 2}}));
}

TEST(Choose, WithoutLegalMovesTheMoveIsEmpty) {
  for (const v1::Move& move : played(turns::turn_of("classic", {}))) {
    EXPECT_EQ(move.variant_case(), v1::Move::VARIANT_NOT_SET);
  }
}

TEST(Choose, TheSameTurnIsAnsweredAlikeUnderTheSameSeedInAnyMatchAndOtherwiseOnceRefused) {
  const auto turn = turns::turn_of("amiral", turns::every_shot("amiral"));
  auto other = turn;
  other.set_match_id(5);
  auto seen = turn;
  seen.mutable_view()->CopyFrom(turns::classic_turn("grid { hits: 55 }").view());
  auto refused = turn;
  refused.set_refusals_left(1);
  EXPECT_EQ(text_of(played(turn, 20)), text_of(played(turn, 20)));
  EXPECT_EQ(text_of(played(other, 20)), text_of(played(turn, 20)));
  EXPECT_NE(text_of(played(seen, 20)), text_of(played(turn, 20)));
  EXPECT_NE(text_of(played(refused, 20)), text_of(played(turn, 20)));
}
