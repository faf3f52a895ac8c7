// The option table, configuration files and the command line: what is accepted, and how errors
// read.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

#include "models/common/pci_params.hpp"
#include "models/implicit/params.hpp"
#include "models/sl/params.hpp"
#include "models/theia/params.hpp"
#include "models/tigershark/cpu_params.hpp"
#include "models/tigershark/params.hpp"
#include "models/xphmg/params.hpp"
#include "platform/exit_status.hpp"
#include "platform/machines/implicit_params.hpp"
#include "platform/machines/sl_params.hpp"
#include "platform/machines/theia_params.hpp"
#include "platform/machines/xphmg_params.hpp"
#include "platform/options/built_in_options.hpp"
#include "platform/options/command_line.hpp"
#include "platform/options/help.hpp"
#include "platform/options/json_config.hpp"
#include "platform/options/run_params.hpp"
#include "tests/support/paths.hpp"

extern "C" int sc_main(int, char**) {
  return 0;
}

namespace rtvp::platform {
namespace {

std::string messageOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& e) {
    return e.what();
  }
  return "(no InputError)";
}

const OptionTable& builtIn() {
  static const OptionTable built = builtInOptions();
  return built;
}

CommandLine parsed(const std::vector<std::string>& arguments) {
  return parseCommandLine(arguments, builtIn());
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(OptionTable, KeysAndFlagsAreUnique) {
  std::set<std::string_view> keys;
  std::set<std::string_view> flags;
  for (const OptionSpec& o : builtIn().all()) {
    EXPECT_TRUE(keys.insert(o.key).second) << o.key;
    if (!o.flag.empty()) {
      EXPECT_TRUE(flags.insert(o.flag).second) << o.flag;
    }
    EXPECT_FALSE(o.help.empty()) << o.key;
    EXPECT_EQ(builtIn().find(o.key), &o);
  }
}

TEST(OptionTable, DefaultsAreInsideTheirRanges) {
  EXPECT_NO_THROW(Settings{builtIn()});
}

// A machine of one's own.
struct AbacusConfig {
  int beads = 10;
  double friction = 0.25;
  std::string wood;
};

TEST(OptionTable, OwnsTheTextsOfParametersComposedAtRunTime) {
  OptionTable own;
  {
    const std::string key = "abacus.beads_of_every_wire";
    const std::string help = "beads on every one of the wires, as many as the maker saw fit";
    const common::Param row = common::param<&AbacusConfig::beads>(key, {}, {1, 20}, help);
    own.add({&row, 1});
  }
  const OptionTable moved = std::move(own);
  Settings s(moved);
  EXPECT_EQ(s.integer("abacus.beads_of_every_wire"), 10);
  s.set("abacus.beads_of_every_wire", "12", "x");
  EXPECT_EQ(moved.nearest("beads_of_any_wire"), "abacus.beads_of_every_wire");
  EXPECT_EQ(moved.all().front().help,
            "beads on every one of the wires, as many as the maker saw fit");
  EXPECT_EQ(boost::json::serialize(s.effective(false)), R"({"abacus.beads_of_every_wire":12})");
}

TEST(OptionTable, AParameterIsListedWhereItSays) {
  const std::array first{common::param<&AbacusConfig::beads>("a.one", {}, {0, 20}, "x"),
                         common::param<&AbacusConfig::beads>("a.two", {}, {0, 20}, "x")};
  const std::array second{
      common::param<&AbacusConfig::beads>("a.zero", {}, {0, 20}, "x").listedBefore("a.one"),
      common::param<&AbacusConfig::beads>("a.half", {}, {0, 20}, "x"),
      common::param<&AbacusConfig::beads>("a.more", {}, {0, 20}, "x").listedAfter("a.one"),
  };
  OptionTable own;
  own.add(first);
  own.add(second);
  std::string order;
  for (const OptionSpec& o : own.all()) {
    order += std::string(o.key) + " ";
    EXPECT_EQ(own.find(o.key), &o);
  }
  EXPECT_EQ(order, "a.zero a.half a.one a.more a.two ");
}

TEST(Settings, AStructIsReadByItsType) {
  const std::array rows{
      common::param<&AbacusConfig::beads>("abacus.beads", {}, {1, 20}, "x"),
      common::param<&AbacusConfig::friction>("abacus.friction", {}, {0, 1}, "x"),
      common::param<&AbacusConfig::wood>("abacus.wood", "x"),
  };
  OptionTable own;
  own.add(rows);
  Settings s(own);
  EXPECT_EQ(s.read<AbacusConfig>(rows).friction, 0.25);
  s.set("abacus.beads", "7", "x");
  s.set("abacus.friction", "5e-1", "x");
  s.set("abacus.wood", "pear", "x");
  AbacusConfig config;
  s.read(rows, config);
  EXPECT_EQ(config.beads, 7);
  EXPECT_EQ(config.friction, 0.5);
  EXPECT_EQ(config.wood, "pear");
  struct Other {};
  EXPECT_THROW((void)s.read<Other>(rows), std::logic_error);
  EXPECT_THROW((void)Settings(builtIn()).read<AbacusConfig>(rows), std::logic_error);
}

TEST(Settings, BuiltInParametersReachTheirMembers) {
  Settings s(builtIn());
  const std::vector<std::string> changes{"tigershark.rise_cycles=9",
                                         "tigershark.clock_hz=25e6",
                                         "array.isa=sse42",
                                         "array.engine=scalar",
                                         "array.timing=strict",
                                         "pci.clock_hz=5e7",
                                         "implicit.gradient.div=17",
                                         "implicit.leaf_lines=8",
                                         "implicit.near=0.5",
                                         "implicit.memory_mib=3",
                                         "implicit.stepping=plain",
                                         "implicit.smooth_prune=off",
                                         "sl.cycles.add_Vvv=55",
                                         "sl.cycles.lookup_VTv=56",
                                         "sl.memory_ns=7.5",
                                         "theia.exact_divide_clocks=5",
                                         "theia.arbiter=descending",
                                         "theia.tile=32",
                                         "theia.arbiter_hold_clocks=9",
                                         "tigershark.s5933.residue=on",
                                         "tigershark.s5933.master_read_hang=3",
                                         "implicit.carry=off",
                                         "xphmg.memory_tier=t2",
                                         "xphmg.quantum_us=2.5",
                                         "xphmg.memory_mib=5",
                                         "render.order=scanline",
                                         "scene.tessellate=all",
                                         "render.crop=1,2,3,4"};
  for (const std::string& change : changes) s.assign(change, "x");
  const auto board =
      s.read<tigershark::BoardConfig>(tigershark::kBoardParams, tigershark::kBoardSpeedParams);
  EXPECT_EQ(board.riseCycles, 9U);
  EXPECT_EQ(board.holdCycles, 3U);
  EXPECT_EQ(board.clockHz, 25'000'000U);
  EXPECT_EQ(board.engine.isa, c32::simt::Isa::Sse42);
  EXPECT_EQ(board.engine.kind, tigershark::EngineChoice::Kind::Scalar);
  EXPECT_TRUE(board.strictTiming);
  const auto faults = s.read<tigershark::BoardConfig>(tigershark::kFaultParams).s5933.core.faults;
  EXPECT_TRUE(faults.residue);
  EXPECT_FALSE(faults.stale_words);
  EXPECT_EQ(faults.master_read_hang, 3U);
  EXPECT_EQ(s.read<common::PciTiming>(common::kPciParams).period,
            sc_core::sc_time(20, sc_core::SC_NS));
  const auto unit = s.read<implicit::unit::ImplicitUnitConfig>(implicit::unit::kUnitParams);
  EXPECT_EQ(unit.timing.gradient[3], 17U);
  EXPECT_EQ(unit.timing.leaves.lines, 8U);
  EXPECT_EQ(s.read<implicit::render::Settings>(kImplicitParams).near, 0.5);
  const auto options = s.read<ImplicitOptions>(kImplicitParams, kImplicitMemoryParams);
  EXPECT_EQ(options.memoryBytes, 3U << 20U);
  EXPECT_EQ(options.stepping, implicit::render::Stepping::Plain);
  EXPECT_EQ(options.smoothPrune, false);
  EXPECT_EQ(options.prune, std::nullopt);
  EXPECT_EQ(options.carry, false);
  const auto shading =
      s.read<sl::unit::SlUnitConfig>(sl::unit::kUnitParams, sl::unit::kCycleParams);
  EXPECT_EQ(shading.core.cycles[static_cast<std::size_t>(sl::Form::AddV)], 55U);
  EXPECT_EQ(shading.core.cycles[static_cast<std::size_t>(sl::Form::Lookup)], 56U);
  EXPECT_EQ(s.read<SlOptions>(kSlParams).memoryLatency, sc_core::sc_time(7.5, sc_core::SC_NS));
  const auto theia = s.read<theia::TheiaUnitConfig>(theia::kUnitParams);
  EXPECT_EQ(theia.gpu.core.alu.exactDivideClocks, 5U);
  EXPECT_EQ(theia.gpu.arbiterOrder, theia::ArbiterOrder::Descending);
  EXPECT_EQ(theia.gpu.arbiterTiming.hold, 9U);
  EXPECT_EQ(s.read<host::TheiaDriverConfig>(kTheiaParams).tile, 32);
  const auto rt = s.read<xphmg::UnitConfig>(xphmg::kUnitParams, xphmg::kUnitSpeedParams);
  EXPECT_TRUE(rt.timing.memoryIsT2);
  EXPECT_EQ(rt.quantum, sc_core::sc_time(2500, sc_core::SC_NS));
  EXPECT_EQ(s.read<host::XphmgDriverConfig>(kXphmgParams).memorySize, 5U << 20U);
  EXPECT_EQ(s.read<host::RenderOptions>(kRunParams).order, host::PixelOrder::Scanline);
  EXPECT_TRUE(s.read<scene::LoadOptions>(kRunParams).tessellateAll);
  EXPECT_EQ(s.read<RunOptions>(kRunParams).crop, (CropBox{1, 2, 3, 4}));
}

// What `c32-run --manual` lists can be set of a board's processors, but for what the board decides.
TEST(Settings, EveryOptionOfTheProcessorIsAParameter) {
  std::size_t found = 0;
  for (const c32::CpuOption& option : c32::cpuOptions()) {
    std::string key = "tigershark.cpu." + std::string(option.key);
    std::replace(key.begin(), key.end(), '-', '_');
    const OptionSpec* const row = builtIn().find(key);
    if (option.key == "serial-clock" || option.key == "hold-cycles") {
      EXPECT_EQ(row, nullptr) << key;
      continue;
    }
    ASSERT_NE(row, nullptr) << key;
    ++found;
    const std::uint64_t most =
        row->type == OptionType::Integer ? static_cast<std::uint64_t>(row->hi) : option.most;
    for (const std::uint64_t value : {option.least, most}) {
      c32::CpuConfig wanted;
      option.set(wanted, value);
      Settings s(builtIn());
      const std::string text = cpuOptionText(option, wanted);
      s.set(key, option.most == 0xFFFFFFFF ? std::to_string(value) : text, "x");
      const auto board = s.read<tigershark::BoardConfig>(tigershark::kCpuParams);
      EXPECT_EQ(option.get(board.cpu), value) << key;
    }
  }
  EXPECT_EQ(found, tigershark::kCpuParams.size());
}

TEST(OptionTable, ChoicesMayComeFromARunTimeList) {
  OptionTable own = builtInOptions();
  own.setChoices("engine", std::vector<std::string_view>{"tigershark", std::string_view("abacus")});
  EXPECT_EQ(acceptedValues(*own.find("engine")), "one of tigershark, abacus");
  Settings s(own);
  s.set("engine", "abacus", "x");
  EXPECT_EQ(s.text("engine"), "abacus");
  EXPECT_TRUE(contains(messageOf([&] { s.set("engine", "theia", "x"); }), "tigershark, abacus"));
  EXPECT_TRUE(
      contains(messageOf([] { Settings{builtIn()}.set("engine", "abacus", "x"); }), "xphmg"));
  const CommandLine c = parseCommandLine({"a.shk", "--engine", "abacus"}, own);
  EXPECT_EQ(c.settings.text("engine"), "abacus");
}

TEST(OptionTable, RefusesWhatCannotBe) {
  OptionTable own = builtInOptions();
  const auto add = [&](const common::Param& row) { own.add({&row, 1}); };
  const common::Param row = common::param<&AbacusConfig::beads>("abacus.beads", {}, {}, "x");
  common::Param twice = row;
  twice.key = "engine";
  EXPECT_THROW(add(twice), std::logic_error);
  EXPECT_THROW(add(row.onCommandLine("size")), std::logic_error);
  EXPECT_THROW(add(row.bareOption("verbose", "on")), std::logic_error);
  EXPECT_THROW(add(row.listedAfter("abacus.wires")), std::logic_error);
  using Words = std::vector<std::string_view>;
  EXPECT_THROW(own.setChoices("abacus", Words{"a"}), std::logic_error);
  EXPECT_THROW(own.setChoices("tigershark.dsps", Words{"16"}), std::logic_error);
  EXPECT_THROW(own.setChoices("engine", Words{"theia"}), std::logic_error);
  EXPECT_THROW(own.setChoices("engine", Words{"tigershark", ""}), std::logic_error);
  EXPECT_THROW(own.setChoices("engine", Words{"tigershark", "a|b"}), std::logic_error);
  EXPECT_EQ(own.all().size(), builtIn().all().size());
}

TEST(Settings, UnknownKeyNamesTheNearest) {
  Settings s(builtIn());
  const std::string text = messageOf([&] { s.assign("tigershark.dspz=4", "--set"); });
  EXPECT_TRUE(contains(text, "'tigershark.dsps'")) << text;
  EXPECT_TRUE(contains(messageOf([&] { s.assign("dsps=4", "--set"); }), "'tigershark.dsps'"));
}

TEST(Settings, WrongTypeAndRangeNameWhatIsAccepted) {
  Settings s(builtIn());
  for (const char* value : {"513", "0", "-4", "many", "4.5", "", "4 ", "99999999999999999999"}) {
    const std::string text =
        messageOf([&] { s.assign(std::string("tigershark.dsps=") + value, "--set"); });
    EXPECT_TRUE(contains(text, "1..512")) << value << ": " << text;
  }
  EXPECT_TRUE(contains(messageOf([&] { s.assign("engine=abacus", "x"); }), "tigershark, theia, "));
  EXPECT_TRUE(contains(messageOf([&] { s.assign("engine=", "x"); }), "tigershark, theia, "));
  EXPECT_TRUE(contains(messageOf([&] { s.assign("tigershark.vote=maybe", "x"); }), "on or off"));
  EXPECT_TRUE(contains(messageOf([&] { s.assign("render.ray_offset=nan", "x"); }), "0..0.1"));
  EXPECT_TRUE(contains(messageOf([&] { s.assign("no-equals", "x"); }), "key=value"));
  for (const char* value : {"0x4", "4x", "x4", "4x4x4", "4", "-4x4", "99999x4"}) {
    EXPECT_TRUE(contains(messageOf([&] { s.set("render.size", value, "x"); }), "WxH")) << value;
  }
  for (const char* value : {"1,2,3", "0,0,0,4", "-1,0,4,4", "0,0,4,4,4", "a,b,c,d", "0,0,99999,4",
                            "0,0,4,99999", "99999,0,4,4", "0,99999,4,4"}) {
    EXPECT_TRUE(contains(messageOf([&] { s.set("render.crop", value, "x"); }), "x,y,w,h")) << value;
  }
}

TEST(Settings, LaterWins) {
  const CommandLine c =
      parsed({"a.shk", "--dsps", "8", "--set", "tigershark.dsps=32", "--size", "12x34", "--quiet"});
  EXPECT_EQ(c.settings.integer("tigershark.dsps"), 32);
  EXPECT_EQ(c.settings.size("render.size"), (PictureSize{12, 34}));
  EXPECT_EQ(c.settings.text("host.output"), "quiet");
  const CommandLine d = parsed({"a.shk", "--set", "tigershark.dsps=32", "--dsps=8"});
  EXPECT_EQ(d.settings.integer("tigershark.dsps"), 8);
}

TEST(Settings, HashCoversTheMachineAndNotTheHost) {
  Settings a(builtIn());
  Settings b(builtIn());
  EXPECT_EQ(a.hash(), b.hash());
  b.assign("output.stats=elsewhere.json", "x");
  b.assign("host.output=verbose", "x");
  EXPECT_EQ(a.hash(), b.hash());
  b.assign("tigershark.vote=off", "x");
  EXPECT_NE(a.hash(), b.hash());
}

TEST(Config, NestedAndDottedKeys) {
  const auto entries = readJsonConfig("c.json",
                                      "{\"tigershark\": {\"dsps\": 8,\n\"vote\": false},\n"
                                      "\"render.size\": \"8x9\", \"render\": {\"spp\": 4}}\n\n");
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[0].key, "tigershark.dsps");
  EXPECT_EQ(entries[0].value, "8");
  EXPECT_EQ(entries[0].line, 1);
  EXPECT_EQ(entries[1].key, "tigershark.vote");
  EXPECT_EQ(entries[1].value, "off");
  EXPECT_EQ(entries[1].line, 2);
  EXPECT_EQ(entries[2].key, "render.size");
  EXPECT_EQ(entries[3].key, "render.spp");
  EXPECT_EQ(entries[3].line, 3);
}

