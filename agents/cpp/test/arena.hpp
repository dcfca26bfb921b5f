#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "broadside/v1/agent.grpc.pb.h"

/// One connection of a bot, as the arena sees it.
class Line {
 public:
  using Stream = grpc::ServerReaderWriter<broadside::v1::ConnectResponse, broadside::v1::ConnectRequest>;

  Line(grpc::ServerContext& context, Stream& stream) : context_(context), stream_(stream) {}

  broadside::v1::Hello hello();
  broadside::v1::TurnAnswer answer();
  /// Hears the hello and welcomes the bot.
  broadside::v1::Hello welcome(const std::string& resume_token, unsigned heartbeat_interval_ms = 20'000,
                               const std::vector<std::uint64_t>& running_matches = {});
  void send(const broadside::v1::ConnectResponse& message);
  void ask(const broadside::v1::Turn& turn);
  void end_session(broadside::v1::SessionEndReason reason);
  /// Waits until the bot ends its side, or is gone; whether it was in order.
  bool ended_in_order();
  /// The token that came with the call.
  std::string authorization() const;

 private:
  grpc::ServerContext& context_;
  Stream& stream_;
};

/// A fake arena that bots dial: it plays one script a connection.
class FakeArena : private broadside::v1::GatewayService::Service {
 public:
  using Script = std::function<grpc::Status(Line&)>;

  explicit FakeArena(std::vector<Script> scripts, int port = 0,
                     std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials());
  /// Fails the test unless every script was played.
  ~FakeArena() override;

  int port() const { return port_; }
  std::string address() const;
  /// Cuts every connection, and serves no more.
  void stop();

 private:
  grpc::Status Connect(grpc::ServerContext* context, Line::Stream* stream) override;

  std::mutex mutex_;
  std::deque<Script> scripts_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};
