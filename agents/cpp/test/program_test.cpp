#include "program.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "bot.hpp"
#include "certificate.hpp"

namespace v1 = broadside::v1;

TEST(Program, GivesItsOptionsToTheHelloAndEndsInOrderOnASignal) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const FakeArena arena({[](Line& line) {
      const v1::Hello hello = line.welcome("token-1");
      EXPECT_EQ(hello.profile().name(), "mine");
      EXPECT_EQ(hello.profile().max_matches(), 2U);
      EXPECT_EQ(line.authorization(), "Bearer secret");
      EXPECT_TRUE(line.ended_in_order());
      return grpc::Status::OK;
    }});
    Program bot({"--connect", "http://" + arena.address(), "--name", "mine", "--matches", "2", "--seed", "1"},
                " secret\n");
    bot.logs(" INFO connected to " + arena.address() + " as mine, resumed: false\n");
    bot.signal(signal);
    EXPECT_EQ(bot.over(), 0) << bot.log;
    EXPECT_TRUE(bot.log.ends_with(" INFO leaving\n")) << bot.log;
  }
}

TEST(Program, SaysInOneLineThatItIsRefused) {
  const FakeArena arena({[](Line& line) {
    line.hello();
    return grpc::Status(grpc::INVALID_ARGUMENT, "because");
  }});
  Program bot({"--connect", arena.address()});
  EXPECT_EQ(bot.over(), 1);
  EXPECT_TRUE(bot.log.ends_with(" ERROR refused by the arena at " + arena.address() + ": INVALID_ARGUMENT: because\n"));
  EXPECT_EQ(bot.log.find('\n'), bot.log.size() - 1) << bot.log;
}

TEST(Program, DoesNotComeBackWhenItsNameIsTakenOver) {
  const FakeArena arena({takes_over});
  Program bot({"--connect", arena.address()});
  EXPECT_EQ(bot.over(), 3);
}

TEST(Program, TrustsAnArenaWithTlsByItsAuthorityAlone) {
  const Certificate certificate;
  grpc::SslServerCredentialsOptions options;
  options.pem_key_cert_pairs.push_back(
      {Certificate::text_of(certificate.key_file()), Certificate::text_of(certificate.file())});
  const FakeArena arena({takes_over}, 0, grpc::SslServerCredentials(options));
  Program stranger({"--connect", "https://" + arena.address()});
  stranger.logs("dialling again");
  EXPECT_NE(stranger.log.find("UNAVAILABLE"), std::string::npos) << stranger.log;
  Program friendly({"--connect", "https://" + arena.address(), "--ca", certificate.file()});
  EXPECT_EQ(friendly.over(), 3) << friendly.log;
}

TEST(Program, TellsARefusalAndWhy) {
  const FakeArena arena({[](Line& line) {
    line.welcome("token-1");
    v1::Turn turn = turns::turn_of("classic", {});
    turn.mutable_refusal()->set_message("A1 was fired at before");
    line.ask(turn);
    line.answer();
    line.end_session(v1::SESSION_END_REASON_TAKEN_OVER);
    return grpc::Status::OK;
  }});
  Program bot({"--connect", arena.address()});
  EXPECT_EQ(bot.over(), 3);
  EXPECT_NE(bot.log.find("WARN match 9007199254740991: move refused: A1 was fired at before\n"), std::string::npos);
}

TEST(Program, TellsWrongUsage) {
  const Certificate certificate;
  const Certificate other;
  const std::string cert = certificate.file();
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"--matches", "0"}, "--matches: Value 0 not in range 1 to 4294967295"},
      {{"--seed", "x"}, "--seed = x"},
      {{"--connect", "a:1", "--serve", "b:2"}, "--connect excludes --serve"},
      {{"--connect", "somewhere"}, "--connect somewhere: no address; it must be HOST:PORT"},
      {{"--connect", "a:65536"}, "--connect a:65536: no address"},
      {{"--connect", "a:1", "--ca", cert}, "--ca needs an https:// address"},
      {{"--connect", "https://a:1", "--ca", "/nowhere"}, "--ca /nowhere: it cannot be read"},
      {{"--connect", "https://a:1", "--ca", "/dev/null"}, "--ca /dev/null: no certificate in PEM"},
      {{"--serve", "a:1", "--tls-cert", cert}, "--tls-cert requires --tls-key"},
      {{"--serve", "a:1", "--tls-cert", cert, "--tls-key", cert},
       "not the private key, in PEM, of the certificate in " + cert},
      {{"--serve", "a:1", "--tls-cert", cert, "--tls-key", other.key_file()}, "key values mismatch"},
      {{"--serve", "a:1", "--tls-cert", "/dev/null", "--tls-key", cert}, "--tls-cert /dev/null: no certificate in PEM"},
      {{"--tls-cert", cert, "--tls-key", certificate.key_file()}, "requires --serve"},
      {{"what"}, "not expected: what"},
      {{"--what"}, "not expected: --what"},
  };
  for (const auto& [options, complaint] : cases) {
    Program bot(options);
    EXPECT_EQ(bot.over(), 2) << complaint;
    EXPECT_NE(bot.log.find(complaint), std::string::npos) << bot.log << " is not: " << complaint;
  }
}

TEST(Program, HelpTellsTheOptions) {
  Program bot({"--help"});
  EXPECT_EQ(bot.over(), 0);
  for (const char* word : {"--connect", "--ca", "--serve", "--tls-cert", "--tls-key", "--name", "--matches", "--seed",
                           "127.0.0.1:4600", "BROADSIDE_TOKEN"}) {
    EXPECT_NE(bot.output.find(word), std::string::npos) << word;
  }
}