TEST(Config, MalformedJsonIsLocated) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "c.json:1:"},
      {"{", "c.json:1:"},
      {"{\n\"engine\": \"reference\",\n}", "c.json:3:"},
      {"{\n\"engine\" \"reference\"}", "c.json:2:"},
      {"[1]", "c.json:1: found an array, expected an object"},
      {"17", "c.json:1: found a single value, expected an object"},
      {"{\n\n\"engine\": null}", "c.json:3: found null"},
      {"{\"a\": [1,2]}", "c.json:1: found an array as the value of 'a'"},
      {"{} {}", "c.json:1:"},
      {"{}\n\nx", "c.json:3:"},
      {"{\"\\ud800\": 1}", "c.json:1:"},
      {std::string(100000, '{'), "c.json:1:"},
      {std::string("{\"a\":\0 1}", 9), "c.json:1:"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message =
        messageOf([&, &json = text] { (void)readJsonConfig("c.json", json); });
    EXPECT_TRUE(contains(message, expected)) << text.substr(0, 40) << " -> " << message;
  }
}

TEST(Config, FileErrorsNameFileAndLine) {
  const std::string file = testing::TempDir() + "options_bad_key.json";
  std::ofstream(file) << "{\n  \"tigershark\": {\n    \"dsp\": 4\n  }\n}\n";
  const std::string text = messageOf([&] { (void)parsed({"a.shk", "--config", file}); });
  EXPECT_TRUE(contains(text, file + ":3: unknown key 'tigershark.dsp'")) << text;
  EXPECT_TRUE(contains(text, "'tigershark.dsps'")) << text;
  std::remove(file.c_str());
  EXPECT_TRUE(contains(messageOf([&] {
                         (void)parsed({"a.shk", "--config", file});
                       }),
                       "found no such file, expected a configuration"));
  EXPECT_TRUE(contains(messageOf([&] {
                         (void)parsed({"a.shk", "--config", testing::TempDir()});
                       }),
                       "found a folder, expected a configuration"));
}

