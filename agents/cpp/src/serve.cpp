#include "serve.hpp"

#include <grpcpp/grpcpp.h>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "broadside/v1/agent.grpc.pb.h"
#include "log.hpp"

namespace v1 = broadside::v1;
using namespace std::chrono_literals;

namespace {

/// How long calls may take to finish when the bot leaves.
constexpr auto GRACE = 1s;

/// A ChooseMove that is thought about. It ends at once if the arena gives it up, though the thought goes on.
class Choice : public grpc::ServerUnaryReactor {
 public:
  Choice(v1::ChooseMoveResponse* response) : state_(std::make_shared<State>(this, response)) {}

  /// What the thought calls, whether anybody still waits for it or not.
  Thinker::Reply reply() {
    return [state = state_](const v1::Move& move) { state->finish(grpc::Status::OK, &move); };
  }

  Thinker::Wanted wanted() {
    return [state = state_] {
      std::lock_guard lock(state->mutex);
      return state->call != nullptr;
    };
  }

 private:
  struct State {
    State(Choice* call, v1::ChooseMoveResponse* response) : call(call), response(response) {}

    void finish(const grpc::Status& status, const v1::Move* move) {
      std::lock_guard lock(mutex);
      if (!call) return;
      if (move) *response->mutable_move() = *move;
      std::exchange(call, nullptr)->Finish(status);
    }

    std::mutex mutex;
    Choice* call;
    v1::ChooseMoveResponse* response;
  };

  void OnCancel() override { state_->finish(grpc::Status::CANCELLED, nullptr); }
  void OnDone() override { delete this; }

  const std::shared_ptr<State> state_;
};

/// What the arena asks of a bot that it dials. ChooseMove alone would do.
class Agent final : public v1::AgentService::CallbackService {
 public:
  Agent(const v1::AgentProfile& profile, Thinker& thinker) : profile_(profile), thinker_(thinker) {}

 private:
  grpc::ServerUnaryReactor* GetProfile(grpc::CallbackServerContext* context, const v1::GetProfileRequest*,
                                       v1::GetProfileResponse* response) override {
    *response->mutable_profile() = profile_;
    return finished(context);
  }

  grpc::ServerUnaryReactor* StartMatch(grpc::CallbackServerContext* context, const v1::StartMatchRequest* request,
                                       v1::StartMatchResponse*) override {
    logging::start(request->match_start());
    return finished(context);
  }

  grpc::ServerUnaryReactor* ChooseMove(grpc::CallbackServerContext* context, const v1::ChooseMoveRequest* request,
                                       v1::ChooseMoveResponse* response) override {
    if (!request->has_turn()) {
      return finished(context, {grpc::INVALID_ARGUMENT, "turn: unset; it must be set"});
    }
    auto* choice = new Choice(response);
    thinker_.decide(request->turn(), choice->reply(), choice->wanted());
    return choice;
  }

  grpc::ServerUnaryReactor* EndMatch(grpc::CallbackServerContext* context, const v1::EndMatchRequest* request,
                                     v1::EndMatchResponse*) override {
    logging::end(request->match_end());
    return finished(context);
  }

  static grpc::ServerUnaryReactor* finished(grpc::CallbackServerContext* context, const grpc::Status& status = {}) {
    auto* reactor = context->DefaultReactor();
    reactor->Finish(status);
    return reactor;
  }

  const v1::AgentProfile profile_;
  Thinker& thinker_;
};

std::shared_ptr<grpc::ServerCredentials> credentials(const std::optional<Identity>& identity) {
  if (!identity) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options;
  options.pem_key_cert_pairs.push_back({identity->key, identity->certificate});
  return grpc::SslServerCredentials(options);
}

/// Why the address cannot be served, which gRPC keeps to itself.
std::string why_not(const Address& address) {
  using asio::ip::tcp;
  std::string host = address.host;
  std::erase_if(host, [](char c) { return c == '[' || c == ']'; });
  asio::io_context context;
  try {
    const auto found = tcp::resolver(context).resolve(host, std::to_string(address.port), tcp::resolver::passive);
    for (const auto& entry : found) tcp::acceptor(context, entry.endpoint(), false);
    return "gRPC refuses it";
  } catch (const asio::system_error& error) {
    return error.what();
  }
}

void wait(const std::stop_token& leave) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any().wait(lock, leave, [] { return false; });
}

}  // namespace

Exit serve(const Address& address, const std::optional<Identity>& identity, const v1::AgentProfile& profile,
           Thinker& thinker, std::stop_token leave) {
  Agent agent(profile, thinker);
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address.target(), credentials(identity), &port);
  builder.RegisterService(&agent);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);  // arenas may ping as often as they like
  const auto server = builder.BuildAndStart();
  if (!server || port == 0) {
    logging::error(absl::StrCat("cannot serve on ", address.target(), ": ", why_not(address)));
    return Exit::Refused;
  }
  std::cout << "serving on " << address.host << ':' << port << std::endl;
  wait(leave);
  logging::info("leaving");
  server->Shutdown(std::chrono::system_clock::now() + GRACE);
  return Exit::Left;
}
