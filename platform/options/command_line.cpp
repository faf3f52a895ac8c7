#include "platform/options/command_line.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <cmath>
#include <iomanip>
#include <ostream>

#include "platform/exit_status.hpp"

namespace rtvp::platform {
namespace {

namespace po = boost::program_options;
using Action = CommandLine::Action;

constexpr const char* kOwnOptions[] = {"help",   "version",  "stats-help", "json",        "set",
                                       "config", "max-diff", "min-psnr",   "t-tolerance", "scene",
                                       "debug",  "execute",  "commands"};

po::options_description describeOptions(const OptionTable& table) {
  po::options_description all;
  auto add = all.add_options();
  const auto bare = [] { return po::value<std::string>()->zero_tokens(); };
  const auto valued = [] { return po::value<std::string>(); };
  add("help,h", bare(), "");
  add("version", bare(), "");
  add("stats-help", bare(), "");
  add("json", bare(), "");
  add("set", valued(), "");
  add("config", valued(), "");
  add("max-diff", valued(), "");
  add("min-psnr", valued(), "");
  add("t-tolerance", valued(), "");
  add("scene", valued(), "");
  add("debug", bare(), "");
  add("execute,x", valued(), "");
  add("commands", valued(), "");
  for (const OptionSpec& o : table.all()) {
    if (o.flag.empty()) continue;
    std::string name(o.flag);
    if (o.letter != 0) name += std::string(",") + o.letter;
    add(name.c_str(), o.flagValue.empty() ? valued() : bare(), "");
    if (!o.flag2.empty()) add(std::string(o.flag2).c_str(), bare(), "");
  }
  add("words", po::value<std::vector<std::string>>(), "");
  return all;
}

std::vector<std::string_view> optionNames(const OptionTable& table) {
  std::vector<std::string_view> names(std::begin(kOwnOptions), std::end(kOwnOptions));
  for (const OptionSpec& o : table.all()) {
    if (!o.flag.empty()) names.push_back(o.flag);
    if (!o.flag2.empty()) names.push_back(o.flag2);
  }
  return names;
}

double parseBound(const std::string& text, const char* option, double lo, double hi) {
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != text.size() || text.empty() || !(value >= lo && value <= hi)) {
    throw InputError("--" + std::string(option) + ": found '" + text + "', expected a number " +
                     std::to_string(static_cast<int>(lo)) + ".." +
                     std::to_string(static_cast<int>(hi)));
  }
  return value;
}

// One parsed option, in the order typed, so that the later one wins.
void apply(CommandLine& command, const std::string& name, const std::string& value) {
  const std::string origin = "--" + name;
  if (name == "set") return command.settings.assign(value, origin);
  if (name == "config") {
    command.configs.push_back(value);
    if (auto run = loadRecordedRun(value, command.settings)) {
      command.again = std::move(run);
    } else {
      command.settings.load(value);
    }
    return;
  }
  if (name == "json") return void(command.json = true);
  if (name == "help") return void(command.action = Action::Help);
  if (name == "version") return void(command.action = Action::Version);
  if (name == "stats-help") return void(command.action = Action::StatsHelp);
  if (name == "max-diff") {
    command.maxDiff = static_cast<int>(std::floor(parseBound(value, "max-diff", 0, 255)));
    return;
  }
  if (name == "min-psnr") return void(command.minPsnr = parseBound(value, "min-psnr", 0, 1000));
  if (name == "t-tolerance") {
    return void(command.tTolerance = parseBound(value, "t-tolerance", 0, 1));
  }
  if (name == "scene") return void(command.scene = value);
  if (name == "debug") return void(command.debug.wanted = true);
  if (name == "execute") return command.debug.execute.push_back(value);
  if (name == "commands") return void(command.debug.commands = value);
  for (const OptionSpec& o : command.settings.table().all()) {
    if (!o.flag.empty() && o.flag == name) {
      return command.settings.set(o.key, o.flagValue.empty() ? value : o.flagValue, origin);
    }
    if (!o.flag2.empty() && o.flag2 == name) {
      return command.settings.set(o.key, o.flag2Value, origin);
    }
  }
}

void checkDebug(const CommandLine& command) {
  const DebugOptions& debug = command.debug;
  if (debug.wanted && command.action != Action::Run) {
    throw InputError("--debug: belongs to a run: platform SCENE --debug [-x COMMANDS]");
  }
  if (debug.wanted || (debug.execute.empty() && debug.commands.empty())) return;
  throw InputError(std::string(debug.execute.empty() ? "--commands" : "-x") +
                   ": commands are the debugger's, expected --debug beside it");
}

void takeWords(CommandLine& command, std::vector<std::string> words) {
  struct Verb {
    const char* word;
    Action action;
    std::size_t files;
    const char* usage;
    std::size_t more = 0;  ///< further files that may be there
  };
  static constexpr Verb kVerbs[] = {
      {"run", Action::Run, 1, "platform run SCENE [options]"},
      {"compare", Action::Compare, 2, "platform compare A B [--scene SCENE]"},
      {"params", Action::Params, 0, "platform params [--json]"},
      {"map", Action::Map, 0, "platform map [SCENE] [--json]", 1},
      {"scene-info", Action::SceneInfo, 1, "platform scene-info SCENE"}};
  const Verb* verb = &kVerbs[0];
  if (!words.empty()) {
    for (const Verb& v : kVerbs) {
      if (words.front() != v.word) continue;
      verb = &v;
      words.erase(words.begin());
      break;
    }
  }
  if (words.empty() && verb->action == CommandLine::Action::Run && command.again) {
    words.push_back(command.again->scene);
  }
  if (words.size() < verb->files || words.size() > verb->files + verb->more) {
    throw InputError("found " + std::to_string(words.size()) + " file names, expected " +
                     std::to_string(verb->files) +
                     (verb->more == 0 ? "" : " to " + std::to_string(verb->files + verb->more)) +
                     ": " + verb->usage + " (`platform --help`)");
  }
  if (!command.scene.empty() && verb->action != Action::Compare) {
    throw InputError("--scene: belongs to `platform compare`; a scene to render stands alone");
  }
  command.action = verb->action;
  command.files = std::move(words);
  checkDebug(command);
}

std::string defaultText(const OptionSpec& o) {
  return o.fallback.empty() ? "none" : std::string(o.fallback);
}

std::string metavar(const OptionSpec& o) {
  switch (o.type) {
    case OptionType::Integer:
      return "N";
    case OptionType::Number:
      return "X";
    case OptionType::Choice:
      return std::string(o.choices);
    case OptionType::Path:
      return "FILE";
    case OptionType::Text:
      return "TEXT";
    case OptionType::Size:
      return "WxH";
    case OptionType::Crop:
      return "x,y,w,h";
    case OptionType::Names:
      return "A,B,...";
    case OptionType::Flag:
      return "on|off";
  }
  return {};
}

void helpLine(std::ostream& out, const std::string& left, std::string_view right) {
  out << "  " << std::left << std::setw(28) << left;
  if (left.size() >= 28) out << "\n" << std::string(30, ' ');
  out << right << "\n";
}

}  // namespace

