// C input and output of programs that TI's runtime library serves: the program puts a request into
// the buffer __CIOBUF_ and comes to the place C$$IO$$, where a debugger answers it. Layout: that
// library's message routines (release 5.11: trgmsg, trgcio.h): words of length and command, then
// eight parameter bytes and the data as one stream of bytes, four a word, the lowest first. Host
// work takes no cycles.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/c32/debug/machine.hpp"

namespace rtvp::c32 {

class CInputOutput {
 public:
  /// Console: what goes to files 0 to 2.
  struct Console {
    std::function<int()> input;        ///< next character, -1 at the end
    std::function<void(char)> output;  ///< standard output
    std::function<void(char)> errors;  ///< standard error
  };

  CInputOutput(Machine& machine, const Image& image, Console console);
  ~CInputOutput();
  CInputOutput(const CInputOutput&) = delete;
  CInputOutput& operator=(const CInputOutput&) = delete;

  /// Where the program asks; empty: it does not use the library's files.
  std::optional<std::uint32_t> place() const { return place_; }
  /// Where the library ends a program (C$$EXIT).
  std::optional<std::uint32_t> exitPlace() const { return exit_; }
  /// Answers the request in the buffer. An unknown one is answered with -1.
  void serve();

 private:
  struct Request {
    unsigned command = 0;
    std::array<std::uint8_t, 8> parameters{};
    std::string data;
  };
  struct Answer {
    std::array<std::uint8_t, 8> parameters{};
    std::string data;
  };

  Request take() const;
  void give(const Answer& answer);
  int open(const std::string& path, unsigned flags);
  int close(unsigned file);
  int read(unsigned file, unsigned count, std::string& data);
  int write(unsigned file, const std::string& data);
  std::int32_t seek(unsigned file, std::int32_t offset, unsigned from);

  Machine& machine_;
  Console console_;
  std::optional<std::uint32_t> place_, exit_;
  std::uint32_t buffer_ = 0;
  std::map<unsigned, std::FILE*> files_;
};

/// Words of `argc`, `argv` and the strings as a program linked with room for them finds them at its
/// symbol __c_args__: argc, addresses, 0, characters a word each. False if there is no such symbol.
bool storeArguments(Machine& machine, const Image& image,
                    const std::vector<std::string>& arguments);

}  // namespace rtvp::c32
