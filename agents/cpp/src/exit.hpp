#pragma once

#include <stdexcept>

/// How the program ends.
enum class Exit {
  Left = 0,       ///< It was told to leave.
  Refused = 1,    ///< The arena refused it for good, or its address is taken.
  Usage = 2,      ///< Its command line is wrong.
  TakenOver = 3,  ///< Another bot took its name over.
};

/// Wrong usage: the message is for who started the program.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
