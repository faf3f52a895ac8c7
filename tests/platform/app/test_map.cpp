// `platform map`: what it prints against lists written by hand from the machines' documents, and
// rules that hold for every computer.
#include <set>
#include <tuple>

#include "tests/platform/app/run_platform.hpp"

namespace rtvp::test {
namespace {

namespace json = boost::json;

/// Name, device, base, size, parameter.
using Range = std::tuple<std::string, std::string, std::uint64_t, std::uint64_t, std::string>;
/// Number, device, parameter.
using Line = std::tuple<std::uint64_t, std::string, std::string>;
/// Name, device, address bits, parameter.
using Master = std::tuple<std::string, std::string, std::uint64_t, std::string>;

constexpr std::uint64_t kKib = 1024, kMib = 1024 * kKib, kGib = 1024 * kMib;

std::string text(const json::value& row, const char* member) {
  return std::string(row.at(member).as_string());
}
std::uint64_t number(const json::value& row, const char* member) {
  return row.at(member).to_number<std::uint64_t>();
}

class Map : public PlatformTest {
 protected:
  [[nodiscard]] json::value map(const std::string& options) const {
    const Outcome r = run("map --json " + options);
    EXPECT_EQ(r.status, 0) << options << r.err;
    EXPECT_EQ(r.err, "") << options;
    return json::parse(r.out);
  }
  /// Without the units that a scene may bring: theirs is a list of its own.
  [[nodiscard]] static std::set<Range> rangesOf(const json::value& map, bool units) {
    std::set<Range> all;
    for (const json::value& r : map.at("ranges").as_array()) {
      if (isUnit(r) != units) continue;
      all.emplace(text(r, "name"), text(r, "device"), number(r, "base"), number(r, "size"),
                  text(r, "parameter"));
    }
    return all;
  }
  [[nodiscard]] static std::vector<Line> linesOf(const json::value& map) {
    std::vector<Line> all;
    for (const json::value& l : map.at("lines").as_array()) {
      all.emplace_back(number(l, "line"), text(l, "device"), text(l, "parameter"));
    }
    return all;
  }
  [[nodiscard]] static std::vector<Master> mastersOf(const json::value& map) {
    std::vector<Master> all;
    for (const json::value& m : map.at("masters").as_array()) {
      all.emplace_back(text(m, "name"), text(m, "device"), number(m, "address_bits"),
                       text(m, "parameter"));
    }
    return all;
  }

