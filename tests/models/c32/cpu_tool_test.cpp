// Dialogue with c32-run --batch (design.md section 7): one answer a line, errors answered, never
// stopped by one.
#include <gtest/gtest.h>

#include <array>
#include <boost/json.hpp>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/paths.hpp"

namespace {

namespace json = boost::json;

/// Answers of `c32-run --batch` to these request lines.
std::vector<json::object> ask(const std::vector<std::string>& lines) {
  const std::string file = ::testing::TempDir() + "c32_run_" +
                           ::testing::UnitTest::GetInstance()->current_test_info()->name() +
                           ".jsonl";
  {
    std::ofstream out(file);
    for (const std::string& line : lines) out << line << '\n';
  }
  std::vector<json::object> answers;
  FILE* pipe = popen((std::string(RTVP_BIN_DIR "/c32-run --batch < ") + file).c_str(), "r");
  if (pipe == nullptr) return answers;
  std::string line;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    answers.push_back(json::parse(line).as_object());
    line.clear();
  }
  EXPECT_EQ(pclose(pipe), 0);
  std::remove(file.c_str());
  return answers;
}

std::string str(const json::value& v) {
  return std::string(v.as_string());
}

TEST(C32Run, AnswersInTheDocumentedForm) {
  const auto answers =
      ask({R"({"pc":"0c0100","regs":{"R0":"0500000001","AR1":"00011000","DP":"00000002"},)"
           R"("mem":{"0c0100":"15400109","0c0101":"0f200000"},"steps":2})"});
  ASSERT_EQ(answers.size(), 1u);
  const json::object& a = answers[0];
  EXPECT_EQ(str(a.at("regs").at("PC")), "0c0102");
  EXPECT_EQ(str(a.at("regs").at("R0")), "0500000001");
  EXPECT_EQ(str(a.at("regs").at("SP")), "00000001");
  EXPECT_EQ(a.at("regs").as_object().size(), 29u);
  EXPECT_EQ(str(a.at("mem").at("011009")), "00000001");
  EXPECT_EQ(a.at("mem").as_object().size(), 2u);
  EXPECT_EQ(a.at("cycles").to_number<int>(), 2);
  EXPECT_TRUE(a.at("halt").is_null());
}

TEST(C32Run, FillHaltAndFaults) {
  const auto answers =
      ask({R"({"pc":"000010","fill":"0c800000","steps":1000})",
           R"({"pc":"0","mem":{"0":"06000000"},"steps":9})", R"({"pc":"0","mem":{"0":"a0000000"}})",
           R"({"pc":"ffffff","fill":"0c800000"})", R"({"fill":"16000000","steps":3})"});
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_EQ(answers[0].at("cycles").to_number<int>(), 1000);
  EXPECT_EQ(str(answers[0].at("regs").at("PC")), "0003f8");
  EXPECT_EQ(str(answers[1].at("halt")), "idle");
  EXPECT_NE(str(answers[2].at("halt")).find("undefined instruction A0000000h"), std::string::npos);
  EXPECT_EQ(str(answers[3].at("regs").at("PC")), "000000");
  EXPECT_TRUE(
      answers[4].at("halt").is_null());  // XF1 reads 0 as the request left it: SIGI completes
}

TEST(C32Run, BadLinesAreAnsweredAndPassed) {
  const std::vector<std::string> bad = {
      "nonsense",
      "[]",
      "7",
      R"({"pc":17})",
      R"({"pc":"1234567"})",
      R"({"pc":""})",
      R"({"regs":{"R8":"0"}})",
      R"({"regs":{"AR0":"123456789"}})",
      R"({"regs":{"R0":"12345678901"}})",
      R"({"mem":{"zz":"0"}})",
      R"({"mem":{"0":12}})",
      R"({"steps":-1})",
      R"({"steps":1e9})",
      R"({"steps":1000000000000})",
      R"({"bogus":1})",
      R"({"fill":null})",
      "{\"pc\":\"0\"",
      std::string(3000, '['),
  };
  std::vector<std::string> lines = bad;
  lines.emplace_back("{}");
  const auto answers = ask(lines);
  ASSERT_EQ(answers.size(), lines.size());
  for (std::size_t i = 0; i < bad.size(); ++i) EXPECT_TRUE(answers[i].contains("error")) << bad[i];
  EXPECT_FALSE(answers.back().contains("error"));
}

/// A program that writes everywhere is stopped before it fills the machine.
TEST(C32Run, MemoryIsBounded) {
  // RPTB over STI R0,*AR0++ ; AR0 walks through memory below the code.
  const auto answers =
      ask({R"({"pc":"f00000","regs":{"RC":"00ffffff"},)"
           R"("mem":{"f00000":"64f00001","f00001":"15402001"},"steps":20000000})"});
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_NE(str(answers[0].at("halt")).find("words written"), std::string::npos);
}

}  // namespace
