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

/// Reads HOST:PORT or a URL with a port. Throws UsageError, which names the option.
Address parse_address(std::string_view text, std::string_view option);

/// Reads HOST:PORT alone. Throws UsageError, which names the option.
Address parse_host_port(std::string_view text, std::string_view option);
