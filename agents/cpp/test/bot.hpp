#pragma once

#include "arena.hpp"
#include "choose.hpp"
#include "dial.hpp"
#include "turns.hpp"

/// How the bot under test is started, in this process.
struct Bot {
  Thinker::Choose choice = choose;
  std::string token = {};
  std::stop_token leave = {};

  /// Dials in until the bot ends.
  Exit dial(int port) const {
    Thinker thinker(choice, 1, 4);
    return ::dial({{"127.0.0.1", port, false}, "", token}, turns::profile(), thinker, leave);
  }

  /// Dials these connections.
  Exit dial(std::vector<FakeArena::Script> scripts) const {
    const FakeArena arena(std::move(scripts));
    return dial(arena.port());
  }
};

/// A connection that ends the bot.
inline grpc::Status takes_over(Line& line) {
  line.welcome("last");
  line.end_session(broadside::v1::SESSION_END_REASON_TAKEN_OVER);
  return grpc::Status::OK;
}
