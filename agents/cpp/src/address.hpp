#pragma once

#include <string>
#include <string_view>

/// Where an arena or a bot is.
struct Address {
  std::string host;
  int port = 0;
  bool tls = false;

  /// HOST:PORT, as gRPC takes it.
  std::string target() const;
};

/// Reads HOST:PORT or a URL, in which alone the port may be left out. Throws UsageError, which names the option.
Address parse_address(std::string_view text, std::string_view option);
