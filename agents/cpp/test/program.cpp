#include "program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

Program::Program(const std::vector<std::string>& options, const std::string& token) {
  std::array<int, 2> out{}, err{};
  EXPECT_EQ(pipe2(out.data(), O_CLOEXEC), 0);
  EXPECT_EQ(pipe2(err.data(), O_CLOEXEC), 0);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err[1], STDERR_FILENO);

  std::vector<std::string> words = {BOT};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  std::string setting = "BROADSIDE_TOKEN=" + token;
  std::vector<char*> environment = {setting.data()};
  for (char** variable = environ; *variable; ++variable) {
    if (std::strncmp(*variable, "BROADSIDE_TOKEN=", std::strlen("BROADSIDE_TOKEN=")) != 0) {
      environment.push_back(*variable);
    }
  }
  environment.push_back(nullptr);

  EXPECT_EQ(posix_spawn(&pid_, BOT, &files, nullptr, arguments.data(), environment.data()), 0);
  posix_spawn_file_actions_destroy(&files);
  close(out[1]);
  close(err[1]);
  out_ = fdopen(out[0], "r");
  err_ = fdopen(err[0], "r");
}

Program::~Program() {
  if (!over_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  fclose(out_);
  fclose(err_);
}

void Program::signal(int number) const { kill(pid_, number); }

bool Program::read_line(FILE* from, std::string& to) {
  std::array<char, 4096> text{};
  if (!fgets(text.data(), text.size(), from)) return false;
  to += text.data();
  return true;
}

void Program::logs(const std::string& words) {
  while (log.find(words) == std::string::npos) {
    if (!read_line(err_, log)) {
      FAIL() << "it never said " << words << ": " << log;
    }
  }
}

std::string Program::address() {
  const std::string begin = "serving on ";
  EXPECT_TRUE(read_line(out_, output));
  EXPECT_EQ(output.rfind(begin + "127.0.0.1:", 0), 0U) << output;
  return output.substr(begin.size(), output.find('\n') - begin.size());
}

int Program::over() {
  while (read_line(err_, log)) {
  }
  while (read_line(out_, output)) {
  }
  int status = 0;
  EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
  over_ = true;
  EXPECT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  return WEXITSTATUS(status);
}
