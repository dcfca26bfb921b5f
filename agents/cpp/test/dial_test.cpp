#include "dial.hpp"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>

#include "bot.hpp"
#include "legality.hpp"

namespace v1 = broadside::v1;
using google::protobuf::util::MessageDifferencer;

namespace {

const v1::Turn SLOW = turns::turn_of("amiral", {turns::shot("amiral", 3, 3)});

v1::Turn quick_turn() {
  auto turn = turns::turn_of("abalone", turns::abalone_moves());
  turn.set_match_id(2);
  return turn;
}
const v1::Turn QUICK = quick_turn();

const grpc::Status LOST(grpc::UNAVAILABLE, "connection lost");

/// A choice that waits for the test in one match; how often it was asked for.
struct SlowChoice {
  std::promise<void> settle;
  std::shared_future<void> settled = settle.get_future().share();
  std::atomic<int> asked = 0;

  v1::Move operator()(const v1::Turn& turn, Random& random) {
    if (turn.match_id() == SLOW.match_id()) {
      ++asked;
      settled.wait();
    }
    return choose(turn, random);
  }
};

}  // namespace

TEST(Dial, PlaysSevenMatchesAtOnceWithEverythingThatAnArenaMaySendInBetween) {
  const auto whole = [](Line& line) {
    const v1::Hello hello = line.welcome("token-1");
    EXPECT_EQ(hello.protocol_version(), 1U);
    EXPECT_EQ(hello.resume_token(), "");
    EXPECT_TRUE(MessageDifferencer::Equals(hello.profile(), turns::profile()));
    std::map<std::uint64_t, v1::Turn> asked;
    for (const v1::Turn& turn : turns::a_turn_of_every_variant()) asked[turn.match_id()] = turn;
    v1::ConnectResponse message;
    for (const auto& [match_id, turn] : asked) {
      message.mutable_match_start()->set_match_id(match_id);
      line.send(message);
    }
    message.mutable_heartbeat()->set_beat(0);
    line.send(message);
    line.send({});  // a message of a later version
    for (const auto& [match_id, turn] : asked) line.ask(turn);
    while (!asked.empty()) {
      const v1::TurnAnswer answer = line.answer();
      const auto turn = asked.extract(answer.match_id());
      if (turn.empty()) return grpc::Status(grpc::FAILED_PRECONDITION, "answered twice, or nothing that was asked");
      EXPECT_EQ(answer.turn_id(), turn.mapped().turn_id());
      EXPECT_TRUE(is_legal(turn.mapped(), answer.move()));
    }
    message.mutable_rejected()->set_message("too late");
    line.send(message);
    message.mutable_match_end()->mutable_outcome()->set_message("a draw");
    line.send(message);
    line.end_session(v1::SESSION_END_REASON_TAKEN_OVER);
    return grpc::Status::OK;
  };
  EXPECT_EQ(Bot().dial({whole}), Exit::TakenOver);
}

TEST(Dial, ComesBackWithTheResumeTokenAndAnswersThePendingTurn) {
  const auto turn = turns::turn_of("naumachia", turns::every_shot("naumachia"));
  const auto first = [](Line& line) {
    EXPECT_EQ(line.welcome("token-1").resume_token(), "");
    return LOST;
  };
  const auto second = [&](Line& line) {
    EXPECT_EQ(line.welcome("token-2").resume_token(), "token-1");
    line.ask(turn);
    EXPECT_TRUE(is_legal(turn, line.answer().move()));
    line.end_session(v1::SESSION_END_REASON_ARENA_STOPS);
    return grpc::Status::OK;
  };
  const auto third = [](Line& line) {
    EXPECT_EQ(line.hello().resume_token(), "token-2");
    return grpc::Status(grpc::RESOURCE_EXHAUSTED, "too many sessions");
  };
  const auto fourth = [](Line& line) {
    EXPECT_EQ(line.hello().resume_token(), "token-2");
    return grpc::Status::OK;
  };
  EXPECT_EQ(Bot().dial({first, second, third, fourth, takes_over}), Exit::TakenOver);
}

