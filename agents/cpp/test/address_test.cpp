#include "address.hpp"

#include <gtest/gtest.h>

#include "exit.hpp"

namespace {

std::string read(const std::string& text) {
  const Address address = parse_address(text, "--connect");
  return address.target() + (address.tls ? " with TLS" : "");
}

}  // namespace

TEST(Address, IsHostAndPortOrAUrl) {
  EXPECT_EQ(read("127.0.0.1:4600"), "127.0.0.1:4600");
  EXPECT_EQ(read("http://arena:1/"), "arena:1");
  EXPECT_EQ(read("https://arena:65535"), "arena:65535 with TLS");
  EXPECT_EQ(read("[::1]:0"), "[::1]:0");
  EXPECT_EQ(read("https://[::1]:443"), "[::1]:443 with TLS");
}

TEST(Address, IsNothingElse) {
  for (const char* text :
       {"", "arena", "arena:", ":1", "arena:65536", "arena:-1", "arena:+1", "arena:1x", "arena:1:2", "::1:2", "[::1:2",
        "[::1]", "http://", "http://arena", "https://arena", "https://arena/", "https://[::1]", "ftp://arena:1",
        "https://arena/path:1", "a b:1"}) {
    EXPECT_THROW(parse_address(text, "--connect"), UsageError) << text;
  }
}

TEST(Address, ToServeIsNoUrl) {
  EXPECT_EQ(parse_host_port("[::1]:0", "--serve").target(), "[::1]:0");
  for (const char* text : {"http://a:1", "https://a:1", "a:1/", "a"}) {
    EXPECT_THROW(parse_host_port(text, "--serve"), UsageError) << text;
  }
}
