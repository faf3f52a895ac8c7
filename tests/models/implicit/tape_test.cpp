// Text and binary forms: the reference's example byte by byte, round trips, and malformed tapes
// refused with position and reason.
#include <gmock/gmock.h>

#include <algorithm>

#include "models/implicit/codec.hpp"
#include "tests/models/implicit/support.hpp"

namespace rtvp::implicit::test {
namespace {

using ::testing::HasSubstr;

std::string errorsOf(const std::string& text, Limits limits = Limits::seed()) {
  return assemble("t.sdf", text, limits).report();
}

TEST(Assembler, RefusesWithPlaceAndReason) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"OPFoo var\n", "t.sdf:1:1: error: unknown opcode: found 'OPFoo'"},
      {"  OPStop\n", "t.sdf:1:3: error: found 0 arguments, OPStop expects 1"},
      {"OPStop var var\n", "t.sdf:1:12: error: found 2 arguments"},
      {"OPStop v2(1,2)\n", "t.sdf:1:8: error: type error: found 'v2(1,2)', expected f(x)"},
      {"OPStop 1\n", "t.sdf:1:8: error: found '1', expected var or f(x)"},
      {"OPStop f(x)\n", "t.sdf:1:10: error: found 'x', expected a decimal number"},
      {"OPStop f(nan)\n", "t.sdf:1:10: error: found 'nan', expected a decimal number"},
      {"OPStop f(1e39)\n", "t.sdf:1:10: error: found '1e39', expected a number within binary32"},
      {"OPSDFSphere f(1,2) var\n", "t.sdf:1:17: error: found more numbers"},
      {"OPSDFBox v3(1,2) var\n", "t.sdf:1:10: error: found 2 numbers"},
      {"; c\n\nOPStop var\n",
       "t.sdf:3:1: error: instruction 0: stack underflow: input 0 expects 1"},
      {"OPLengthVec2 var\nOPStop var\n", "type error? values wait on V3"},
      {"OPLengthVec3 var\n", "t.sdf:2:1: error: instruction 1: found the end of the tape"},
      {"OPStop f(1)\nOPNop\n", "t.sdf:2:1: error: instruction 1: found an instruction behind"},
      {"OPInvalid\nOPStop f(1)\n", "instruction 0: OPInvalid is not an instruction"},
      {"OPDup2Vec3 var\nOPStop f(1)\n", "expects 2 entries on the V3 stack, found 1"},
      {"OPDup2Float f(1)\nOPStop f(1)\n", "input 0 is a constant, expected var"},
      {"OPPushConstVec3 var\nOPStop f(1)\n", "input 0 comes from the stack, expected a constant"},
      {"OPExtractVec3 var f(3)\nOPStop var\n", "no whole number from 0 to 2"},
      {"OPNop\n.bounds 0 0 0 1 1 1\n", "t.sdf:2:1: error: found '.bounds' behind an instruction"},
      {".bounds 0 0 0 1 1\n", ".bounds expects 6"},
      {".bounds 0 0 0 1 -1 1\n", "t.sdf:1:17: error: found a greatest value below the least"},
      {".colour 1\n", "expected .bounds or .material"},
      {".material x 1\n", "expected the number of an OPSDF instruction"},
      {".material 1 1\nOPSDFSphere f(1) var\nOPStop var\n", "material 1 belongs to no instruction"},
  };
  for (const auto& [text, want] : cases) EXPECT_THAT(errorsOf(text), HasSubstr(want)) << text;
  std::string deep;
  for (unsigned n = 0; n < 8; ++n) deep += "OPDupVec3 var\n";
  EXPECT_THAT(errorsOf(deep + "OPStop f(1)\n"), HasSubstr("instruction 7: stack overflow: the V3"));
}

