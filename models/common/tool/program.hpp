// The part of a tool that is the same in all: options, --help and --version, reports and exit
// status, and whether what went to standard output arrived.
#pragma once

#include <boost/program_options.hpp>
#include <concepts>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/common/tool/failure.hpp"

namespace rtvp::tool {

namespace po = boost::program_options;

/// A tool; each main() has one.
struct Program {
  static constexpr int kAnyNumber = -1;

  std::string_view name;  ///< as it is called
  /// One line: no capital, no full stop.
  std::string_view summary = "tool of the ray-tracing platform";
  std::string_view usage;  ///< first lines of --help, above the options
  void (*declare)(po::options_description& options);
  /// Does the work and returns the exit status.
  int (*run)(const po::variables_map& given);
  /// The option that arguments without a name go to. If `declare` has none of that name it is left
  /// out of --help and holds a std::string, or a vector of them if there may be several.
  const char* input = nullptr;
  int inputs = 1;               ///< at most so many, or kAnyNumber
  std::string_view notes = {};  ///< last lines of --help
  std::string_view hint = {};   ///< behind messages about the command line
  bool abbreviations = true;    ///< --opt for --option
  /// Options that name files to write, and those beside `input` that name files to read: run()
  /// refuses an output that is an input or another output, or that cannot be opened, before the
  /// work begins.
  std::vector<const char*> writes = {}, reads = {};
};

/// main() of a tool. Adds -h, --help (--help alone if the tool has another -h) and --version, and
/// --man and --completion bash|zsh, which --help does not list: a manual page and completion for
/// shells, made of the same options.
/// Failure, wrong options and any other exception become a report on standard error and a status.
/// Standard output that could not be written completely is an error, status 70, and so is a pipe
/// that its reader closed; the work ends there.
int run(const Program& program, int argc, char** argv);

/// Thrown by Program::run: the command line lacks what the tool works on. The help goes to standard
/// error, status 2.
struct ShowUsage {};

[[nodiscard]] inline bool has(const po::variables_map& given, const char* option) {
  return given.count(option) != 0;
}
/// A text option, "" if it was not given.
[[nodiscard]] inline std::string textOf(const po::variables_map& given, const char* option) {
  return has(given, option) ? given[option].as<std::string>() : std::string();
}
/// An option that may be repeated.
[[nodiscard]] inline std::vector<std::string> listOf(const po::variables_map& given,
                                                     const char* option) {
  return has(given, option) ? given[option].as<std::vector<std::string>>()
                            : std::vector<std::string>();
}

/// Runs `work`; an exception of type Error is a Failure with its message and this status.
template <class Error>
auto refusing(int status, const auto& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Failure(error.what(), status);
  }
}

}  // namespace rtvp::tool
