// See program.hpp.
#include "models/common/tool/program.hpp"

#include <iostream>

#include "models/common/core/process.hpp"
#include "models/common/core/version.hpp"
#include "models/common/tool/files.hpp"

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

std::vector<std::string> wordsOf(const po::variables_map& given, const char* option) {
  if (!has(given, option)) return {};
  const boost::any& value = given[option].value();
  if (const auto* const one = boost::any_cast<std::string>(&value)) return {*one};
  const auto* const several = boost::any_cast<std::vector<std::string>>(&value);
  return several != nullptr ? *several : std::vector<std::string>();
}

void checkFiles(const Program& program, const po::variables_map& given) {
  std::vector<std::string> taken;
  const auto take = [&](const char* option) {
    for (std::string& word : wordsOf(given, option)) taken.push_back(std::move(word));
  };
  if (program.input != nullptr) take(program.input);
  for (const char* const option : program.reads) take(option);
  for (const char* const option : program.writes) {
    for (const std::string& word : wordsOf(given, option)) requireWritable(word, taken);
    take(option);
  }
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
  checkFiles(program, given);
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
    // Of standard output that takes no more run() tells.
    if (std::cout) report = std::string(program.name) + ": internal error: " + error.what() + "\n";
    status = status::kInternal;
  }
  std::cout.exceptions(std::ios_base::goodbit);
  std::cout << std::flush;
  std::cerr << report;
  return status;
}

}  // namespace

int run(const Program& program, int argc, char** argv) {
  common::prepareStreams();
  std::cout.exceptions(std::ios_base::badbit);  // nobody works on for a reader who has gone
  const int status = guarded(program, argc, argv);
  std::cout.exceptions(std::ios_base::goodbit);
  const auto fault = common::flushStandardOutput();
  if (!fault) return status;
  std::cerr << program.name << ": error: " << *fault << '\n';
  return status::kInternal;
}

}  // namespace rtvp::tool
