#include "address.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "absl/strings/str_cat.h"
#include "exit.hpp"

std::string Address::target() const { return absl::StrCat(host, ":", port); }

namespace {

bool consume(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<int> port_of(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && port >= 0 && port <= 65'535 ? std::optional(port) : std::nullopt;
}

std::optional<Address> parse(std::string_view text) {
  const bool tls = consume(text, "https://");
  const bool url = tls || consume(text, "http://");
  if (url && text.ends_with('/')) text.remove_suffix(1);
  // An IPv6 address stands in brackets.
  const std::size_t end = text.starts_with('[') ? text.find(']') + 1 : std::min(text.find(':'), text.size());
  const std::string_view host = text.substr(0, end);
  if (host.empty() || host.find_first_of("/ \t") != std::string_view::npos) return {};
  text.remove_prefix(end);
  if (!consume(text, ":")) return {};
  const auto port = port_of(text);
  return port ? std::optional(Address{std::string(host), *port, tls}) : std::nullopt;
}

}  // namespace

Address parse_address(std::string_view text, std::string_view option) {
  if (const auto address = parse(text)) return *address;
  throw UsageError(absl::StrCat(std::string(option), " ", std::string(text),
                                ": no address; it must be HOST:PORT, http://HOST:PORT or https://HOST:PORT"));
}

Address parse_host_port(std::string_view text, std::string_view option) {
  if (text.find('/') == std::string_view::npos) return parse_address(text, option);
  throw UsageError(absl::StrCat(std::string(option), " ", std::string(text), ": no address; it must be HOST:PORT"));
}
