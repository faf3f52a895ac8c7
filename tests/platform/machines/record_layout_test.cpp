// The form of tigershark.records: what is read, and every refusal with its line.
#include "platform/machines/record_layout.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/c32/float40.hpp"
#include "platform/exit_status.hpp"

namespace rtvp::platform {
namespace {

using host::ResultUse;
using host::WordFormat;

const char* const kWhole = R"({
  "schema_version": 1,
  "records": [
    {"name": "egg", "code": 5, "surface": "ball.sdf", "cycles": 150, "margin": 0.25,
     "values": {"half": 0.5},
     "words": [
       {"name": "cx", "format": "single", "value": "origin.x"},
       {"name": "m", "format": "single", "value": "-2 * half * inverse.xy"},
       {"name": "n", "format": "integer", "value": 7},
       {"name": "behind", "format": "address", "value": "next"}]}],
  "result": [
    {"name": "count", "format": "integer"},
    {"name": "nx", "format": "single", "use": "normal.x"},
    {"name": "ny", "format": "single", "use": "normal.y"},
    {"name": "nz", "format": "single", "use": "normal.z"}],
  "normal_space": "object"
})";

scene::Implicit surface(const char* file) {
  scene::Implicit s;
  auto model = std::make_shared<scene::ImplicitModel>();
  model->file = std::string("somewhere/") + file;
  s.model = model;
  // Object y points along world x, twice as long: world (2, 0, 0) is object (0, 1, 0).
  s.placement = scene::Placement({10, 20, 30},
                                 std::array<scene::Vec3, 3>{{{0, -1, 0}, {2, 0, 0}, {0, 0, 1}}});
  return s;
}

TEST(RecordLayout, ReadsRecordsResultsAndValues) {
  const host::RecordLayout layout = readRecordLayout("f.json", kWhole);
  ASSERT_EQ(layout.types.size(), 1U);
  EXPECT_EQ(layout.types[0].code, 5U);
  EXPECT_EQ(layout.types[0].cycles, 150);
  EXPECT_EQ(layout.types[0].margin, 0.25);
  EXPECT_EQ(layout.largest(), 5U);
  ASSERT_EQ(layout.result.size(), 4U);
  EXPECT_EQ(layout.result[0].use, ResultUse::Log);
  EXPECT_TRUE(layout.hasNormal());
  const scene::Implicit egg = surface("ball.sdf");
  ASSERT_EQ(layout.find(egg), layout.types.data());
  EXPECT_EQ(layout.find(surface("other.sdf")), nullptr);

  const auto words = encodeRecord(layout.types[0], {egg, 9, {1, 0, 0}, 0x400, 0x405});
  // inverse.xy: object x per world y = -1; times -2 * 0.5
  const std::vector<std::uint32_t> expected{0x45000009, c32::singleFromDouble(9),
                                            c32::singleFromDouble(1), 7, 0x405};
  EXPECT_EQ(words, expected);
  EXPECT_EQ(layout.find(words[0]), layout.types.data());
  EXPECT_EQ(layout.find(0x40000009), nullptr);  // a sphere
  EXPECT_EQ(layout.find(0x46000009), nullptr);  // another code
  EXPECT_EQ(layout.find(0x85000009), nullptr);  // a box's bits
}

TEST(RecordLayout, TurnsTheFirmwaresNormalIntoTheWorld) {
  const host::RecordLayout layout = readRecordLayout("f.json", kWhole);
  const std::vector<std::uint32_t> words{1, c32::singleFromDouble(0), c32::singleFromDouble(-3),
                                         c32::singleFromDouble(0)};
  const scene::Vec3 n = layout.normal(surface("ball.sdf"), words);
  EXPECT_NEAR(n.x, -1, 1e-12);
  EXPECT_NEAR(n.y, 0, 1e-12);
  const std::vector<std::uint32_t> none(4, c32::singleFromDouble(0));
  EXPECT_EQ(layout.normal(surface("ball.sdf"), none), scene::Vec3{});
}

