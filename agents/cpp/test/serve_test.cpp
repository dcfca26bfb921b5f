#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <thread>

#include "broadside/v1/agent.grpc.pb.h"
#include "certificate.hpp"
#include "legality.hpp"
#include "program.hpp"
#include "turns.hpp"

namespace v1 = broadside::v1;

namespace {

using Stub = v1::AgentService::Stub;

std::unique_ptr<Stub> dial(const std::string& address,
                           std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials()) {
  return v1::AgentService::NewStub(grpc::CreateChannel(address, credentials));
}

/// Asks for a move of every variant at the same time.
void play_every_variant(Stub& stub) {
  std::vector<std::jthread> calls;
  for (const v1::Turn& turn : turns::a_turn_of_every_variant()) {
    calls.emplace_back([&stub, turn] {
      grpc::ClientContext context;
      v1::ChooseMoveRequest request;
      v1::ChooseMoveResponse response;
      *request.mutable_turn() = turn;
      EXPECT_TRUE(stub.ChooseMove(&context, request, &response).ok());
      EXPECT_TRUE(is_legal(turn, response.move()));
    });
  }
}

}  // namespace

TEST(Serve, AnswersAllThatItIsAskedAndLeavesOnASignal) {
  Program bot({"--serve", "127.0.0.1:0", "--name", "served", "--matches", "2"});
  const auto stub = dial(bot.address());
  play_every_variant(*stub);
  {
    grpc::ClientContext context;
    v1::GetProfileResponse response;
    EXPECT_TRUE(stub->GetProfile(&context, {}, &response).ok());
    EXPECT_EQ(response.profile().name(), "served");
    EXPECT_EQ(response.profile().max_matches(), 2U);
    EXPECT_TRUE(response.profile().wants_legal_moves());
    EXPECT_EQ(response.profile().variants_size(), 7);
  }
  {
    grpc::ClientContext context;
    v1::StartMatchRequest request;
    v1::StartMatchResponse response;
    *request.mutable_match_start() =
        turns::parse<v1::MatchStart>("match_id: 5 seat: SEAT_ONE opponent: 'fake' options { advanced_salvo {} }");
    EXPECT_TRUE(stub->StartMatch(&context, request, &response).ok());
  }
  {
    grpc::ClientContext context;
    v1::EndMatchRequest request;
    v1::EndMatchResponse response;
    request.mutable_match_end()->set_match_id(5);
    request.mutable_match_end()->set_seat(v1::SEAT_ONE);
    request.mutable_match_end()->mutable_outcome()->set_message("a draw");
    EXPECT_TRUE(stub->EndMatch(&context, request, &response).ok());
  }
  {
    grpc::ClientContext context;
    v1::ChooseMoveResponse response;
    EXPECT_EQ(stub->ChooseMove(&context, {}, &response).error_code(), grpc::INVALID_ARGUMENT);
  }
  bot.signal(SIGTERM);
  EXPECT_EQ(bot.over(), 0) << bot.log;
  EXPECT_EQ(bot.output.find('\n'), bot.output.size() - 1) << "one line on standard output";
  EXPECT_NE(bot.log.find("match 5: advanced_salvo, seat 1, against fake\n"), std::string::npos) << bot.log;
  EXPECT_NE(bot.log.find("match 5: over, seat 1: a draw\n"), std::string::npos) << bot.log;
}

TEST(Serve, ServesTls) {
  const Certificate certificate;
  Program bot({"--serve", "127.0.0.1:0", "--tls-cert", certificate.file(), "--tls-key", certificate.key_file()});
  const auto trusting = grpc::SslCredentials({Certificate::text_of(certificate.file()), "", ""});
  play_every_variant(*dial(bot.address(), trusting));
}

TEST(Serve, SaysThatItsPortIsTaken) {
  Program first({"--serve", "127.0.0.1:0"});
  Program second({"--serve", first.address()});
  EXPECT_EQ(second.over(), 1);
  EXPECT_NE(second.log.find("ERROR cannot serve on 127.0.0.1:"), std::string::npos) << second.log;
  EXPECT_NE(second.log.find(": bind: Address already in use\n"), std::string::npos) << second.log;
  EXPECT_EQ(second.log.find('\n'), second.log.size() - 1) << second.log;
  EXPECT_EQ(second.output, "");
}