TEST(Assembler, LengthLimit) {
  const auto nops = [](unsigned n) {
    std::string text;
    for (unsigned k = 0; k < n; ++k) text += "OPNop\n";
    return text;
  };
  EXPECT_EQ(errorsOf(nops(231) + "OPStop f(1)\n"), "");
  EXPECT_THAT(errorsOf(nops(232) + "OPStop f(1)\n"),
              HasSubstr("t.sdf:233:1: error: over-long: found more than 232"));
  EXPECT_EQ(errorsOf(nops(300) + "OPStop f(1)\n", Limits::wide()), "");
  // At the limit an implicit OPStop runs.
  const Tape tape = assembled(nops(231) + "OPLengthVec3 var\n");
  EXPECT_EQ(evaluate(tape, {0, 3, 4}), 5);
  EXPECT_EQ(prune(tape, Mask(232), {{0, 3, 4}, {0, 3, 4}}).mask.executed(), 1U + 231U);
  EXPECT_THAT(errorsOf(nops(232)), HasSubstr("instruction 232: stack underflow"));
}

TEST(Assembler, DisassemblyAssemblesAgain) {
  for (const std::string& text :
       {std::string(kDefaultObject), std::string(kSmoothBlend), std::string(kSelections),
        ".bounds -1 -2 -3 1e-30 2 0.1\n.material 1 0.25 3\n" + std::string(kDefaultObject)}) {
    const Tape tape = assembled(text);
    const std::string again = disassemble(tape);
    EXPECT_EQ(disassemble(assembled(again)), again);
  }
  EXPECT_EQ(disassemble(assembled(kDefaultObject)), kDefaultObject);
}

TEST(Codec, DefaultObjectOfTheReference) {
  const Tape tape = assembled(kDefaultObject);
  const EncodedTapes e = encode({&tape, 1});
  const std::vector<std::uint8_t> opcodes{0x14, 0x40, 0x7d, 0x00, 0x05, 0x40, 0xd9, 0x80,
                                          0xdb, 0x80, 0x47, 0x00, 0x17, 0x40, 0x01, 0x00};
  const std::vector<std::uint8_t> dependencies{1, 255, 2, 4,   3, 255, 5,   255,
                                               5, 255, 6, 255, 7, 255, 255, 255};
  const auto tail = [](const std::vector<std::uint8_t>& bytes, std::ptrdiff_t from) {
    return std::vector<std::uint8_t>(bytes.begin() + from, bytes.end());
  };
  EXPECT_EQ(tail(e.tape(TapeKind::Opcodes), 16), opcodes);
  EXPECT_EQ(tail(e.tape(TapeKind::Dependencies), 2), dependencies);
  EXPECT_EQ(e.tape(TapeKind::Floats).size(), 4 * 4U);
  EXPECT_EQ(e.tape(TapeKind::Vec2s).size(), 2 * 8U);
  EXPECT_EQ(e.tape(TapeKind::Vec4s).size(), 2 * 16U);
  EXPECT_EQ(tail(e.tape(TapeKind::Vec4s), 28), (std::vector<std::uint8_t>{0, 0, 0x80, 0x3f}));
  EXPECT_EQ(e.descriptions.size(), 2 * 60U);
}

std::vector<Tape> several() {
  std::vector<Tape> objects;
  objects.push_back(
      assembled(".bounds -1 -2 -3 1 2 3\n.material 0 1 2 3\n" + std::string(kDefaultObject)));
  objects.push_back(assembled(kSelections));
  objects.push_back(assembled(
      "OPMulMat3Vec3 m3(1,2,3,4,5,6,7,8,9) var\nOPMulMat4Point m4(1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7) "
      "var\nOPMulMat2Vec2 m2(1,2,3,4) v2(1,2)\nOPLengthVec2 var\nOPStop var\n"));
  return objects;
}

