// See program.hpp.
#include "models/common/tool/program.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "models/common/core/version.hpp"

namespace rtvp::tool {
namespace {

po::options_description visibleOptions(const Program& program) {
  po::options_description visible("options");
  program.declare(visible);
  const bool taken = visible.find_nothrow("-h", false) != nullptr;
  visible.add_options()(taken ? "help" : "help,h", "print this and stop")(
      "version", "print the version and stop");
  return visible;
}

/// troff takes a dot or quote at a line's begin, and backslashes, as its own.
std::string troff(std::string_view text) {
  std::string out;
  bool begin = true;
  for (const char c : text) {
    if (begin && (c == '.' || c == '\'')) out += "\\&";
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    begin = c == '\n';
  }
  return out;
}

std::string upperCase(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

/// A page for man(1): the usage, the options, what --help says below them.
void printManual(const Program& program, const po::options_description& visible) {
  std::cout << ".TH " << troff(upperCase(program.name)) << " 1 \"\" \"" << common::version()
            << "\"\n.SH NAME\n"
            << troff(program.name) << " \\- tool of the ray-tracing platform\n"
            << ".SH SYNOPSIS\n.nf\n"
            << troff(program.usage) << ".fi\n.SH OPTIONS\n";
  for (const auto& option : visible.options()) {
    const std::string parameter = option->format_parameter();
    std::cout << ".TP\n\\fB" << troff(option->format_name()) << "\\fR"
              << (parameter.empty() ? "" : " " + troff(parameter)) << "\n"
              << troff(option->description()) << "\n";
  }
  if (!program.notes.empty()) std::cout << ".SH NOTES\n.nf\n" << troff(program.notes) << ".fi\n";
}

po::variables_map parse(const Program& program, const po::options_description& visible, int argc,
                        char** argv) {
  po::options_description all;
  all.add(visible);
  all.add_options()("man", "");
  po::positional_options_description positional;
  if (program.input != nullptr) {
    positional.add(program.input, program.inputs);
    if (visible.find_nothrow(program.input, false) == nullptr) {
      if (program.inputs == 1) {
        all.add_options()(program.input, po::value<std::string>());
      } else {
        all.add_options()(program.input, po::value<std::vector<std::string>>());
      }
    }
  }
  int style = po::command_line_style::default_style;
  if (!program.abbreviations) style &= ~po::command_line_style::allow_guessing;
  po::variables_map given;
  po::store(
      po::command_line_parser(argc, argv).options(all).positional(positional).style(style).run(),
      given);
  po::notify(given);
  return given;
}

int dispatch(const Program& program, int argc, char** argv) {
  const po::options_description visible = visibleOptions(program);
  const po::variables_map given = parse(program, visible, argc, argv);
  if (has(given, "help")) {
    std::cout << program.usage << visible << program.notes;
    return status::kDone;
  }
  if (has(given, "man")) {
    printManual(program, visible);
    return status::kDone;
  }
  if (has(given, "version")) {
    std::cout << program.name << ' ' << common::version() << '\n';
    return status::kDone;
  }
  try {
    return program.run(given);
  } catch (const ShowUsage&) {
    std::cerr << program.usage << visible;
    return status::kUsage;
  }
}

/// The exit status, after a report if there was an exception.
int guarded(const Program& program, int argc, char** argv) {
  std::string report;
  int status = status::kDone;
  try {
    return dispatch(program, argc, argv);
  } catch (const Failure& failure) {
    report = failure.text(program.name);
    status = failure.status();
  } catch (const po::error& error) {
    report =
        std::string(program.name) + ": error: " + error.what() + std::string(program.hint) + "\n";
    status = status::kUsage;
  } catch (const std::exception& error) {
    report = std::string(program.name) + ": internal error: " + error.what() + "\n";
    status = status::kInternal;
  }
  std::cout << std::flush;
  std::cerr << report;
  return status;
}

}  // namespace

int run(const Program& program, int argc, char** argv) {
  const int status = guarded(program, argc, argv);
  errno = 0;
  const bool streamed = static_cast<bool>(std::cout.flush());
  const bool printed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (streamed && printed) return status;
  const int error = errno;
  std::cerr << program.name << ": error: standard output cannot be written"
            << (error != 0 ? std::string(": ") + std::strerror(error) : std::string()) << '\n';
  return status::kInternal;
}

}  // namespace rtvp::tool
