#include "log.hpp"

#include <iostream>
#include <syncstream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace v1 = broadside::v1;

namespace logging {
namespace {

void write(std::string_view level, std::string_view text) {
  const std::string now = absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::Now(), absl::UTCTimeZone());
  std::osyncstream(std::cerr) << now << ' ' << level << ' ' << text << std::endl;
}

std::string_view variant_of(const v1::Options& options) {
  const auto* variant = v1::Options::descriptor()->FindOneofByName("variant");
  const auto* field = options.GetReflection()->GetOneofFieldDescriptor(options, variant);
  return field ? std::string_view(field->name()) : "a variant unknown to this bot";
}

}  // namespace

void info(std::string_view text) { write("INFO", text); }
void warning(std::string_view text) { write("WARN", text); }
void error(std::string_view text) { write("ERROR", text); }

void start(const v1::MatchStart& start) {
  info(absl::StrCat("match ", start.match_id(), ": ", std::string(variant_of(start.options())), ", seat ",
                    static_cast<int>(start.seat()), ", against ", start.opponent()));
}

void end(const v1::MatchEnd& end) {
  info(absl::StrCat("match ", end.match_id(), ": over, seat ", static_cast<int>(end.seat()), ": ",
                    end.outcome().message()));
}

}  // namespace logging
