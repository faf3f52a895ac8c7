// xphmg-run --batch: the contract's worked examples, damaged requests, and its speed.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <ctime>
#include <random>
#include <sstream>

#include "models/common/tool/json_lines.hpp"
#include "models/xphmg/tools/runner.hpp"
#include "tests/models/xphmg/job_scene.hpp"

namespace rtvp::xphmg {
namespace {

namespace json = boost::json;

std::vector<json::object> answers(const std::string& lines) {
  std::istringstream in(lines);
  std::ostringstream out;
  runBatch(in, out);
  std::istringstream text(out.str());
  std::vector<json::object> list;
  for (std::string line; std::getline(text, line);) list.push_back(json::parse(line).as_object());
  return list;
}
json::object answer(const std::string& line) {
  const auto list = answers(line + "\n");
  EXPECT_EQ(list.size(), 1U);
  return list.empty() ? json::object{} : list.front();
}
std::string errorOf(const std::string& line) {
  const json::object a = answer(line);
  return a.contains("error") ? std::string(a.at("error").as_string()) : "none";
}
void expectKeys(const json::object& got, const std::string& expected) {
  const json::value wanted = json::parse(expected);
  for (const auto& item : wanted.as_object())
    EXPECT_EQ(got.at(item.key()), item.value()) << item.key();
}

const std::string kRay16 = R"("ray":["3400","3400","0000","0000","0000","3c00","0000","5640"])";
const std::string kBoxes16 =
    R"("boxes":[["0000","0000","3c00","3c00","3c00","3c00"],["4000","0000","4200","4200","3c00","4200"],null,null])";
const std::string kTri32 =
    R"("tris":[["00000000","00000000","40400000","00000000","3f800000","40800000","3f800000","00000000","40a00000"]])";
const std::string kRay32 =
    R"("ray":["3e99999a","3e4ccccd","00000000","00000000","00000000","3f333333","00000000","42c80000"])";

TEST(Batch, WorkedExamples) {
  expectKeys(answer(R"({"op":"bbox","format":"fp16","flags":4,)" + kRay16 + "," + kBoxes16 + "}"),
             R"({"hit":1,"child":0,"p0":1,"tnear":"3c00","tfar":"3c00","rd":["000100013c003c00"],
                 "stat":"4000","exc":"01"})");
  expectKeys(answer(R"({"op":"tri","format":"fp16","flags":0,)"
                    R"("ray":["3800","3800","0000","0000","0000","3c00","0000","5640"],)"
                    R"("tris":[["0000","0000","3c00","0000","3c00","3c00","3c00","0000","3c00"],)"
                    R"(["3c00","0000","3c00","0000","3c00","3c00","3c00","3c00","3c00"]]})"),
             R"({"hit":1,"prim":0,"front":1,"p0":1,"t":"3c00","u":"3800","v":"3800",
          "rd":["0000000000000003","0000000000003c00","0000000000003800","0000000000003800"],
          "stat":"4000","exc":"00"})");
  expectKeys(
      answer(R"({"op":"tri","format":"fp32","rm":"rup","flags":0,)" + kRay32 + "," + kTri32 + "}"),
      R"({"hit":1,"prim":0,"front":1,"p0":1,"t":"40adb6dc","u":"3e4ccccd","v":"3e99999a",
                 "rd":["0000000000000003","0000000040adb6dc","000000003e4ccccd","000000003e99999a"],
                 "stat":"0000","exc":"01"})");
}

TEST(Batch, OffloadOfSection12) {
  test::JobScene s(Format::Fp16);
  encodeDesc(s.desc, s.at(test::JobScene::kDesc));
  std::string bytes;
  for (const std::uint8_t b : s.memory.bytes()) bytes += common::hexDigits(b, 2);
  // Two touching ranges: one memory.
  const std::string request = R"({"op":"offload","format":"fp16","mem":[["80000000",")" +
                              bytes.substr(0, std::size_t{0x3105} * 2) + R"("],["80003105",")" +
                              bytes.substr(std::size_t{0x3105} * 2) +
                              R"("]],"desc":"80004000","read":[["80003400",32],["80003024",4]]})";
  expectKeys(answer(request), R"({"ticket":1,"ec":0,"stat":"4000","exc":"00","mem":[["80003400",)"
                              R"("a000000000000000000000000400000000)"
                              R"(3c0000003400000034000003030000"],["80003024","03000000"]]})");
  const json::object failed = answer(R"({"op":"offload","mem":[],"desc":"1000"})");
  expectKeys(failed, R"({"ticket":1,"ec":1,"mem":[]})");
}

TEST(Batch, PredicateOnlyAndMisses) {
  expectKeys(answer(R"({"op":"bbox","format":"fp16","flags":2,)" + kRay16 + "," + kBoxes16 + "}"),
             R"({"hit":1,"p0":1,"tnear":null,"tfar":null,"rd":[],"stat":"4000","exc":"01"})");
  expectKeys(answer(R"({"op":"bbox","format":"fp16","boxes":[],)" + kRay16 + "}"),
             R"({"hit":0,"child":0,"p0":0,"tnear":"0000","tfar":"0000","stat":"4000","exc":"00"})");
  expectKeys(answer(R"({"op":"tri","flags":4,"tris":[],)" + kRay32 + "}"),
             R"({"hit":0,"prim":0,"t":"0000","rd":["0000000000000000"],"stat":"4000"})");
}

