#include "session.hpp"

#include "absl/strings/str_cat.h"
#include "log.hpp"

namespace v1 = broadside::v1;
using namespace std::chrono_literals;

namespace {

/// How long the arena may say nothing before its welcome tells of its heartbeats.
constexpr auto WELCOME_WITHIN = 30s;
/// How long an arena may take to end the stream of a bot that leaves.
constexpr auto FAREWELL = 2s;

std::string name_of(grpc::StatusCode code) {
  static constexpr const char* NAMES[] = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  return code >= 0 && code < static_cast<int>(std::size(NAMES)) ? NAMES[code] : absl::StrCat("code ", code);
}

bool is_refusal(grpc::StatusCode code) {
  switch (code) {
    case grpc::INVALID_ARGUMENT:
    case grpc::FAILED_PRECONDITION:
    case grpc::UNAUTHENTICATED:
    case grpc::PERMISSION_DENIED:
    case grpc::UNIMPLEMENTED:
      return true;
    default:
      return false;
  }
}

}  // namespace

Session::Session(std::string target, std::shared_ptr<grpc::Channel> channel, Desk& desk, OnWelcome on_welcome)
    : target_(std::move(target)),
      stub_(v1::GatewayService::NewStub(std::move(channel))),
      desk_(desk),
      on_welcome_(std::move(on_welcome)),
      silence_(WELCOME_WITHIN) {}

Session::End Session::run(const v1::Hello& hello, const std::string& token, std::stop_token leave) {
  if (!token.empty()) context_.AddMetadata("authorization", absl::StrCat("Bearer ", token));
  stub_->async()->Connect(&context_, this);
  v1::ConnectRequest first;
  *first.mutable_hello() = hello;
  send(std::move(first));
  StartRead(&incoming_);
  StartCall();

  std::unique_lock lock(mutex_);
  std::optional<Clock::time_point> farewell;
  while (!done_) {
    if (leave.stop_requested() && !farewell) {
      farewell = Clock::now() + FAREWELL;
      leaving_ = true;
      if (outbox_.empty() && !closed_) StartWritesDone();
    }
    const auto heard = heard_;
    const auto deadline = farewell.value_or(heard + silence_);
    // A stop request wakes up the wait once; after that the token must not be asked again.
    const auto news = [&] { return done_ || heard_ != heard; };
    if (farewell) {
      changed_.wait_until(lock, deadline, [&] { return done_; });
    } else {
      changed_.wait_until(lock, leave, deadline, news);
    }
    if (done_ || Clock::now() < deadline || (!farewell && heard_ != heard)) continue;
    if (!farewell && !end_) {
      const auto silence = std::chrono::duration<double>(silence_).count();
      end_ = End{absl::StrCat("nothing heard from the arena for ", silence, " s"), {}};
    }
    context_.TryCancel();
    changed_.wait(lock, [&] { return done_; });
  }
  return end_ ? *end_ : end_by(status_);
}

void Session::OnReadDone(bool ok) {
  if (ok) {
    take(incoming_);
    StartRead(&incoming_);
  } else {
    std::lock_guard lock(mutex_);
    closed_ = true;  // no operation may be started once none is under way
  }
}

void Session::OnWriteDone(bool ok) {
  std::lock_guard lock(mutex_);
  outbox_.pop_front();
  if (!ok || closed_) return;
  write_next();
}

void Session::OnDone(const grpc::Status& status) {
  std::lock_guard lock(mutex_);
  status_ = status;
  done_ = true;
  // The last that is done here: then run() returns. This thread is gRPC's, and must not be the one that lets the
  // session go, and its channel with it: the channel waits for this thread.
  changed_.notify_all();
}

void Session::take(const v1::ConnectResponse& message) {
  {
    std::lock_guard lock(mutex_);
    heard_ = Clock::now();
    if (message.has_welcome()) {
      const auto interval = message.welcome().limits().heartbeat_interval_ms();
      if (interval > 0) silence_ = 3 * std::chrono::milliseconds(interval);
    }
    changed_.notify_all();
  }
  switch (message.message_case()) {
    case v1::ConnectResponse::kWelcome:
      desk_.keep(message.welcome().running_matches());
      return on_welcome_(message.welcome());
    case v1::ConnectResponse::kTurn:
      return answer(message.turn());
    case v1::ConnectResponse::kMatchStart:
      return logging::start(message.match_start());
    case v1::ConnectResponse::kMatchEnd:
      desk_.forget(message.match_end().match_id(), message.match_end().seat());
      return logging::end(message.match_end());
    case v1::ConnectResponse::kRejected:
      return logging::warning(
          absl::StrCat("match ", message.rejected().match_id(), ": answer rejected: ", message.rejected().message()));
    case v1::ConnectResponse::kSessionEnd:
      return over(message.session_end());
    default:  // heartbeats need no answer, and messages of later versions are none of this bot's business
      return;
  }
}

void Session::answer(const v1::Turn& turn) {
  // A move may outlive its stream: then the arena sends the turn again on the next one.
  desk_.take(turn, [self = weak_from_this(), match_id = turn.match_id(), turn_id = turn.turn_id()](const auto& move) {
    const auto session = self.lock();
    if (!session) return;
    v1::ConnectRequest request;
    request.mutable_answer()->set_match_id(match_id);
    request.mutable_answer()->set_turn_id(turn_id);
    *request.mutable_answer()->mutable_move() = move;
    session->send(std::move(request));
  });
}

void Session::over(const v1::SessionEnd& end) {
  std::lock_guard lock(mutex_);
  const std::string reason = absl::StrCat("the arena ends the session: ", end.message());
  switch (end.reason()) {
    case v1::SESSION_END_REASON_TAKEN_OVER:
      // Dialling again would only take the name back, and so on for ever.
      end_ = End{reason, Exit::TakenOver};
      break;
    case v1::SESSION_END_REASON_TOKEN_REVOKED:
      end_ = End{reason, Exit::Refused};
      break;
    default:  // also a reason that this bot does not know
      words_ = absl::StrCat(reason, "; ");
      return;
  }
  context_.TryCancel();
}

void Session::send(v1::ConnectRequest request) {
  std::lock_guard lock(mutex_);
  if (closed_ || leaving_) return;
  outbox_.push_back(std::move(request));
  if (outbox_.size() == 1) write_next();
}

/// One message is written at a time; `mutex_` is held.
void Session::write_next() {
  if (!outbox_.empty()) {
    StartWrite(&outbox_.front());
  } else if (leaving_) {
    StartWritesDone();
  }
}

Session::End Session::end_by(const grpc::Status& status) const {
  if (status.ok()) return {absl::StrCat(words_, "the arena ended the stream"), {}};
  const std::string reason = absl::StrCat(words_, name_of(status.error_code()), ": ", status.error_message());
  if (status.error_code() == grpc::ABORTED) {
    return {absl::StrCat("another bot took this session over: ", reason), Exit::TakenOver};
  }
  if (!is_refusal(status.error_code())) return {reason, {}};
  return {absl::StrCat("refused by the arena at ", target_, ": ", reason), Exit::Refused};
}