TEST(RecordLayout, ResultWordsAloneAreALayout) {
  const auto layout = readRecordLayout(
      "f.json", R"({"schema_version": 1, "result": [{"name": "a", "format": "address"}]})");
  EXPECT_TRUE(layout.types.empty());
  EXPECT_EQ(layout.largest(), 0U);
  EXPECT_FALSE(layout.hasNormal());
}

TEST(RecordLayout, WordsAreShownAsPeopleWriteThem) {
  EXPECT_EQ(host::wordText(WordFormat::Single, c32::singleFromDouble(-0.375)), "-0.375");
  EXPECT_EQ(host::wordText(WordFormat::Integer, 0xFFFFFFFE), "-2");
  EXPECT_EQ(host::wordText(WordFormat::Address, 0x412), "000412h");
  EXPECT_EQ(host::encodeWord(WordFormat::Integer, 1e15), 0x7FFFFFFFU);
  EXPECT_EQ(host::encodeWord(WordFormat::Integer, -3), 0xFFFFFFFDU);
}

std::string record(const std::string& members) {
  return R"({"schema_version":1,"records":[{)" + members + "}]}";
}
std::string withWord(const std::string& members) {
  return record(R"("name":"a","code":1,"surface":"b.sdf","words":[{)" + members + "}]");
}
std::string withResult(const std::string& elements) {
  return R"({"schema_version":1,"result":[)" + elements + "]}";
}

