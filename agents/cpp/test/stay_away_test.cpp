#include <gtest/gtest.h>

#include "bot.hpp"

namespace v1 = broadside::v1;

TEST(Dial, StaysAwayWhereItIsRefusedForGood) {
  for (const auto code : {grpc::INVALID_ARGUMENT, grpc::FAILED_PRECONDITION, grpc::UNAUTHENTICATED,
                          grpc::PERMISSION_DENIED, grpc::UNIMPLEMENTED}) {
    const auto refuses = [code](Line& line) {
      line.hello();
      return grpc::Status(code, "because");
    };
    EXPECT_EQ(Bot().dial({refuses}), Exit::Refused) << code;
  }
}

TEST(Dial, StaysAwayAfterATakeover) {
  const auto aborts = [](Line& line) {
    line.welcome("token-1");
    return grpc::Status(grpc::ABORTED, "connected again");
  };
  EXPECT_EQ(Bot().dial({aborts}), Exit::TakenOver);
  EXPECT_EQ(Bot().dial({takes_over}), Exit::TakenOver);
}

TEST(Dial, StaysAwayWithATokenThatWasRevoked) {
  const auto revokes = [](Line& line) {
    line.welcome("token-1");
    line.end_session(v1::SESSION_END_REASON_TOKEN_REVOKED);
    return grpc::Status::OK;
  };
  EXPECT_EQ(Bot().dial({revokes}), Exit::Refused);
}

TEST(Dial, GoesByTheStatusWhenASessionEndsForAReasonOfALaterVersion) {
  const auto ends_by = [](grpc::StatusCode code) {
    return [code](Line& line) {
      line.welcome("token-1");
      line.end_session(static_cast<v1::SessionEndReason>(99));
      return grpc::Status(code, code == grpc::OK ? "" : "because");
    };
  };
  EXPECT_EQ(Bot().dial({ends_by(grpc::PERMISSION_DENIED)}), Exit::Refused);
  EXPECT_EQ(Bot().dial({ends_by(grpc::ABORTED)}), Exit::TakenOver);
  EXPECT_EQ(Bot().dial({ends_by(grpc::OK), takes_over}), Exit::TakenOver);
}

TEST(Dial, EndsItsStreamInOrderWhenToldToLeave) {
  std::stop_source leaving;
  const auto script = [&](Line& line) {
    line.welcome("token-1");
    const auto turn = turns::turn_of("abalone", turns::abalone_moves());
    line.ask(turn);
    line.answer();  // the welcome has been read
    leaving.request_stop();
    EXPECT_TRUE(line.ended_in_order());
    return grpc::Status::OK;
  };
  EXPECT_EQ((Bot{.leave = leaving.get_token()}.dial({script})), Exit::Left);
}

TEST(Dial, LeavesWhileItWaitsToDialAgain) {
  std::stop_source leaving;
  const auto script = [&](Line& line) {
    line.welcome("token-1");
    leaving.request_stop();
    return grpc::Status(grpc::UNAVAILABLE, "connection lost");
  };
  EXPECT_EQ((Bot{.leave = leaving.get_token()}.dial({script})), Exit::Left);
}