CommandLine parseCommandLine(const std::vector<std::string>& arguments, const OptionTable& table) {
  CommandLine command(table);
  command.text = "platform";
  for (const std::string& a : arguments) command.text += " " + a;
  if (arguments.empty()) return command;

  const po::options_description all = describeOptions(table);
  po::positional_options_description words;
  words.add("words", -1);
  std::vector<po::basic_option<char>> parsed;
  try {
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    parsed = po::command_line_parser(arguments)
                 .options(all)
                 .positional(words)
                 .style(style)
                 .run()
                 .options;
  } catch (const po::unknown_option& e) {
    const std::string name = e.get_option_name();
    const std::vector<std::string_view> names = optionNames(table);
    const std::size_t start = std::min(name.find_first_not_of('-'), name.size());
    throw InputError("unknown option '" + name + "', the nearest is '--" +
                     std::string(nearestWord(std::string_view(name).substr(start), names)) +
                     "' (`platform --help` lists all)");
  } catch (const po::error& e) {
    throw InputError(std::string(e.what()) + " (`platform --help` lists all)");
  }

  std::vector<std::string> positional;
  bool action = false;
  for (const auto& option : parsed) {
    if (option.string_key == "words") {
      positional.insert(positional.end(), option.value.begin(), option.value.end());
      continue;
    }
    apply(command, option.string_key, option.value.empty() ? std::string() : option.value.front());
    action = action || option.string_key == "help" || option.string_key == "version" ||
             option.string_key == "stats-help";
  }
  if (!action) takeWords(command, std::move(positional));
  return command;
}

