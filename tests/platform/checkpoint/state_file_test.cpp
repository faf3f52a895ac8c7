// Checkpoint files with digests that are right and contents that are not.
#include "platform/checkpoint/state_file.hpp"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>

namespace {

using namespace rtvp::platform;

constexpr std::size_t kHead = 16 + 2 * 96;
constexpr std::size_t kTable = kHead + 64;

StateFile sample() {
  StateFile file;
  file.version = "1.2";
  file.revision = "abc";
  file.timePs = 12345;
  file.hits = true;
  file.configuration = {{"a.b", 1}, {"c", "text"}};
  file.inputs = {{"scene", "x.shk", std::string(64, 'a'), 7}};
  file.state.assign(5000, 9);
  return file;
}

/// The table's digest made right again.
void seal(std::vector<std::uint8_t>& bytes) {
  const std::string digest = sha256(std::span<const std::uint8_t>(bytes).first(kHead));
  std::copy(digest.begin(), digest.end(), bytes.begin() + kHead);
}

std::string refusal(const std::vector<std::uint8_t>& bytes) {
  try {
    (void)decodeStateFile(bytes, "F");
  } catch (const StateFileError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(StateFile, ComesBack) {
  const StateFile before = sample();
  const StateFile after = decodeStateFile(encodeStateFile(before), "F");
  EXPECT_EQ(after.version, "1.2");
  EXPECT_EQ(after.timePs, 12345U);
  EXPECT_TRUE(after.hits);
  EXPECT_EQ(after.configuration, before.configuration);
  ASSERT_EQ(after.inputs.size(), 1U);
  EXPECT_TRUE(after.inputs[0].sameContent(before.inputs[0]));
  EXPECT_EQ(after.state, before.state);
  EXPECT_LT(encodeStateFile(before).size(), 2000U);
}

TEST(StateFile, LengthsAreNotBelieved) {
  const std::vector<std::uint8_t> whole = encodeStateFile(sample());
  for (const std::size_t part : {0U, 1U}) {
    for (const std::size_t field : {8U, 16U}) {
      std::vector<std::uint8_t> bytes = whole;
      for (std::size_t i = 0; i < 8; ++i) bytes[16 + 96 * part + field + i] = 0xFF;
      seal(bytes);
      EXPECT_NE(refusal(bytes).find("F: found"), std::string::npos) << part << " " << field;
    }
  }
  std::vector<std::uint8_t> bytes = whole;
  bytes[16 + 96 + 16] ^= 1U;  // bytes of the state, unpacked
  seal(bytes);
  EXPECT_NE(refusal(bytes).find("cannot unpack"), std::string::npos);
}

TEST(StateFile, AnotherFormatIsNamed) {
  std::vector<std::uint8_t> bytes = encodeStateFile(sample());
  bytes[8] = 9;
  EXPECT_EQ(refusal(bytes), "F: found format 9, expected format 1, which this program writes");
  EXPECT_NE(refusal({}).find("another kind of file"), std::string::npos);
}

TEST(StateFile, AnIdentityThatIsNone) {
  std::vector<std::uint8_t> bytes = encodeStateFile(sample());
  bytes[kTable] = '[';
  const std::size_t size = bytes[24] + 256U * bytes[25];
  const std::string digest = sha256(std::span<const std::uint8_t>(bytes).subspan(kTable, size));
  std::copy(digest.begin(), digest.end(), bytes.begin() + 16 + 24);
  seal(bytes);
  EXPECT_NE(refusal(bytes).find("does not say whose state"), std::string::npos);
}

TEST(StateFile, TheFirstDifferenceIsNamed) {
  const StateFile file = sample();
  const auto differs = [&](const boost::json::object& now, const std::string& version = "1.2") {
    return differenceOf(file, version, "abc", now, file.inputs);
  };
  EXPECT_EQ(differs(file.configuration), "");
  EXPECT_EQ(differs({{"a.b", 2}, {"c", "text"}}),
            "a.b: found 2, expected 1 (as in the checkpoint)");
  EXPECT_EQ(differs({{"a.b", 1}}), "c: found nothing, expected \"text\" (as in the checkpoint)");
  EXPECT_EQ(differs({{"a.b", 1}, {"c", "text"}, {"d", 0}}),
            "d: found 0, expected nothing (as in the checkpoint)");
  EXPECT_NE(differs(file.configuration, "1.3").find("version 1.3"), std::string::npos);
}

}  // namespace
