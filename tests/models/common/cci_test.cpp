// models/common/cci_params.hpp against a stand-in of SystemC CCI (tests/support/cci).
#include <gtest/gtest.h>

#include <array>

#include "models/common/cci_params.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::common {
namespace {

using test::inChild;

enum class Colour : std::uint8_t { Red, Green };
struct Config {
  unsigned lanes = 4;
  double rate = 0.5;
  bool vote = true;
  Colour colour = Colour::Green;
  std::string file;
  unsigned beside = 0;
};
struct Other {
  int number = 1;
};
constexpr std::array kColours{Named<Colour>{"red", Colour::Red},
                              Named<Colour>{"green", Colour::Green}};
constexpr std::array kParams{
    param<&Config::lanes>("machine.lanes", "lanes", {1, 8}, "lanes of the array"),
    param<&Config::rate>("machine.rate", {}, {0, 1}, "share"),
    param<&Config::vote>("machine.vote", "the vote line"),
    choice<kColours, &Config::colour>("machine.colour", "its colour"),
    param<&Config::file>("machine.file", "a file"),
    param<&Other::number>("other.number", {}, {0, 9}, "of another struct"),
};

struct Module : sc_core::sc_module {
  CciParams<Config> params{{kParams}, "machine."};
  explicit Module(sc_core::sc_module_name name) : sc_module(name) {}
};

template <class T>
cci::cci_param<T>& at(const char* name) {
  return dynamic_cast<cci::cci_param<T>&>(*cci_stand_in::parameters.at(name));
}

/// The report that `action` ends with.
std::string reportOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const sc_core::sc_report& report) {
    return std::string(report.get_msg_type()) + ": " + report.get_msg();
  }
  return "none";
}

TEST(CciParams, NamesDefaultsAndDescriptions) {
  inChild([] {
    Module top("top");
    EXPECT_EQ(top.params.size(), 5U) << "rows of another struct are not its";
    EXPECT_EQ(cci_stand_in::parameters.size(), 5U);
    EXPECT_EQ(at<sc_dt::int64>("top.lanes").get_default_value(), 4);
    EXPECT_EQ(at<sc_dt::int64>("top.lanes").get_description(), "lanes of the array; 1 to 8 lanes");
    EXPECT_EQ(at<double>("top.rate").get_default_value(), 0.5);
    EXPECT_TRUE(at<bool>("top.vote").get_default_value());
    EXPECT_EQ(at<std::string>("top.colour").get_default_value(), "green");
    EXPECT_EQ(at<std::string>("top.colour").get_description(), "its colour; one of red, green");
    EXPECT_EQ(at<std::string>("top.file").get_description(), "a file");
  });
}

TEST(CciParams, ValuesReachTheStructAndAreLockedThen) {
  inChild([] {
    cci_stand_in::presets = {{"top.lanes", "8"}, {"top.vote", "false"}};
    Module top("top");
    at<double>("top.rate").set_value(0.25);
    at<std::string>("top.colour").set_value("red");
    at<std::string>("top.file").set_value("a.coff");
    Config base;
    base.beside = 7;
    const Config config = top.params.config(base);
    EXPECT_EQ(config.lanes, 8U);
    EXPECT_EQ(config.rate, 0.25);
    EXPECT_FALSE(config.vote);
    EXPECT_EQ(config.colour, Colour::Red);
    EXPECT_EQ(config.file, "a.coff");
    EXPECT_EQ(config.beside, 7U);
    EXPECT_NE(reportOf([] { at<bool>("top.vote").set_value(true); }).find("locked"),
              std::string::npos);
    EXPECT_FALSE(at<bool>("top.vote").get_value());
  });
}

TEST(CciParams, ValuesOutOfRangeAreRefused) {
  inChild([] {
    Module top("top");
    EXPECT_EQ(reportOf([] { at<sc_dt::int64>("top.lanes").set_value(9); }),
              "rtvp.cci: top.lanes: found 9, expected 1 to 8");
    EXPECT_EQ(reportOf([] { at<std::string>("top.colour").set_value("blue"); }),
              "rtvp.cci: top.colour: found blue, expected one of red, green");
    at<sc_dt::int64>("top.lanes").set_value(1);
    EXPECT_EQ(top.params.config().lanes, 1U);
  });
  inChild([] {
    cci_stand_in::presets = {{"top.rate", "1.5"}};
    EXPECT_EQ(reportOf([] { Module top("top"); }),
              "rtvp.cci: top.rate: found 1.5, expected 0 to 1");
  });
}

TEST(CciParams, PicturesAreNoModels) {
  inChild([] {
    struct Picture {
      PictureSize size;
    };
    static constexpr std::array kPicture{param<&Picture::size>("render.size", {}, {0, 9}, "size")};
    EXPECT_THROW(CciParams<Picture>({kPicture}), std::invalid_argument);
  });
}

}  // namespace
}  // namespace rtvp::common
