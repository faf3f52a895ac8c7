// See program.hpp.
#include "models/common/tool/program.hpp"

#include <iostream>

#include "models/common/core/command_form.hpp"
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

/// The command line as data, for what --completion and --man print.
common::CommandForm formOf(const Program& program, const po::options_description& visible) {
  common::CommandForm form{.program = std::string(program.name),
                           .summary = std::string(program.summary),
                           .synopsis = std::string(program.usage),
                           .notes = std::string(program.notes)};
  for (const auto& option : visible.options()) {
    common::CommandOption row{.name = option->long_name(),
                              .parameter = option->format_parameter(),
                              .help = option->description()};
    const std::string letter =
        option->canonical_display_name(po::command_line_style::allow_dash_for_short);
    if (letter.size() == 2 && letter[1] != '-') row.letter = letter[1];
    if (row.name.empty()) row.name = std::string(1, std::exchange(row.letter, 0));
    form.options.push_back(row);
  }
  return form;
}

po::variables_map parse(const Program& program, const po::options_description& visible, int argc,
                        char** argv) {
  po::options_description all;
  all.add(visible);
  all.add_options()("man", "")("completion", po::value<std::string>());
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
  if (has(given, "man") || has(given, "completion")) {
    const std::string what = has(given, "man") ? "man" : textOf(given, "completion");
    if (common::writeForm(std::cout, formOf(program, visible), what)) return status::kDone;
    throw po::error("--completion: found '" + what + "', expected bash or zsh");
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