TEST(Batch, QuantisedIntegers) {
  // real = (q - 3) / 4: box z = 1, ray from (0.25, 0.25, 0) along +z.
  expectKeys(answer(R"({"op":"bbox","format":"int8","zp":3,"sh":-2,"flags":1,)"
                    R"("ray":["04","04","03","03","03","07","03","7f"],)"
                    R"("boxes":[["03","03","07","07","07","07"]]})"),
             R"({"hit":1,"tnear":"07","tfar":"07","exc":"01"})");
  // FTZ is a bit of MODE (xphmg.md 4.2): 0 may be said.
  EXPECT_EQ(errorOf(R"({"op":"bbox","format":"fp16","ftz":0,"boxes":[],)" + kRay16 + "}"), "none");
  EXPECT_NE(errorOf(R"({"op":"bbox","format":"fp16","ftz":2,"boxes":[],)" + kRay16 + "}"), "none");
  // The same numbers in 16 bits; PET and EW are a legal pair (xphmg.md 4.4): no UNSUP_FMT in STAT.
  const json::object wide =
      answer(R"({"op":"bbox","format":"int16","zp":3,"sh":-2,"flags":1,)"
             R"("ray":["0004","0004","0003","0003","0003","0007","0003","7fff"],)"
             R"("boxes":[["0003","0003","0007","0007","0007","0007"]]})");
  expectKeys(wide, R"({"hit":1,"tnear":"0007","tfar":"0007","exc":"01"})");
  EXPECT_EQ(std::stoul(std::string(wide.at("stat").as_string()), nullptr, 16) & 0x8000U, 0U);
}

TEST(Batch, SelectAndNode8) {
  std::string eight;
  for (int n = 0; n < 8; ++n)
    eight += std::string(n == 0 ? "" : ",") + R"(["0000","0000","3c00","3c00","3c00","3c00"])";
  expectKeys(answer(R"({"op":"bbox","format":"fp16","boxes":[)" + eight + "]," + kRay16 + "}"),
             R"({"hit":255,"child":0})");
  expectKeys(
      answer(R"({"op":"bbox","format":"fp16","sel":6,"boxes":[)" + eight + "]," + kRay16 + "}"),
      R"({"hit":64,"child":6})");
}

TEST(Batch, BadLinesAreAnsweredAndTheRunGoesOn) {
  const auto list = answers(std::string("{\n\n[]\n{\"op\":\"fly\"}\n") +
                            R"({"op":"bbox","format":"fp16",)" + kRay16 + "," + kBoxes16 + "}\n");
  ASSERT_EQ(list.size(), 4U);
  EXPECT_TRUE(list[0].contains("error"));
  EXPECT_TRUE(list[1].contains("error"));
  EXPECT_EQ(list[2].at("error").as_string(), "op: expected bbox, tri or offload");
  EXPECT_EQ(list[3].at("hit"), 1);
  EXPECT_EQ(errorOf(R"({"op":"tri"} x)"), "column 14: extra data");
  EXPECT_EQ(errorOf(R"({"op":"tri","tris":[],"ray":["0"]})"), "ray: expected an array of 8 words");
  EXPECT_EQ(errorOf(R"({"op":"tri","tris":[],"format":"fp12"})"),
            "format: found 'fp12', expected one of fp32, fp16, bf16, int8, int16, int32, fp8_e4m3, "
            "fp8_e5m2");
  EXPECT_EQ(errorOf(R"({"op":"tri","flags":16})"), "flags: expected an integer from 0 to 15");
  EXPECT_EQ(errorOf(R"({"op":"bbox","sel":8,"boxes":[],)" + kRay32 + "}"),
            "sel: expected an integer from -1 to 7");
  EXPECT_EQ(errorOf(R"({"op":"bbox","boxes":[],"format":"fp16",)" + kRay32 + "}"),
            "ray: found '3e99999a', expected 4 hexadecimal digits");
  EXPECT_EQ(errorOf(R"({"op":"offload","mem":[["0","123"]],"desc":"0"})"),
            "mem: expected two hex digits a byte");
  EXPECT_EQ(errorOf(R"({"op":"offload","mem":[["ffffffffffffffff","1234"]],"desc":"0"})"),
            "mem: a range reaches past the end of the address space");
  EXPECT_EQ(errorOf(R"({"op":"offload","mem":[],"desc":"0","read":[["10",4]]})"),
            "read: 0000000000000010 is outside of mem");
  EXPECT_EQ(errorOf(R"({"op":"offload","mem":[],"desc":"0","csr":{"RTFOO":"1"}})"),
            "csr: unknown register 'RTFOO'");
}

/// Ten thousand vectors of all kinds within the five seconds of the contract, in CPU time.
TEST(Batch, TenThousandVectors) {
  std::mt19937 random(5);
  std::string lines;
  const auto words = [&random](unsigned n) {
    std::string list;
    for (unsigned i = 0; i < n; ++i)
      list += std::string(i == 0 ? "\"" : ",\"") + common::hexDigits(random(), 8) + "\"";
    return "[" + list + "]";
  };
  constexpr int kVectors = 10000;
  for (int n = 0; n < kVectors; ++n) {
    if (n % 2 == 0) {
      lines += R"({"op":"bbox","ray":)" + words(8) + R"(,"boxes":[)" + words(6) + "," + words(6) +
               "," + words(6) + "," + words(6) + "]}\n";
    } else {
      lines +=
          R"({"op":"tri","ray":)" + words(8) + R"(,"tris":[)" + words(9) + "," + words(9) + "]}\n";
    }
  }
  const std::clock_t start = std::clock();
  const auto list = answers(lines);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::cout << kVectors << " vectors: " << seconds << " s\n";
  EXPECT_EQ(list.size(), std::size_t{kVectors});
  for (const json::object& a : list) ASSERT_FALSE(a.contains("error"));
}

}  // namespace
}  // namespace rtvp::xphmg
