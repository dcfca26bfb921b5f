#include "dial.hpp"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "desk.hpp"
#include "log.hpp"
#include "session.hpp"

namespace v1 = broadside::v1;
using Seconds = std::chrono::duration<double>;

namespace {

constexpr Seconds FIRST_WAIT(0.25);
constexpr Seconds LONGEST_WAIT(8);

/// A new connection for each session: an old channel would keep its own time about dialling again.
std::shared_ptr<grpc::Channel> channel_to(const Arena& arena) {
  grpc::ChannelArguments options;
  // Notices within 20 s that the arena has gone without a word.
  options.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
  options.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  options.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  options.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  options.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto credentials =
      arena.address.tls ? grpc::SslCredentials({arena.ca, "", ""}) : grpc::InsecureChannelCredentials();
  return grpc::CreateCustomChannel(arena.address.target(), credentials, options);
}

/// Returns early when the bot is told to leave.
void sleep(Seconds pause, const std::stop_token& leave) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any().wait_for(lock, leave, pause, [] { return false; });
}

}  // namespace

Exit dial(const Arena& arena, const v1::AgentProfile& profile, Thinker& thinker, std::stop_token leave) {
  const std::string target = arena.address.target();
  v1::Hello hello;
  hello.set_protocol_version(1);
  *hello.mutable_profile() = profile;
  std::mt19937 jitter(std::random_device{}());
  Seconds wait = FIRST_WAIT;
  Desk desk(thinker);

  const auto on_welcome = [&](const v1::Welcome& welcome) {
    logging::info(absl::StrCat("connected to ", target, " as ", profile.name(),
                               ", resumed: ", welcome.resumed() ? "true" : "false"));
    hello.set_resume_token(welcome.resume_token());
    wait = FIRST_WAIT;
  };
  for (;;) {
    const auto session = std::make_shared<Session>(target, channel_to(arena), desk, on_welcome);
    const Session::End end = session->run(hello, arena.token, leave);
    if (end.exit) {
      logging::error(end.reason);
      return *end.exit;
    }
    if (!leave.stop_requested()) {
      const Seconds pause = wait * std::uniform_real_distribution(0.5, 1.0)(jitter);
      logging::warning(absl::StrCat(end.reason, absl::StrFormat("; dialling again in %.1f s", pause.count())));
      sleep(pause, leave);
      wait = std::min(2 * wait, LONGEST_WAIT);
    }
    if (leave.stop_requested()) {
      logging::info("leaving");
      return Exit::Left;
    }
  }
}