std::string refusal(const std::string& text) {
  try {
    (void)readRecordLayout("f.json", text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

void expectRefused(const std::string& text, const std::string& part) {
  const std::string found = refusal(text);
  EXPECT_TRUE(found.starts_with("f.json:")) << text << "\n" << found;
  EXPECT_NE(found.find(part), std::string::npos) << text << "\n" << found;
}

TEST(RecordLayout, RefusesFilesThatAreNoLayout) {
  expectRefused("", "expected");
  expectRefused("[1]", "expected an object");
  expectRefused("{}", "without 'schema_version'");
  expectRefused(R"({"schema_version":2})", "expected the number 1");
  expectRefused(R"({"schema_version":1,"record":[]})", "the nearest is 'records'");
  expectRefused(R"({"schema_version":1,"records":{}})", "expected an array");
  expectRefused(R"({"schema_version":1,"normal_space":"eye"})", "\"world\", \"object\"");
  expectRefused("{\"schema_version\":1,\n\"records\":[3]}", "f.json:2: found");
}

TEST(RecordLayout, RefusesRecords) {
  expectRefused(record(R"("code":1,"surface":"b","words":[])"), "without 'name'");
  expectRefused(record(R"("name":"A","code":1,"surface":"b","words":[])"), "small letters");
  expectRefused(record(R"("name":"","code":1,"surface":"b","words":[])"), "small letters");
  expectRefused(record(R"("name":"a","surface":"b","words":[])"), "without 'code'");
  expectRefused(record(R"("name":"a","code":0,"surface":"b","words":[])"), "from 1 to 63");
  expectRefused(record(R"("name":"a","code":64,"surface":"b","words":[])"), "from 1 to 63");
  expectRefused(record(R"("name":"a","code":1.5,"surface":"b","words":[])"), "a whole number");
  expectRefused(record(R"("name":"a","code":"1","surface":"b","words":[])"), "from 1 to 63");
  expectRefused(record(R"("name":"a","code":1,"words":[])"), "without 'surface'");
  expectRefused(record(R"("name":"a","code":1,"surface":"x/b","words":[])"), "without folder");
  expectRefused(record(R"("name":"a","code":1,"surface":7,"words":[])"), "without folder");
  expectRefused(record(R"("name":"a","code":1,"surface":"b")"), "without 'words'");
  expectRefused(record(R"("name":"a","code":1,"surface":"b","words":[],"cycles":0)"), "from 1 to");
  expectRefused(record(R"("name":"a","code":1,"surface":"b","words":[],"margin":-1)"), "from 0");
  expectRefused(record(R"("name":"a","code":1,"surface":"b","words":[],"values":[])"),
                "an object of names");
  expectRefused(record(R"("name":"a","code":1,"surface":"b","words":[],"values":{"a.b":1})"),
                "a name without");
  expectRefused(record(R"("name":"a","code":1,"surface":"b","words":[],"values":{"r":"1"})"),
                "a number from");
  const std::string one = R"({"name":"a","code":1,"surface":"b","words":[]})";
  const auto two = [&](const std::string& other) {
    return R"({"schema_version":1,"records":[)" + one + ",\n" + other + "]}";
  };
  expectRefused(two(R"({"name":"a","code":2,"surface":"c","words":[]})"), "that of line 1");
  expectRefused(two(R"({"name":"b","code":1,"surface":"c","words":[]})"), "that of line 1");
  expectRefused(two(R"({"name":"b","code":2,"surface":"b","words":[]})"), "f.json:2:");
}

TEST(RecordLayout, RefusesWords) {
  expectRefused(withWord(R"("format":"single","value":1)"), "without 'name'");
  expectRefused(withWord(R"("name":"w","value":1)"), "without 'format'");
  expectRefused(withWord(R"("name":"w","format":"double","value":1)"), "\"single\", \"integer\"");
  expectRefused(withWord(R"("name":"w","format":"single")"), "without 'value'");
  expectRefused(withWord(R"("name":"w","format":"single","value":true)"), "a number, or a text");
  expectRefused(withWord(R"("name":"w","format":"single","value":"origin.w")"), "'origin.w'");
  expectRefused(withWord(R"("name":"w","format":"single","value":"inverse.x")"), "'inverse.x'");
  expectRefused(withWord(R"("name":"w","format":"single","value":"2 * ")"), "found ''");
  expectRefused(withWord(R"("name":"w","format":"single","value":"radius")"), "one of \"values\"");
  expectRefused(withWord(R"("name":"w","format":"single","value":"1e13")"), "'1e13'");
  expectRefused(withWord(R"("name":"w","format":"single","value":1e400)"), "expected");
  expectRefused(withWord(R"("name":"w","format":"single","value":"1*1*1*1*1*1*1*1*9")"), "'9'");
  expectRefused(withWord(R"("name":"w","format":"single","value":"next")"), "format \"address\"");
  expectRefused(withWord(R"("name":"w","format":"address","value":"low.x")"), "\"here\" or");
  std::string many = R"({"name":"w0","format":"single","value":0})";
  for (int i = 1; i < 50; ++i) {
    many += R"(,{"name":"w)" + std::to_string(i) + R"(","format":"single","value":0})";
  }
  expectRefused(record(R"("name":"a","code":1,"surface":"b","words":[)" + many + "]"),
                "at most 49");
}

TEST(RecordLayout, RefusesResults) {
  expectRefused(withResult("1"), "an object");
  expectRefused(withResult(R"({"name":"a","format":"single","use":"normal"})"), "\"normal.x\"");
  expectRefused(withResult(R"({"name":"a","format":"integer","use":"normal.x"})"), "\"single\"");
  expectRefused(withResult(R"({"name":"a","format":"single","use":"normal.x"})"), "all of");
  expectRefused(withResult(R"({"name":"a","format":"single"},{"name":"a","format":"single"})"),
                "again");
  expectRefused(withResult(R"({"name":"a","format":"single","use":"normal.x"},)"
                           R"({"name":"b","format":"single","use":"normal.x"})"),
                "again");
  std::string many = R"({"name":"w0","format":"single"})";
  for (int i = 1; i < 9; ++i) {
    many += R"(,{"name":"w)" + std::to_string(i) + R"(","format":"single"})";
  }
  expectRefused(withResult(many), "at most 8");
}

}  // namespace
}  // namespace rtvp::platform
