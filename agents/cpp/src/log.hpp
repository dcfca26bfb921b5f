#pragma once

#include <string_view>

#include "broadside/v1/agent.pb.h"

/// Log lines, on standard error.
namespace logging {

void info(std::string_view text);
void warning(std::string_view text);
void error(std::string_view text);

void start(const broadside::v1::MatchStart& start);
void end(const broadside::v1::MatchEnd& end);

}  // namespace logging