 private:
  [[nodiscard]] static bool isUnit(const json::value& row) {
    return text(row, "device") == "sl" || text(row, "device") == "implicit";
  }
};

// sl.md section 7 and sdf.md section 15: registers, then memory, beyond 4 GiB.
const std::set<Range> kUnits = {{"sl", "sl", 4 * kGib, 128 * kKib, ""},
                                {"sl_memory", "sl", 8 * kGib, 16 * kMib, "sl.memory_ns"},
                                {"implicit", "implicit", 32 * kGib, 4 * kKib, ""},
                                {"implicit_memory", "implicit", 36 * kGib, 256 * kMib,
                                 "implicit.memory_mib implicit.memory_ns"}};
const Master kProcessor{"processor", "processor", 64, ""};
const Master kImplicitMaster{"implicit", "implicit", 64, ""};
const Master kSlMaster{"sl", "sl", 64, ""};

TEST_F(Map, TigersharkHasPciAndASlotForEachBoard) {
  const json::value m = map("--engine tigershark --set tigershark.boards=3");
  EXPECT_EQ(rangesOf(m, false), (std::set<Range>{
                                    {"dram", "main memory", 0, 64 * kMib, ""},
                                    {"pci_memory", "pci", 0x8000'0000, kGib, ""},
                                    {"pci_config", "pci", 0xE000'0000, kMib, ""},
                                    {"pci_io", "pci", 0xE800'0000, 64 * kKib, ""},
                                }));
  EXPECT_EQ(rangesOf(m, true), kUnits);
  EXPECT_EQ(linesOf(m), (std::vector<Line>{{0, "tigershark", "tigershark.boards"},
                                           {1, "tigershark", "tigershark.boards"},
                                           {2, "tigershark", "tigershark.boards"},
                                           {3, "implicit", ""},
                                           {4, "sl", ""}}));
  EXPECT_EQ(mastersOf(m),
            (std::vector<Master>{
                kProcessor, {"bus masters", "pci", 32, ""}, kImplicitMaster, kSlMaster}));
  const json::array& slots = m.at("slots").as_array();
  ASSERT_EQ(slots.size(), 3U);
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(number(slots[i], "slot"), i);
    EXPECT_EQ(number(slots[i], "config_base"), 0xE000'0000 + 0x8000 * i);
    EXPECT_EQ(text(slots[i], "parameter"), "tigershark.boards");
  }
  EXPECT_EQ(m.at("buses").as_array().size(), 2U);
}

TEST_F(Map, TheiaIsOneBlockAndNoMaster) {
  const json::value m = map("--engine theia");
  EXPECT_EQ(rangesOf(m, false), (std::set<Range>{{"theia", "theia", 0x8000'0000, 192 * kMib, ""}}));
  EXPECT_EQ(rangesOf(m, true), kUnits);
  EXPECT_EQ(linesOf(m), (std::vector<Line>{{0, "theia", ""}, {1, "implicit", ""}, {2, "sl", ""}}));
  EXPECT_EQ(mastersOf(m), (std::vector<Master>{kProcessor, kImplicitMaster, kSlMaster}));
}

// xphmg.md 16.1: a page of 8 KiB a unit from 2000_0000h, memory at 8000_0000h.
TEST_F(Map, XphmgHasAPageALineAndAMasterForEachUnit) {
  const json::value m =
      map("--engine xphmg --set xphmg.units=2 --set xphmg.memory_mib=512 --set xphmg.bus_ns=20");
  EXPECT_EQ(rangesOf(m, false),
            (std::set<Range>{
                {"unit0", "xphmg", 0x2000'0000, 8 * kKib, "xphmg.units"},
                {"unit1", "xphmg", 0x2000'2000, 8 * kKib, "xphmg.units"},
                {"dram", "main memory", 0x8000'0000, 512 * kMib, "xphmg.memory_mib"},
            }));
  EXPECT_EQ(linesOf(m), (std::vector<Line>{{0, "xphmg", "xphmg.units"},
                                           {1, "xphmg", "xphmg.units"},
                                           {2, "implicit", ""},
                                           {3, "sl", ""}}));
  EXPECT_EQ(mastersOf(m), (std::vector<Master>{kProcessor,
                                               {"unit0", "xphmg", 64, "xphmg.units"},
                                               {"unit1", "xphmg", 64, "xphmg.units"},
                                               kImplicitMaster,
                                               kSlMaster}));
  const json::value& bus = m.at("buses").as_array().at(0);
  EXPECT_EQ(number(bus, "latency_ps"), 20'000U);
  EXPECT_EQ(text(bus, "parameter"), "xphmg.bus_ns");
}

TEST_F(Map, XphmgHartHasPrivatePagesAndTheMailboxLine) {
  const json::value m = map("--engine xphmg --set xphmg.driver=hart");
  EXPECT_EQ(rangesOf(m, false),
            (std::set<Range>{
                {"lds", "xphmg", 0x1000'0000, 256 * kKib, "xphmg.driver"},
                {"unit0", "xphmg", 0x2000'0000, 8 * kKib, "xphmg.units"},
                {"mailbox", "xphmg", 0x200F'0000, 4 * kKib, "xphmg.driver"},
                {"dram", "main memory", 0x8000'0000, 256 * kMib, "xphmg.memory_mib"},
            }));
  EXPECT_EQ(linesOf(m),
            (std::vector<Line>{{0, "xphmg", "xphmg.driver"}, {1, "implicit", ""}, {2, "sl", ""}}));
  EXPECT_EQ(mastersOf(m)[2], (Master{"hart", "xphmg", 64, "xphmg.driver"}));
}

TEST_F(Map, TheUnitForImplicitSurfacesAlone) {
  const json::value m = map("--engine implicit --set implicit.memory_mib=64");
  EXPECT_TRUE(rangesOf(m, false).empty());
  std::set<Range> units = kUnits;
  units.erase({"implicit_memory", "implicit", 36 * kGib, 256 * kMib,
               "implicit.memory_mib implicit.memory_ns"});
  units.insert({"implicit_memory", "implicit", 36 * kGib, 64 * kMib,
                "implicit.memory_mib implicit.memory_ns"});
  EXPECT_EQ(rangesOf(m, true), units);
  EXPECT_EQ(linesOf(m), (std::vector<Line>{{0, "implicit", ""}, {1, "sl", ""}}));
  EXPECT_TRUE(m.at("machines").as_array().at(0).at("chosen").as_bool());
  EXPECT_FALSE(m.at("machines").as_array().at(1).at("chosen").as_bool());
}

// A scene decides which units there are.
TEST_F(Map, WithASceneOnlyWhatRendersIt) {
  write("a.shk", kSmallScene);
  const json::value m = map("a.shk --engine xphmg");
  EXPECT_TRUE(rangesOf(m, true).empty());
  EXPECT_EQ(linesOf(m), (std::vector<Line>{{0, "xphmg", "xphmg.units"}}));
  EXPECT_EQ(m.at("machines").as_array().size(), 1U);
}

TEST_F(Map, RangesOfEveryComputerAreDisjointAndOrdered) {
  for (const char* options :
       {"--engine tigershark", "--engine tigershark --set tigershark.boards=8", "--engine theia",
        "--engine xphmg", "--engine xphmg --set xphmg.units=16 --set xphmg.memory_mib=1024",
        "--engine xphmg --set xphmg.driver=hart", "--engine implicit",
        "--engine implicit --set implicit.memory_mib=4096", "--engine reference",
        "--machines tigershark:2,theia,xphmg:2", "--machines xphmg,tigershark,implicit,sl"}) {
    const json::value m = map(options);
    std::uint64_t next = 0;
    for (const json::value& r : m.at("ranges").as_array()) {
      EXPECT_GE(number(r, "base"), next) << options << " " << text(r, "name");
      EXPECT_EQ(number(r, "end"), number(r, "base") + number(r, "size") - 1) << options;
      next = number(r, "end") + 1;
    }
  }
}

// Every parameter that the map names is one.
TEST_F(Map, ItsParametersExist) {
  std::set<std::string> keys;
  const Outcome params = run("params --json");
  const json::value table = json::parse(params.out);
  for (const json::value& p : table.as_array()) keys.insert(text(p, "key"));
  for (const char* options : {"--engine tigershark", "--engine xphmg --set xphmg.driver=hart"}) {
    const json::value m = map(options);
    for (const char* list : {"ranges", "lines", "masters", "buses", "slots"}) {
      for (const json::value& row : m.at(list).as_array()) {
        std::istringstream words(text(row, "parameter"));
        for (std::string key; words >> key;) EXPECT_TRUE(keys.contains(key)) << key;
      }
    }
  }
}

TEST_F(Map, AsATable) {
  const Outcome r = run("map --engine xphmg");
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(contains(r.out, "machines: xphmg; where a scene needs them implicit, sl\n")) << r.out;
  EXPECT_TRUE(contains(r.out,
                       "  20000000h   20001FFFh   8 KiB    unit0            xphmg        registers "
                       " 0 ns     xphmg.units\n"))
      << r.out;
  EXPECT_TRUE(contains(r.out, "interrupt lines of the processor\n")) << r.out;
  EXPECT_FALSE(contains(r.out, "PCI slots")) << r.out;
}

TEST_F(Map, RefusesWhatARunRefuses) {
  EXPECT_EQ(run("map --engine nothing").status, 2);
  EXPECT_EQ(run("map --set xphmg.units=0").status, 2);
  const Outcome r = run("map a.shk b.shk");
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(contains(r.err, "expected 0 to 1: platform map [SCENE] [--json]")) << r.err;
}

}  // namespace
}  // namespace rtvp::test