TEST(Codec, RoundTripOfSeveralObjects) {
  std::vector<Tape> objects = several();
  for (const bool wide : {false, true}) {
    if (wide) {
      std::string text;
      for (unsigned n = 0; n < 400; ++n) text += "OPMulVec3Float var f(1.5)\n";
      objects.push_back(assembled(text + "OPLengthVec3 var\nOPStop var\n", Limits::wide()));
    }
    const EncodedTapes encoded = encode(objects);
    EXPECT_EQ(encoded.wide, wide);
    const EncodedTapes loaded = readFile(writeFile(encoded));
    EXPECT_EQ(loaded, encoded);
    const std::vector<Tape> again = decode(loaded);
    ASSERT_EQ(again.size(), objects.size());
    for (std::size_t n = 0; n < again.size(); ++n) {
      EXPECT_EQ(disassemble(again[n]), disassemble(objects[n]));
      EXPECT_EQ(again[n].consumers(), objects[n].consumers());
    }
  }
}

std::string refusal(const EncodedTapes& encoded) {
  try {
    decode(encoded);
  } catch (const CodecError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Codec, RefusesWithPositionAndReason) {
  const Tape tape = assembled(kDefaultObject);
  const EncodedTapes good = encode({&tape, 1});
  EXPECT_EQ(refusal(good), "accepted");
  const auto with = [&](TapeKind kind, std::size_t at, std::uint8_t byte) {
    EncodedTapes e = good;
    e.tape(kind).at(at) = byte;
    return refusal(e);
  };
  EXPECT_EQ(with(TapeKind::Opcodes, 16 + 4, 0xDD), "object 0: instruction 2: unknown opcode 221");
  EXPECT_EQ(with(TapeKind::Opcodes, 16 + 4, 0xDC), "object 0: instruction 2: unknown opcode 220");
  EXPECT_EQ(with(TapeKind::Opcodes, 16 + 3, 0x40),
            "object 0: instruction 1: constant flag of input 1, which is not there");
  EXPECT_THAT(with(TapeKind::Opcodes, 16 + 10, 0x02), HasSubstr("accepted"));  // min becomes add
  EXPECT_THAT(with(TapeKind::Opcodes, 16 + 10, 0x36), HasSubstr("dependency"));
  EXPECT_THAT(with(TapeKind::Opcodes, 16 + 9, 0x00), HasSubstr("instruction 4: stack underflow"));
  EXPECT_THAT(with(TapeKind::Opcodes, 16 + 14, 0x00),
              HasSubstr("instruction 8: found the end of the tape, expected OPStop"));
  EXPECT_EQ(with(TapeKind::Dependencies, 2 + 6, 1),
            "object 0: instruction 3: cyclic dependency: consumer 1 does not lie behind");
  EXPECT_EQ(with(TapeKind::Dependencies, 2 + 6, 7),
            "object 0: instruction 3: dependency 0: found 7, expected 5");
  EncodedTapes infinite = good;
  infinite.tape(TapeKind::Floats)[6] = 0x80;
  infinite.tape(TapeKind::Floats)[7] = 0x7f;
  EXPECT_EQ(refusal(infinite), "object 0: instruction 0: a constant is not finite");
  EncodedTapes shorter = good;
  shorter.tape(TapeKind::Floats).resize(12);
  EXPECT_EQ(refusal(shorter),
            "object 0: instruction 6: constant tape overrun: no element left for a F");
  EncodedTapes longer = good;
  longer.tape(TapeKind::Vec2s).resize(24);
  EXPECT_THAT(refusal(longer), HasSubstr("bytes that no instruction reads"));
  EncodedTapes torn = good;
  torn.descriptions.pop_back();
  EXPECT_THAT(refusal(torn), HasSubstr("119 bytes of descriptions"));
  EncodedTapes start = good;
  start.descriptions[60] = 9;
  EXPECT_THAT(refusal(start), HasSubstr("tape 0 runs from element 9"));
}

TEST(Codec, TruncatedFilesAreRefused) {
  const std::vector<Tape> objects = several();
  const std::vector<std::uint8_t> file = writeFile(encode(objects));
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_THROW(readFile({file.data(), size}), CodecError) << size;
  std::vector<std::uint8_t> more = file;
  more.push_back(0);
  EXPECT_THROW(readFile(more), CodecError);
}

}  // namespace
}  // namespace rtvp::implicit::test
