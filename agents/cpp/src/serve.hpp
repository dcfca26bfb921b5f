#pragma once

#include <optional>
#include <stop_token>

#include "address.hpp"
#include "broadside/v1/agent.pb.h"
#include "exit.hpp"
#include "pem.hpp"
#include "thinker.hpp"

/// The arena dials the bot: serves until the bot is told to leave.
Exit serve(const Address& address, const std::optional<Identity>& identity, const broadside::v1::AgentProfile& profile,
           Thinker& thinker, std::stop_token leave);
