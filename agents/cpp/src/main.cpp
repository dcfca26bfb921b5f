#include <pthread.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>

#include "choose.hpp"
#include "dial.hpp"
#include "pem.hpp"
#include "serve.hpp"

namespace v1 = broadside::v1;

namespace {

struct Options {
  std::string connect = "127.0.0.1:4600";
  std::string ca;
  std::string serve;
  std::string cert;
  std::string key;
  std::string name = "cpp-bot";
  std::uint32_t matches = 8;
  std::uint64_t seed = std::random_device{}();
};

void declare(CLI::App& app, Options& options) {
  auto* connect = app.add_option("--connect", options.connect, "Dial the arena there: HOST:PORT or a URL");
  connect->type_name("ADDRESS")->capture_default_str();
  auto* ca = app.add_option("--ca", options.ca, "Trust this authority at an https:// address; in PEM");
  ca->type_name("FILE");
  auto* serve = app.add_option("--serve", options.serve, "Let the arena dial this address; port 0 takes a free one");
  serve->type_name("HOST:PORT")->excludes(connect)->excludes(ca);
  auto* cert = app.add_option("--tls-cert", options.cert, "Serve TLS with this certificate, in PEM");
  auto* key = app.add_option("--tls-key", options.key, "Its private key, in PEM");
  cert->type_name("FILE")->needs(serve)->needs(key);
  key->type_name("FILE")->needs(serve)->needs(cert);
  app.add_option("--name", options.name, "Its name, one bot a name")->type_name("NAME")->capture_default_str();
  app.add_option("--matches", options.matches, "Matches at once")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(std::uint32_t{1}, std::numeric_limits<std::uint32_t>::max()));
  app.add_option("--seed", options.seed, "Makes its random choices the same every time")->type_name("N");
  app.footer("A token for the arena is taken from the environment: BROADSIDE_TOKEN.");
}

/// The token of the environment, or an empty string.
std::string token() {
  const char* set = std::getenv("BROADSIDE_TOKEN");
  std::string text = set ? set : "";
  const auto is_space = [](unsigned char c) { return std::isspace(c) != 0; };
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), is_space));
  text.erase(std::find_if_not(text.rbegin(), text.rend(), is_space).base(), text.end());
  if (!std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20 && c <= 0x7e; })) {
    throw UsageError("BROADSIDE_TOKEN: it must be printable ASCII");
  }
  return text;
}

v1::AgentProfile profile_of(const Options& options) {
  v1::AgentProfile profile;
  profile.set_name(options.name);
  profile.set_max_matches(options.matches);
  profile.set_wants_legal_moves(true);
  for (int number = v1::Variant_MIN + 1; number <= v1::Variant_MAX; ++number) {
    if (v1::Variant_IsValid(number)) profile.add_variants(static_cast<v1::Variant>(number));
  }
  return profile;
}

Exit run(const Options& options, std::stop_token leave) {
  const v1::AgentProfile profile = profile_of(options);
  // Never destroyed: that would wait for its thoughts, and nobody does once the bot has left.
  Thinker& thinker = *new Thinker(choose, options.seed, std::min(options.matches, 64U));
  if (!options.serve.empty()) {
    const Address address = parse_host_port(options.serve, "--serve");
    std::optional<Identity> identity;
    if (!options.cert.empty()) identity = read_identity(options.cert, options.key);
    return serve(address, identity, profile, thinker, leave);
  }
  Arena arena{parse_address(options.connect, "--connect"), "", token()};
  if (!options.ca.empty()) {
    if (!arena.address.tls) throw UsageError("--ca needs an https:// address in --connect");
    arena.ca = read_authority(options.ca);
  }
  return dial(arena, profile, thinker, leave);
}

/// Asks the bot to leave at the first SIGINT or SIGTERM; a second one kills it. Must be called before any other thread
/// starts, so that all of them leave these signals to this one.
void stop_on_signal(std::stop_source& leaving) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals, &leaving] {
    int signal = 0;
    sigwait(&signals, &signal);
    leaving.request_stop();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    for (;;) pause();
  }).detach();
}

}  // namespace

int main(int argc, char** argv) {
  setenv("GRPC_VERBOSITY", "NONE", 0);  // the bot's own log says it all
  static std::stop_source leaving;
  stop_on_signal(leaving);

  Options options;
  CLI::App app("A Broadside bot that plays every variant.", "bot");
  declare(app, options);
  Exit exit = Exit::Usage;
  try {
    app.parse(argc, argv);
    exit = run(options, leaving.get_token());
  } catch (const CLI::ParseError& error) {
    if (app.exit(error) == 0) exit = Exit::Left;
  } catch (const UsageError& error) {
    std::cerr << "error: " << error.what() << std::endl;
  }
  std::cout.flush();
  // Leaves threads that still think where they are.
  std::quick_exit(static_cast<int>(exit));
}
