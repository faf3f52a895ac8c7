#include "platform/options/command_line.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cmath>

#include "models/common/core/nearest_word.hpp"
#include "platform/exit_status.hpp"

namespace rtvp::platform {
namespace {

namespace po = boost::program_options;
using Action = CommandLine::Action;

constexpr const char* kOwnOptions[] = {
    "help",     "version",  "stats-help", "json",        "set",
    "config",   "max-diff", "min-psnr",   "t-tolerance", "outline-tolerance",
    "scene",    "man",      "completion", "debug",       "execute",
    "commands", "dap",      "dump-node",  "gdb",         "checkpoint",
    "resume"};

po::options_description describeOptions(const OptionTable& table) {
  po::options_description all;
  auto add = all.add_options();
  const auto bare = [] { return po::value<std::string>()->zero_tokens(); };
  const auto valued = [] { return po::value<std::string>(); };
  add("help,h", bare(), "");
  add("version", bare(), "");
  add("stats-help", bare(), "");
  add("man", bare(), "");
  add("completion", valued(), "");
  add("json", bare(), "");
  add("set", valued(), "");
  add("config", valued(), "");
  add("max-diff", valued(), "");
  add("min-psnr", valued(), "");
  add("t-tolerance", valued(), "");
  add("outline-tolerance", valued(), "");
  add("scene", valued(), "");
  add("debug", bare(), "");
  add("execute,x", valued(), "");
  add("commands", valued(), "");
  add("dap", valued(), "");
  add("gdb", valued(), "");
  add("dump-node", valued(), "");
  add("checkpoint", valued(), "");
  add("resume", valued(), "");
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
  if (name == "man" || name == "completion") {
    command.action = Action::Form;
    command.form = name == "man" ? name : value;
    return;
  }
  if (name == "max-diff") {
    command.maxDiff = static_cast<int>(std::floor(parseBound(value, "max-diff", 0, 255)));
    return;
  }
  if (name == "min-psnr") return void(command.minPsnr = parseBound(value, "min-psnr", 0, 1000));
  if (name == "t-tolerance") {
    return void(command.tTolerance = parseBound(value, "t-tolerance", 0, 1));
  }
  if (name == "outline-tolerance") {
    return void(command.outlineTolerance = parseBound(value, "outline-tolerance", 0, 1));
  }
  if (name == "scene") return void(command.scene = value);
  if (name == "debug") return void(command.debug.wanted = true);
  if (name == "execute") return command.debug.execute.push_back(value);
  if (name == "commands") return void(command.debug.commands = value);
  if (name == "dap") return void(command.debug.dap = value);
  if (name == "gdb") return void(command.debug.gdb = value);
  if (name == "dump-node") return void(command.dumpNode = value);
  if (name == "checkpoint") return command.checkpoints.push_back(value);
  if (name == "resume") return void(command.resume = value);
  for (const OptionSpec& o : command.settings.table().all()) {
    if (!o.flag.empty() && o.flag == name) {
      return command.settings.set(o.key, o.flagValue.empty() ? value : o.flagValue, origin);
    }
    if (!o.flag2.empty() && o.flag2 == name) {
      return command.settings.set(o.key, o.flag2Value, origin);
    }
  }
}

void checkDump(const CommandLine& command) {
  if (command.dumpNode.empty()) return;
  if (command.action != Action::Run) {
    throw InputError(
        "--dump-node: belongs to a run: platform SCENE --dump-node board0.dsp3@batch=7 -o DIR");
  }
  if (command.debug.wanted || !command.debug.dap.empty() || !command.debug.gdb.empty()) {
    throw InputError("--dump-node: found a debugger beside it, expected a run without");
  }
}

void checkCheckpoints(const CommandLine& command) {
  if (command.checkpoints.empty() && command.resume.empty()) return;
  const std::string option = command.resume.empty() ? "--checkpoint" : "--resume";
  if (command.action != Action::Run) {
    throw InputError(option + ": belongs to a run: platform SCENE " + option +
                     (command.resume.empty() ? " FILE@TIME" : " FILE"));
  }
  if (command.debug.wanted || !command.debug.dap.empty() || !command.debug.gdb.empty()) {
    throw InputError(option +
                     ": found a debugger beside it, expected a run without (its stops lie between "
                     "the points at which nothing is under way)");
  }
  if (!command.dumpNode.empty()) {
    throw InputError(option + ": found --dump-node beside it, expected a run that goes to its end");
  }
}

void checkDebug(const CommandLine& command) {
  const DebugOptions& debug = command.debug;
  if (!debug.gdb.empty()) {
    if (command.action != Action::Run)
      throw InputError("--gdb: belongs to a run: platform SCENE --engine xphmg --gdb PORT");
    if (debug.wanted || !debug.dap.empty() || !debug.execute.empty() || !debug.commands.empty())
      throw InputError("--gdb: GDB says what to do, expected no --debug, --dap, -x or --commands");
  }
  const bool client = !debug.dap.empty();
  if ((debug.wanted || client) && command.action != Action::Run) {
    throw InputError(client ? "--dap: belongs to a run: platform SCENE --dap PORT"
                            : "--debug: belongs to a run: platform SCENE --debug [-x COMMANDS]");
  }
  if (client && (debug.wanted || !debug.execute.empty() || !debug.commands.empty())) {
    throw InputError("--dap: the client says what to do, expected no --debug, -x or --commands");
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
      {"scene-info", Action::SceneInfo, 1, "platform scene-info SCENE"},
      {"doctor", Action::Doctor, 0, "platform doctor [--json]"}};
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
  checkDump(command);
  checkCheckpoints(command);
}

}  // namespace

CommandLine parseCommandLine(const std::vector<std::string>& arguments, const OptionTable& table) {
  CommandLine command(table);
  command.text = "platform";
  for (const std::string& a : arguments) command.text += " " + a;
  if (arguments.empty()) {
    throw InputError(
        "found no scene, expected `platform SCENE [options]`, for instance `platform "
        "scenes/cornell.shk -o a.png`; `platform --help` lists all that it can do");
  }

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
                     std::string(common::nearestWord(std::string_view(name).substr(start), names)) +
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
             option.string_key == "stats-help" || command.action == Action::Form;
  }
  if (!action) takeWords(command, std::move(positional));
  return command;
}

}  // namespace rtvp::platform
