#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "broadside/v1/agent.grpc.pb.h"
#include "desk.hpp"
#include "exit.hpp"

/// One stream to the arena, from hello to its end.
class Session : public std::enable_shared_from_this<Session>,
                private grpc::ClientBidiReactor<broadside::v1::ConnectRequest, broadside::v1::ConnectResponse> {
 public:
  /// Why a session is over; with an exit status if no other shall follow.
  struct End {
    std::string reason;
    std::optional<Exit> exit;
  };
  using OnWelcome = std::function<void(const broadside::v1::Welcome&)>;

  Session(std::string target, std::shared_ptr<grpc::Channel> channel, Desk& desk, OnWelcome on_welcome);

  /// Says hello and plays to the end of the stream, which it ends itself when told to leave.
  End run(const broadside::v1::Hello& hello, const std::string& token, std::stop_token leave);

 private:
  using Clock = std::chrono::steady_clock;

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  void take(const broadside::v1::ConnectResponse& message);
  void answer(const broadside::v1::Turn& turn);
  void over(const broadside::v1::SessionEnd& end);
  void send(broadside::v1::ConnectRequest request);
  void write_next();
  End end_by(const grpc::Status& status) const;

  const std::string target_;
  const std::unique_ptr<broadside::v1::GatewayService::Stub> stub_;
  Desk& desk_;
  const OnWelcome on_welcome_;
  grpc::ClientContext context_;
  broadside::v1::ConnectResponse incoming_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  /// What is to be sent; the first of them is being sent.
  std::deque<broadside::v1::ConnectRequest> outbox_;
  /// Nothing more can be sent.
  bool closed_ = false;
  /// Nothing more shall be sent: the outbox is the last.
  bool leaving_ = false;
  bool done_ = false;
  Clock::time_point heard_ = Clock::now();
  Clock::duration silence_;
  /// Known before the stream has ended, if the reason is not the stream's status.
  std::optional<End> end_;
  /// What the arena said of the end that its status decides.
  std::string words_;
  grpc::Status status_;
};