TEST(Dial, ComesBackToAnArenaThatStartsAgain) {
  std::promise<void> playing;
  const auto plays = [&](Line& line) {
    line.welcome("token-1");
    line.ask(QUICK);
    line.answer();
    playing.set_value();
    line.ended_in_order();
    return grpc::Status::OK;
  };
  const auto resumes = [](Line& line) {
    EXPECT_EQ(line.welcome("token-1").resume_token(), "token-1");
    line.end_session(v1::SESSION_END_REASON_TAKEN_OVER);
    return grpc::Status::OK;
  };
  FakeArena first({plays});
  auto exit = std::async(std::launch::async, [port = first.port()] { return Bot().dial(port); });
  playing.get_future().wait();
  first.stop();
  const FakeArena second({resumes}, first.port());
  EXPECT_EQ(exit.get(), Exit::TakenOver);
}

TEST(Dial, ComesBackWhenTheArenaHasBeenSilentForThreeHeartbeats) {
  const auto silent = [](Line& line) {
    line.welcome("token-1", 20);
    line.ended_in_order();
    return grpc::Status::OK;
  };
  EXPECT_EQ(Bot().dial({silent, takes_over}), Exit::TakenOver);
}

TEST(Dial, ShowsItsTokenOnEveryConnection) {
  const auto breaks = [](Line& line) {
    EXPECT_EQ(line.authorization(), "Bearer secret");
    line.welcome("token-1");
    return LOST;
  };
  const auto ends = [](Line& line) {
    EXPECT_EQ(line.authorization(), "Bearer secret");
    return takes_over(line);
  };
  EXPECT_EQ(Bot{.token = "secret"}.dial({breaks, ends}), Exit::TakenOver);
}

TEST(Dial, ASlowChoiceHoldsUpNoOtherMatchAndATurnSentAgainIsAnsweredOnce) {
  SlowChoice slow;
  const auto script = [&](Line& line) {
    line.welcome("token-1");
    line.ask(SLOW);
    line.ask(SLOW);
    line.ask(QUICK);
    EXPECT_EQ(line.answer().match_id(), QUICK.match_id());
    slow.settle.set_value();
    EXPECT_TRUE(is_legal(SLOW, line.answer().move()));
    auto next = QUICK;
    next.set_turn_id(8);
    line.ask(next);
    EXPECT_EQ(line.answer().turn_id(), 8U) << "nothing in between";
    line.end_session(v1::SESSION_END_REASON_TAKEN_OVER);
    return grpc::Status::OK;
  };
  EXPECT_EQ(Bot{.choice = std::ref(slow)}.dial({script}), Exit::TakenOver);
  EXPECT_EQ(slow.asked, 1);
}

TEST(Dial, AThoughtOutlivesItsStreamAndAnswersOnTheNext) {
  SlowChoice slow;
  const auto asks_and_breaks = [](Line& line) {
    line.welcome("token-1");
    line.ask(SLOW);
    line.ask(QUICK);
    line.answer();
    return LOST;
  };
  const auto asks_again = [&](Line& line) {
    line.welcome("token-1", 20'000, {SLOW.match_id(), QUICK.match_id()});
    line.ask(SLOW);
    line.ask(QUICK);
    EXPECT_EQ(line.answer().match_id(), QUICK.match_id());
    slow.settle.set_value();
    EXPECT_TRUE(is_legal(SLOW, line.answer().move()));
    line.end_session(v1::SESSION_END_REASON_TAKEN_OVER);
    return grpc::Status::OK;
  };
  EXPECT_EQ(Bot{.choice = std::ref(slow)}.dial({asks_and_breaks, asks_again}), Exit::TakenOver);
  EXPECT_EQ(slow.asked, 1);
}

TEST(Dial, SendsAMoveAgainWhereItsTurnComesAgain) {
  std::atomic<int> asked = 0;
  const auto breaks = [](Line& line) {
    line.welcome("token-1");
    line.ask(QUICK);
    line.answer();
    return LOST;
  };
  const auto asks_again = [](Line& line) {
    line.welcome("token-1", 20'000, {QUICK.match_id()});
    for (int times = 0; times < 2; ++times) {
      line.ask(QUICK);
      EXPECT_TRUE(is_legal(QUICK, line.answer().move()));
    }
    line.end_session(v1::SESSION_END_REASON_TAKEN_OVER);
    return grpc::Status::OK;
  };
  const auto choice = [&](const v1::Turn& turn, Random& random) {
    ++asked;
    return choose(turn, random);
  };
  EXPECT_EQ(Bot{.choice = choice}.dial({breaks, asks_again}), Exit::TakenOver);
  EXPECT_EQ(asked, 1);
}
