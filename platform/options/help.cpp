// See help.hpp.
#include "platform/options/help.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <iomanip>
#include <ostream>
#include <string>

#include "platform/options/settings.hpp"

namespace rtvp::platform {
namespace {

constexpr const char* kSynopsis =
    "platform: renders real scenes on simulated ray-tracing hardware\n"
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
    "                                   --t-tolerance R: relative difference of t (1e-4);\n"
    "                                   --outline-tolerance F: excuses rays that pass an outline\n"
    "                                   nearer than F times the distance (0: none)\n"
    "  platform params [--json]         every parameter: type, unit, default, range\n"
    "  platform scene-info SCENE        counts, bounds, memory needed\n"
    "  platform map [SCENE] [--json]    address map, interrupt lines, masters of the "
    "computer\n"
    "  platform registers [NAME...]     registers of the machines; --format text|rdl|svd|json\n"
    "  platform doctor [--json]         what this computer has for it: instruction sets, cores, "
    "tools\n"
    "  platform --stats-help            what every figure in the statistics means\n"
    "\n"
    "SCENE is a .shk, .nff, .obj, .ply, .stl, .off, .gltf, .glb, .pbrt, .sdf or .vm file. A first\n"
    "picture, then the same on 64 DSPs, then the double-precision renderer and the difference:\n"
    "\n"
    "  platform scenes/cornell.shk --size 64x64 -o a.png\n"
    "  platform scenes/cornell.shk --size 64x64 --dsps 64 --stats a.json\n"
    "  platform scenes/cornell.shk --size 64x64 --engine reference -o b.png\n"
    "  platform compare a.png b.png --max-diff 2\n"
    "\n"
    "A mesh seen from above and behind, then by a camera of its own, as linear light:\n"
    "\n"
    "  platform scenes/bunny.obj --engine reference --look-from 0,1,-2 -o back.png\n"
    "  platform scenes/bunny.obj --engine reference --camera 0,1,3:0,0,0:40 -o light.exr\n";

constexpr const char* kNotes =
    "Exit status: 0 done; 1 comparison failed; 2 the input or the options are wrong; 3 "
    "firmware\n"
    "or model fault, with a report; 4 deadlock or limit reached; 70 internal error or an "
    "output\n"
    "that cannot be written.\n";

struct Verb {
  const char* word;
  const char* help;
};
constexpr Verb kVerbs[] = {
    {"run", "render a scene"},
    {"sweep", "one run for every combination of values"},
    {"machines", "every machine on one scene, side by side"},
    {"compare", "difference of two pictures or hit dumps"},
    {"params", "every parameter: type, unit, default, range"},
    {"scene-info", "counts, bounds, memory needed"},
    {"map", "address map, interrupt lines, masters of the computer"},
    {"registers", "registers of the machines, also as SystemRDL and CMSIS-SVD"},
    {"instructions", "text of a log that --instructions has written"},
    {"doctor", "what this computer has for it"},
};

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

/// What completion offers for a value.
std::vector<std::string> wordsOf(const OptionSpec& o) {
  if (o.type == OptionType::Flag) return {"on", "off"};
  std::vector<std::string> words;
  if (o.type != OptionType::Choice) return words;
  for (std::string_view left = o.choices; !left.empty();) {
    const std::size_t end = std::min(left.find('|'), left.size());
    words.emplace_back(left.substr(0, end));
    left.remove_prefix(std::min(left.size(), end + 1));
  }
  return words;
}

/// Options that are no parameters.
std::vector<common::CommandOption> ownOptions() {
  return {
      {.name = "set", .parameter = "key=value", .help = "any parameter by its dotted name"},
      {.name = "config", .parameter = "FILE.json", .help = "parameters from a file"},
      {.name = "json", .help = "params, map, doctor: as JSON"},
      {.name = "max-diff", .parameter = "N", .help = "compare: accepted difference"},
      {.name = "min-psnr", .parameter = "D", .help = "compare: least signal-to-noise, dB"},
      {.name = "t-tolerance", .parameter = "R", .help = "compare: difference of t"},
      {.name = "outline-tolerance",
       .parameter = "F",
       .help = "compare: how far turned a ray may be"},
      {.name = "scene", .parameter = "SCENE", .help = "compare: scene of two hit dumps"},
      {.name = "debug", .help = "a prompt on the simulated processors"},
      {.name = "execute", .letter = 'x', .parameter = "COMMANDS", .help = "commands for --debug"},
      {.name = "commands", .parameter = "FILE", .help = "commands for --debug, a line each"},
      {.name = "dap", .parameter = "PORT", .help = "serves an editor's debugger"},
      {.name = "gdb", .parameter = "PORT", .help = "serves GDB at the RV64 hart"},
      {.name = "dump-node",
       .parameter = "UNIT[@WHAT=N]",
       .help = "what a unit saw, as a folder (-o) for its own tool"},
      {.name = "checkpoint",
       .parameter = "FILE@TIME",
       .help = "keeps the state of the run at a simulated time"},
      {.name = "resume", .parameter = "FILE", .help = "goes on where a checkpoint was taken"},
      {.name = "stats-help", .help = "what every figure means"},
      {.name = "version", .help = "print the version and stop"},
      {.name = "help", .letter = 'h', .help = "print help and stop"}};
}

}  // namespace

void printHelp(std::ostream& out, const OptionTable& table) {
  out << kSynopsis
      << "\n"
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
  helpLine(out, "--dap PORT",
           "serves an editor's debugger (Debug Adapter Protocol): PORT or ADDRESS:PORT (loopback), "
           "0 any free one, - standard input and output; docs/debugger.md");
  helpLine(out, "--gdb PORT",
           "serves GDB (remote protocol) at the RV64 hart of --set xphmg.driver=hart: PORT or "
           "ADDRESS:PORT (loopback), 0 any free one");
  helpLine(
      out, "--dump-node UNIT[@WHAT=N]",
      "what a unit saw, as a folder (-o DIR) that its own tool runs alone: "
      "board0.dsp3@batch=7 for c32-run --node, theia@frame=0 for theia-run --frame, xphmg@job=0 "
      "for xphmg-run --job, sl@pixel=8,20 for sl-run --pixel, implicit@object=0 for sdf-tape "
      "--object; docs/debugger.md");
  helpLine(
      out, "--checkpoint FILE@TIME",
      "keeps the state of the run at a simulated time (half.ckpt@1.5ms; ps, ns, us, ms, s), at "
      "the first point from then on at which the machines are idle; may be repeated; "
      "docs/checkpoints.md");
  helpLine(out, "--resume FILE", "the same run, from a checkpoint on");
  helpLine(out, "--version, --help", "");
  out << "\n" << kNotes;
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

common::CommandForm commandForm(const OptionTable& table) {
  common::CommandForm form{.program = "platform",
                           .summary = "renders scenes on simulated ray-tracing hardware",
                           .synopsis = kSynopsis,
                           .notes = kNotes};
  for (const Verb& verb : kVerbs) form.verbs.push_back({verb.word, verb.help});
  for (const OptionSpec& o : table.all()) {
    const std::vector<std::string> values = wordsOf(o);
    form.keys.push_back({std::string(o.key), values, std::string(o.help)});
    if (o.flag.empty()) continue;
    const bool bare = !o.flagValue.empty();
    form.options.push_back(
        {.name = std::string(o.flag),
         .letter = o.letter,
         .parameter = bare ? "" : metavar(o),
         .values = bare ? std::vector<std::string>() : values,
         .help = (o.flagValue == "off" ? "without " : "") + std::string(o.help)});
    if (!o.flag2.empty()) {
      form.options.push_back({.name = std::string(o.flag2), .help = std::string(o.help)});
    }
  }
  for (common::CommandOption& own : ownOptions()) form.options.push_back(std::move(own));
  return form;
}

}  // namespace rtvp::platform
