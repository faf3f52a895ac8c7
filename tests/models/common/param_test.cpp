// Parameters bound to members: types, defaults and values that pass both ways.
#include <gtest/gtest.h>

#include <filesystem>

#include "models/common/param_time.hpp"

namespace rtvp::common {
namespace {

enum class Colour : std::uint8_t { Red, Green, Blue };
struct Inner {
  std::array<unsigned, 3> cycles{1, 2, 6};
  float eps = 1e-3F;
};
struct Outer {
  Inner inner;
  std::uint64_t clockHz = 30'000'000;
  std::uint64_t bytes = std::uint64_t{256} << 20U;
  bool vote = true;
  Colour colour = Colour::Green;
  std::filesystem::path file;
  std::string engine = "abacus";
  PictureSize size;
  sc_core::sc_time period = sc_core::sc_time(30, sc_core::SC_NS);
  sc_core::sc_time quantum = sc_core::sc_time(10, sc_core::SC_US);
};
constexpr std::array kColours{Named<Colour>{"green", Colour::Green},
                              Named<Colour>{"red", Colour::Red}};
constexpr std::array kOnlyRed{Named<Colour>{"red", Colour::Red}};

template <class Value>
Value fallback(const Param& p) {
  return std::get<Value>(p.fallback());
}
Outer with(const Param& p, const ParamValue& value) {
  Outer outer;
  EXPECT_EQ(p.root, rootOf<Outer>);
  p.assign(&outer, value);
  return outer;
}

TEST(Param, TypeFollowsFromTheMember) {
  constexpr Param cycles =
      param<&Outer::inner, &Inner::cycles, Element<2>{}>("a.cycles", "clocks", {0, 9}, "x");
  EXPECT_EQ(cycles.type, ParamType::Integer);
  EXPECT_EQ(cycles.unit, "clocks");
  EXPECT_EQ(cycles.range.hi, 9);
  EXPECT_EQ(fallback<std::int64_t>(cycles), 6);
  EXPECT_EQ(with(cycles, std::int64_t{7}).inner.cycles, (std::array<unsigned, 3>{1, 2, 7}));
  EXPECT_EQ(param<&Outer::vote>("a.vote", "x").type, ParamType::Flag);
  EXPECT_FALSE(with(param<&Outer::vote>("a.vote", "x"), false).vote);
  EXPECT_EQ(param<&Outer::file>("a.file", "x").type, ParamType::Path);
  EXPECT_EQ(with(param<&Outer::file>("a.file", "x"), std::string("b/c")).file, "b/c");
  EXPECT_EQ(param<&Outer::size>("a.size", {}, {1, 9}, "x").type, ParamType::Size);
  EXPECT_EQ((paramAs<NumberCodec, &Outer::clockHz>("a.hz", {}, {}, "x").type), ParamType::Number);
}

TEST(Param, AFloatsDefaultIsWhatPeopleWrite) {
  const Param eps = param<&Outer::inner, &Inner::eps>("a.eps", {}, {0, 1}, "x");
  EXPECT_EQ(fallback<double>(eps), 0.001);
  EXPECT_EQ(with(eps, 0.25).inner.eps, 0.25F);
}

TEST(Param, ClocksAreFrequenciesAndMemoriesMebibytes) {
  const Param clock = clockParam<&Outer::period>("a.clock_hz", {1, 1e9}, "x");
  EXPECT_EQ(fallback<double>(clock), 1e9 / 30);
  EXPECT_EQ(with(clock, 1e9 / 30).period, Outer{}.period);
  EXPECT_EQ(with(clock, 5e7).period, sc_core::sc_time(20, sc_core::SC_NS));
  const Param quantum = microseconds<&Outer::quantum>("a.quantum_us", {0, 1e6}, "x");
  EXPECT_EQ(fallback<double>(quantum), 10);
  EXPECT_EQ(with(quantum, 2.5).quantum, sc_core::sc_time(2500, sc_core::SC_NS));
  const Param memory = paramAs<MebibyteCodec, &Outer::bytes>("a.mib", "MiB", {1, 512}, "x");
  EXPECT_EQ(fallback<std::int64_t>(memory), 256);
  EXPECT_EQ(with(memory, std::int64_t{4096}).bytes, std::uint64_t{1} << 32U);
}

TEST(Param, WordsStandForValues) {
  const Param colour = choice<kColours, &Outer::colour>("a.colour", "x");
  EXPECT_EQ(colour.type, ParamType::Choice);
  ASSERT_EQ(colour.words.size(), 2U);
  EXPECT_EQ(colour.words[1], "red");
  EXPECT_EQ(fallback<std::string>(colour), "green");
  EXPECT_EQ(with(colour, std::string("red")).colour, Colour::Red);
  EXPECT_THROW((void)with(colour, std::string("blue")), std::logic_error);
  EXPECT_THROW((void)(choice<kOnlyRed, &Outer::colour>("a.colour", "x").fallback()),
               std::logic_error);
  static constexpr std::array<std::string_view, 2> kWordsOfEngine{"abacus", "slide_rule"};
  const Param engine = word<&Outer::engine>("a.engine", kWordsOfEngine, "x");
  EXPECT_EQ(engine.type, ParamType::Choice);
  EXPECT_EQ(fallback<std::string>(engine), "abacus");
  EXPECT_EQ(with(engine, std::string("slide_rule")).engine, "slide_rule");
}

TEST(Param, TwoBareOptionsAndAPlace) {
  constexpr Param p = param<&Outer::vote>("a.vote", "x")
                          .bareOption("yes", "on", 'y')
                          .bareOption("no", "off")
                          .ofHost()
                          .listedBefore("a.file");
  static_assert(p.host && p.before);
  EXPECT_EQ(p.option, "yes");
  EXPECT_EQ(p.letter, 'y');
  EXPECT_EQ(p.optionValue, "on");
  EXPECT_EQ(p.option2, "no");
  EXPECT_EQ(p.option2Value, "off");
  EXPECT_EQ(p.neighbour, "a.file");
}

}  // namespace
}  // namespace rtvp::common
