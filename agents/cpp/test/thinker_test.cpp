#include "thinker.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>

#include "legality.hpp"
#include "turns.hpp"

namespace v1 = broadside::v1;

namespace {

const v1::Turn TURN = turns::turn_of("amiral", {turns::shot("amiral", 3, 3)});

std::future<v1::Move> decide(Thinker& thinker, const v1::Turn& turn) {
  const auto move = std::make_shared<std::promise<v1::Move>>();
  thinker.decide(turn, [move](const v1::Move& chosen) { move->set_value(chosen); });
  return move->get_future();
}

}  // namespace

TEST(Thinker, FollowsARefusedChoiceByAnyLegalMove) {
  const auto choose = [](const v1::Turn&, Random&) {
    ADD_FAILURE() << "asked again";
    return v1::Move();
  };
  Thinker thinker(choose, 1, 1);
  v1::Turn refused = TURN;
  refused.mutable_refusal()->set_message("C3 was fired at before");
  EXPECT_TRUE(is_legal(refused, decide(thinker, refused).get()));
}

TEST(Thinker, ReplacesAChoiceThatFailsByAnyLegalMove) {
  Thinker throws([](const v1::Turn&, Random&) -> v1::Move { throw std::runtime_error("no idea"); }, 1, 1);
  EXPECT_TRUE(is_legal(TURN, decide(throws, TURN).get()));
  Thinker throws_a_number([](const v1::Turn&, Random&) -> v1::Move { throw 42; }, 1, 1);
  EXPECT_TRUE(is_legal(TURN, decide(throws_a_number, TURN).get()));
}

TEST(Thinker, ThinksOnceAboutATurnThatComesTwiceAndMeanwhileAboutOthers) {
  std::promise<void> settle;
  const auto settled = settle.get_future().share();
  std::atomic<int> asked = 0;
  const auto choose = [&](const v1::Turn& turn, Random&) {
    if (turn.match_id() == TURN.match_id()) {
      ++asked;
      settled.wait();
    }
    return turns::shot("amiral", 3, 3);
  };
  Thinker thinker(choose, 1, 2);
  auto first = decide(thinker, TURN);
  v1::Turn again = TURN;
  again.set_time_left_us(5);
  auto second = decide(thinker, again);
  v1::Turn other = TURN;
  other.set_match_id(2);
  EXPECT_TRUE(is_legal(other, decide(thinker, other).get()));
  settle.set_value();
  EXPECT_TRUE(is_legal(TURN, first.get()));
  EXPECT_TRUE(is_legal(TURN, second.get()));
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(is_legal(TURN, decide(thinker, TURN).get()));
  EXPECT_EQ(asked, 2) << "an answered turn is thought about anew";
}

TEST(Thinker, TakesATurnThatComesAgainAfterARefusalForAnotherOne) {
  std::promise<void> settle;
  const auto choose = [settled = settle.get_future().share()](const v1::Turn& turn, Random&) {
    settled.wait();
    return turn.legal_moves().moves(0);
  };
  Thinker thinker(choose, 1, 2);
  v1::Turn turn = TURN;
  turn.set_refusals_left(3);
  auto first = decide(thinker, turn);
  v1::Turn refused = turn;
  refused.set_refusals_left(2);
  refused.mutable_refusal()->set_message("C3 was fired at before");
  auto second = decide(thinker, refused);
  EXPECT_EQ(second.wait_for(std::chrono::seconds(30)), std::future_status::ready) << "it waits for the first";
  settle.set_value();
  EXPECT_TRUE(is_legal(refused, second.get()));
  EXPECT_TRUE(is_legal(turn, first.get()));
}

TEST(Thinker, TellsTwoArenasApartThatBothHaveAMatchOne) {
  std::promise<void> settle;
  const auto settled = settle.get_future().share();
  const auto choose = [&](const v1::Turn& turn, Random&) {
    settled.wait();
    return turn.legal_moves().moves(0);
  };
  Thinker thinker(choose, 1, 2);
  auto one = decide(thinker, TURN);
  const v1::Turn abalone = turns::turn_of("abalone", turns::abalone_moves());
  auto other = decide(thinker, abalone);
  settle.set_value();
  EXPECT_TRUE(is_legal(TURN, one.get()));
  EXPECT_TRUE(is_legal(abalone, other.get()));
}
