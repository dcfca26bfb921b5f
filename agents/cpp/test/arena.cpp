#include "arena.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "absl/strings/str_cat.h"

namespace v1 = broadside::v1;

v1::Hello Line::hello() {
  v1::ConnectRequest request;
  EXPECT_TRUE(stream_.Read(&request)) << "the bot ended the stream";
  EXPECT_TRUE(request.has_hello()) << request.ShortDebugString();
  return request.hello();
}

v1::TurnAnswer Line::answer() {
  v1::ConnectRequest request;
  EXPECT_TRUE(stream_.Read(&request)) << "the bot ended the stream";
  EXPECT_TRUE(request.has_answer()) << request.ShortDebugString();
  return request.answer();
}

v1::Hello Line::welcome(const std::string& resume_token, unsigned heartbeat_interval_ms,
                       const std::vector<std::uint64_t>& running_matches) {
  const v1::Hello heard = hello();
  v1::ConnectResponse message;
  message.mutable_welcome()->set_protocol_version(1);
  message.mutable_welcome()->set_resume_token(resume_token);
  message.mutable_welcome()->set_resumed(!heard.resume_token().empty());
  message.mutable_welcome()->mutable_limits()->set_heartbeat_interval_ms(heartbeat_interval_ms);
  for (const std::uint64_t match : running_matches) message.mutable_welcome()->add_running_matches(match);
  send(message);
  return heard;
}

void Line::send(const v1::ConnectResponse& message) { stream_.Write(message); }

void Line::ask(const v1::Turn& turn) {
  v1::ConnectResponse message;
  *message.mutable_turn() = turn;
  send(message);
}

void Line::end_session(v1::SessionEndReason reason) {
  v1::ConnectResponse message;
  message.mutable_session_end()->set_reason(reason);
  message.mutable_session_end()->set_message("the test is over");
  send(message);
}

bool Line::ended_in_order() {
  v1::ConnectRequest request;
  return !stream_.Read(&request) && !context_.IsCancelled();
}

std::string Line::authorization() const {
  const auto found = context_.client_metadata().find("authorization");
  if (found == context_.client_metadata().end()) return "";
  return std::string(found->second.begin(), found->second.end());
}

FakeArena::FakeArena(std::vector<Script> scripts, int port, std::shared_ptr<grpc::ServerCredentials> credentials)
    : scripts_(scripts.begin(), scripts.end()) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort(absl::StrCat("127.0.0.1:", port), credentials, &port_);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
  EXPECT_TRUE(server_);
}

FakeArena::~FakeArena() {
  stop();
  EXPECT_TRUE(scripts_.empty()) << "too few connections";
}

std::string FakeArena::address() const { return absl::StrCat("127.0.0.1:", port_); }

void FakeArena::stop() { server_->Shutdown(std::chrono::system_clock::now()); }

grpc::Status FakeArena::Connect(grpc::ServerContext* context, Line::Stream* stream) {
  Script script;
  {
    std::lock_guard lock(mutex_);
    if (scripts_.empty()) {
      ADD_FAILURE() << "one connection too many";
      return {grpc::FAILED_PRECONDITION, "one connection too many"};
    }
    script = std::move(scripts_.front());
    scripts_.pop_front();
  }
  Line line(*context, *stream);
  return script(line);
}
