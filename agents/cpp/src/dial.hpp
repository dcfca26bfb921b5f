#pragma once

#include <stop_token>
#include <string>

#include "address.hpp"
#include "broadside/v1/agent.pb.h"
#include "exit.hpp"
#include "thinker.hpp"

struct Arena {
  Address address;
  /// The authority to trust, in PEM; none: the public ones.
  std::string ca;
  /// Empty: none.
  std::string token;
};

/// The bot dials the arena: any number of matches on one stream, and again when it breaks. Returns when the bot is
/// refused, replaced or told to leave.
Exit dial(const Arena& arena, const broadside::v1::AgentProfile& profile, Thinker& thinker, std::stop_token leave);