void printHelp(std::ostream& out, const OptionTable& table) {
  out << "platform: renders real scenes on simulated ray-tracing hardware\n"
         "\n"
         "  platform SCENE [options]         render (the same as `platform run SCENE`)\n"
         "  platform sweep SPEC|SCENE ...    one run for every combination of values; `platform "
         "sweep --help`\n"
         "  platform --worker                points of sweeps as lines of JSON; `platform --worker "
         "--help`\n"
         "  platform machines SCENE ...      every machine on one scene, side by side; `platform "
         "machines --help`\n"
         "  platform compare A B             difference of two images; --max-diff N, --min-psnr D\n"
         "  platform compare A.csv B.csv --scene SCENE [--size WxH]\n"
         "                                   difference of two hit dumps, by the acceptance rule;\n"
         "                                   --t-tolerance R: relative difference of t (1e-4)\n"
         "  platform params [--json]         every parameter: type, unit, default, range\n"
         "  platform scene-info SCENE        counts, bounds, memory needed\n"
         "  platform map [SCENE] [--json]    address map, interrupt lines, masters of the "
         "computer\n"
         "  platform --stats-help            what every figure in the statistics means\n"
         "\n"
         "SCENE is a .shk, .nff or .obj file. A first picture, then the same on 64 DSPs, then the\n"
         "double-precision renderer and the difference:\n"
         "\n"
         "  platform scenes/cornell.shk --size 64x64 -o a.png\n"
         "  platform scenes/cornell.shk --size 64x64 --dsps 64 --stats a.json\n"
         "  platform scenes/cornell.shk --size 64x64 --engine reference -o b.png\n"
         "  platform compare a.png b.png --max-diff 2\n"
         "\n"
         "Options (each is a short name of a parameter; the default is in brackets):\n";
  for (const OptionSpec& o : table.all()) {
    if (o.flag.empty()) continue;
    std::string left = o.letter != 0 ? std::string("-") + o.letter + ", --" : std::string("--");
    left += o.flag;
    if (!o.flagValue.empty()) {
      if (!o.flag2.empty()) left += ", --" + std::string(o.flag2);
      helpLine(out, left, (o.flagValue == "off" ? "without " : "") + std::string(o.help));
      continue;
    }
    left += " " + metavar(o);
    helpLine(out, left,
             std::string(o.help) + (o.fallback.empty() ? "" : " [" + defaultText(o) + "]"));
  }
  helpLine(out, "--set key=value", "any parameter by its dotted name, e.g. tigershark.vote=off");
  helpLine(out, "--config FILE.json", "parameters from a file; of several settings the later wins");
  helpLine(out, "--config STATS.json", "makes the run again that wrote it, of the same files only");
  helpLine(out, "--debug", "a prompt on the simulated processors, docs/debugger.md");
  helpLine(out, "-x, --execute COMMANDS",
           "with --debug: these first, \"break record; run; regs\"; may be repeated");
  helpLine(out, "--commands FILE", "with --debug: commands, a line each, before those of -x");
  helpLine(out, "--version, --help", "");
  out << "\n"
         "Exit status: 0 done; 1 comparison failed; 2 the input or the options are wrong; 3 "
         "firmware\n"
         "or model fault, with a report; 4 deadlock or limit reached; 70 internal error or an "
         "output\n"
         "that cannot be written.\n";
}

void printParams(std::ostream& out, bool json, const OptionTable& table) {
  if (!json) {
    for (const OptionSpec& o : table.all()) {
      out << std::left << std::setw(26) << o.key << " " << std::setw(6) << typeName(o.type) << " "
          << std::setw(16) << (o.unit.empty() ? "-" : std::string(o.unit)) << " " << std::setw(12)
          << defaultText(o) << " " << acceptedValues(o) << "\n"
          << std::string(27, ' ') << o.help << "\n";
    }
    return;
  }
  boost::json::array rows;
  const Settings defaults(table);
  boost::json::object values = defaults.effective(false);
  for (auto& [key, value] : defaults.effective(true)) values.emplace(key, value);
  for (const OptionSpec& o : table.all()) {
    const std::string key(o.key);
    boost::json::object row{{"key", key},
                            {"type", std::string(typeName(o.type))},
                            {"unit", std::string(o.unit)},
                            {"default", values.at(key)},
                            {"range", acceptedValues(o)},
                            {"help", std::string(o.help)},
                            {"host", o.host}};
    if (o.type == OptionType::Integer || o.type == OptionType::Number) {
      row.emplace("min", o.lo);
      row.emplace("max", o.hi);
    }
    if (!o.flag.empty()) row.emplace("option", "--" + std::string(o.flag));
    rows.push_back(std::move(row));
  }
  out << boost::json::serialize(rows) << "\n";
}

}  // namespace rtvp::platform