TEST(CommandLine, Commands) {
  using Action = CommandLine::Action;
  EXPECT_EQ(parsed({"a.shk"}).action, Action::Run);
  EXPECT_EQ(parsed({"run", "a.shk"}).action, Action::Run);
  EXPECT_EQ(parsed({"params", "--json"}).action, Action::Params);
  EXPECT_TRUE(parsed({"params", "--json"}).json);
  EXPECT_EQ(parsed({"scene-info", "a.shk"}).action, Action::SceneInfo);
  EXPECT_EQ(parsed({"--version"}).action, Action::Version);
  EXPECT_EQ(parsed({"--stats-help"}).action, Action::StatsHelp);
  EXPECT_EQ(parsed({"--help"}).action, Action::Help);
  EXPECT_THROW(parsed({}), InputError);
  EXPECT_EQ(parsed({"doctor", "--json"}).action, Action::Doctor);
  EXPECT_EQ(parsed({"--man"}).form, "man");
  const CommandLine c = parsed({"compare", "a", "b", "--max-diff", "3", "--min-psnr=40"});
  EXPECT_EQ(c.action, Action::Compare);
  EXPECT_EQ(c.files, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(c.maxDiff, 3);
  EXPECT_EQ(c.minPsnr, 40);
  EXPECT_EQ(parsed({"compare", "a", "b", "--t-tolerance", "5e-4"}).tTolerance, 5e-4);
  EXPECT_EQ(parsed({"compare", "a", "b", "--outline-tolerance", "1e-5"}).outlineTolerance, 1e-5);
}

TEST(CommandLine, Errors) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"a.shk", "--dspz", "4"}, "the nearest is '--dsps'"},
      {{"a.shk", "--dsp", "4"}, "the nearest is '--dsps'"},
      {{"a.shk", "-y"}, "unknown option"},
      {{"a.shk", "--ENGINE", "theia"}, "ENGINE"},  // no guesses, neither of case nor of the rest
      {{"a.shk", "--engin", "theia"}, "engin"},
      {{"a.shk", "--dsps"}, "--dsps"},
      {{"a.shk", "b.shk"}, "found 2 file names, expected 1"},
      {{"run"}, "found 0 file names, expected 1"},
      {{"compare", "a"}, "found 1 file names, expected 2"},
      {{"compare", "a", "b", "--max-diff", "x"}, "0..255"},
      {{"compare", "a", "b", "--max-diff", "-1"}, "0..255"},
      {{"compare", "a", "b", "--t-tolerance", "2"}, "0..1"},
      {{"compare", "a", "b", "--outline-tolerance", "-1"}, "0..1"},
      {{"a.shk", "--quiet=yes"}, "quiet"},
      {{"--quiet"}, "found 0 file names"},
  };
  for (const auto& [arguments, expected] : cases) {
    const std::string text = messageOf([&words = arguments] { (void)parsed(words); });
    EXPECT_TRUE(contains(text, expected)) << arguments.back() << " -> " << text;
  }
}

