#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <vector>

/// The bot as it is started.
class Program {
 public:
  explicit Program(const std::vector<std::string>& options, const std::string& token = "");
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  void signal(int number) const;
  /// Reads the log until a line has these words; fails the test if the program ends before.
  void logs(const std::string& words);
  /// Where the bot says that it serves.
  std::string address();
  /// Reads everything to the end; the exit status.
  int over();

  std::string output;
  std::string log;

 private:
  bool read_line(FILE* from, std::string& to);

  pid_t pid_ = 0;
  bool over_ = false;
  FILE* out_ = nullptr;
  FILE* err_ = nullptr;
};