// What programs read, as it was recorded: keys, order, ranges, defaults. A parameter that is added
// or changed is a new record: `platform params --json`, a row a line.
TEST(CommandLine, ParamsJsonIsTheRecordedOne) {
  std::ifstream record(RTVP_SOURCE_DIR "/tests/platform/app/params.json");
  std::ostringstream out;
  printParams(out, true, builtIn());
  std::string line;
  std::string recorded;
  while (std::getline(record, line)) recorded += line;
  const std::string now = out.str();
  ASSERT_FALSE(recorded.empty());
  const std::size_t same = static_cast<std::size_t>(
      std::mismatch(recorded.begin(), recorded.end(), now.begin(), now.end()).first -
      recorded.begin());
  EXPECT_TRUE(now == recorded + "\n") << "from here on: " << now.substr(same, 200);
}

TEST(CommandLine, ParamsJsonParsesBackAndIsComplete) {
  std::ostringstream out;
  printParams(out, true, builtIn());
  const boost::json::value rows = boost::json::parse(out.str());
  ASSERT_EQ(rows.as_array().size(), builtIn().all().size());
  Settings s(builtIn());
  for (const boost::json::value& row : rows.as_array()) {
    for (const char* field : {"key", "type", "unit", "default", "range", "help"}) {
      EXPECT_TRUE(row.as_object().contains(field));
    }
  }
}

TEST(CommandLine, HelpNamesEveryOption) {
  std::ostringstream out;
  printHelp(out, builtIn());
  for (const OptionSpec& o : builtIn().all()) {
    if (!o.flag.empty()) {
      EXPECT_TRUE(contains(out.str(), "--" + std::string(o.flag))) << o.flag;
    }
  }
  EXPECT_TRUE(contains(out.str(), "platform sweep"));
}

}  // namespace
}  // namespace rtvp::platform
