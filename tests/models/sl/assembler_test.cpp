// The assembler's language: what strict and lenient mode take, and where they say what is wrong.
#include "tests/models/sl/support.hpp"

namespace rtvp::sl::test {
namespace {

AssemblyResult assembled(const std::string& source, bool lenient = false) {
  AssemblerOptions options;
  options.lenient = lenient;
  return assemble("a.sl", source, options);
}

struct Wrong {
  const char* source;
  const char* place;  ///< line:column of the first error
  const char* text;   ///< part of its message
};

constexpr Wrong kWrong[] = {
    {"", "1:1", "expected 'sl 1.0'"},
    {"\n\n", "2:1", "expected 'sl 1.0'"},
    {"sl 1.0\n", "1:1", "at least one instruction"},
    {"# c\nsl 1.0\nnop\n", "1:1", "before any comment"},
    {"sl 1.1\nnop\n", "1:4", "expected 'sl 1.0'"},
    {"sl 1.0 \nnop\n", "1:7", "expected 'sl 1.0'"},
    {"SL 1.0\nnop\n", "1:1", "expected 'sl 1.0'"},
    {"nop\n", "1:1", "expected 'sl 1.0'"},
    {"sl 1.0\nmul x,y,z\n", "2:7", "one blank after the comma"},
    {"sl 1.0\nmul v0, N,L\n", "2:11", "one blank after the comma"},
    {"sl 1.0\nmul v0, N,  L\n", "2:12", "exactly one blank after the comma"},
    {"sl 1.0\nmul v0 , N, L\n", "2:7", "', '"},
    {"sl 1.0\nmul  v0, N, L\n", "2:5", "exactly one blank after the mnemonic"},
    {"sl 1.0\nmul\tv0, N, L\n", "2:4", "a tab"},
    {"sl 1.0\n mul v0, N, L\n", "2:1", "start of the line"},
    {"sl 1.0\nmul v0, N, L \n", "2:13", "end of the line"},
    {"sl 1.0\nmul v0, N, L\r\n", "2:13", "carriage return"},
    {"sl 1.0\n \nnop\n", "2:1", "blank line"},
    {"sl 1.0\n # c\nnop\n", "2:1", "start of the line"},
    {"sl 1.0\nnop # c\n", "2:5", "expected the end of the line"},
    {"sl 1.0\nmovc  x s0, uv\n", "2:6", "after the mnemonic"},
    {"sl 1.0\nmovc x  s0, uv\n", "2:8", "after the lane letter"},
    {"sl 1.0\nmovc w s0, uv\n", "2:6", "x, y, z or r, g, b"},
    {"sl 1.0\nmovc X s0, uv\n", "2:6", "x, y, z or r, g, b"},
    {"sl 1.0\nmovc s0, uv\n", "2:6", "x, y, z or r, g, b"},
    {"sl 1.0\nmovc\n", "2:5", "'movc c S, v'"},
    {"sl 1.0\nadd v0, N\n", "2:10", "'add V, v, v'"},
    {"sl 1.0\nadd v0, N, L, V\n", "2:15", "the end of the line"},
    {"sl 1.0\nadd v0, N,\n", "2:10", "an operand after it"},
    {"sl 1.0\nadd v0, , L\n", "2:9", "expected an operand"},
    {"sl 1.0\nadd v0, s0, L\n", "2:9", "'s0' (a scalar)"},
    {"sl 1.0\nmul v0, N, 2\n", "2:12", "'mul V, v, v' or 'mul V, v, s'"},
    {"sl 1.0\nmul s0, N, s1\n", "2:9", "'mul S, s, s'"},
    {"sl 1.0\nmov N, L\n", "2:5", "'N' is read-only"},
    {"sl 1.0\nli Kd, 1\n", "2:4", "'Kd' is read-only"},
    {"sl 1.0\nli t0, 1\n", "2:4", "'t0' (a vector)"},
    {"sl 1.0\nmov n, L\n", "2:5", "'n'"},
    {"sl 1.0\nfoo s0\n", "2:1", "expected an instruction"},
    {"sl 1.0\nNOP\n", "2:1", "expected an instruction"},
    {"sl 1.0\nli s0, 1f\n", "2:8", "a decimal number"},
    {"sl 1.0\nli s0, 0x10\n", "2:8", "a decimal number"},
    {"sl 1.0\nli s0, inf\n", "2:8", "a decimal number"},
    {"sl 1.0\nli s0, .\n", "2:8", "a decimal number"},
    {"sl 1.0\nli s0, 1e\n", "2:8", "a decimal number"},
    {"sl 1.0\nli s0, 3.5e38\n", "2:8", "beyond the largest"},
    {"sl 1.0\nli s0, 3.40282357e38\n", "2:8", "beyond the largest"},
    {"sl 1.0\njmp 1.5\n", "2:5", "a whole number"},
    {"sl 1.0\njmp +-1\n", "2:5", "a whole number"},
    {"sl 1.0\njmp 32768\n", "2:5", "-32768..32767"},
    {"sl 1.0\njmp -99999999999999999999\n", "2:5", "-32768..32767"},
    {"sl 1.0\njmp 1\n", "2:5", "in 0..1"},
    {"sl 1.0\nblt s0, Kd, -2\n", "2:13", "in 0..1"},
    {"sl 1.0\nlookup v0, r0, uv\n", "2:12", "a texture slot"},
    {"sl 1.0\nlookup v0, t8, uv\n", "2:12", "a texture slot"},
};

TEST(Assembler, ErrorsSayWhereAndWhat) {
  for (const Wrong& w : kWrong) {
    SCOPED_TRACE(w.source);
    const AssemblyResult r = assembled(w.source);
    EXPECT_FALSE(r.program);
    ASSERT_FALSE(r.diagnostics.empty());
    const Diagnostic& d = r.diagnostics[0];
    EXPECT_EQ(std::to_string(d.line) + ":" + std::to_string(d.column), w.place) << d.message;
    EXPECT_NE(d.message.find(w.text), std::string::npos) << d.message;
  }
}

TEST(Assembler, OneReportForSeveralLines) {
  const AssemblyResult r = assembled("sl 1.0\nmov N, L\nnop\nfoo\njmp 9\n");
  EXPECT_EQ(r.report(),
            "a.sl:2:5: error: 'N' is read-only, expected r0 to r3 or v0\n"
            "a.sl:4:1: error: found 'foo', expected an instruction\n"
            "a.sl:5:5: error: offset 9 leads to instruction 13, expected a target in 0..4\n");
  std::string many = "sl 1.0\n";
  for (int n = 0; n < 1000; ++n) many += "foo\n";
  EXPECT_EQ(assembled(many).diagnostics.size(), AssemblerOptions{}.maxErrors);
}

TEST(Assembler, HeaderErrorDoesNotHideOthers) {
  const AssemblyResult r = assembled("# comment\nsl 1.0\nmov N, L\n");
  ASSERT_EQ(r.diagnostics.size(), 2U);
  EXPECT_EQ(r.diagnostics[0].line, 1U);
  EXPECT_EQ(r.diagnostics[1].line, 3U);
}

TEST(Assembler, LenientModeTakesWhatPeopleWrite) {
  const AssemblyResult plain = assembled("sl 1.0\nmovc g s0, uv\nmul v0, N, s0\nblt s0, Kd, -3\n");
  ASSERT_TRUE(plain.program);
  const AssemblyResult loose = assembled(
      "  # first a comment\r\n \t\n  sl   1.0\t\r\n\tmovc \t g  s0 ,  uv\r\nmul v0 ,N_"
      "\n",
      true);
  EXPECT_FALSE(loose.program) << "lenient is about blanks, not names";
  const AssemblyResult good = assembled(
      "  # first a comment\r\n \t\n  sl   1.0\t\r\n\tmovc \t g  s0 ,  uv\r\n  mul v0,  N , s0 \r\n"
      "   # c\nblt s0, Kd, -3",
      true);
  ASSERT_TRUE(good.program) << good.report();
  EXPECT_EQ(good.program->words(), plain.program->words());
  EXPECT_FALSE(assembled("sl 1.0\nmul v0,N,s0\n", true).program) << "a comma wants its blank";
}

TEST(Assembler, Literals) {
  const auto literal = [](const std::string& text) {
    return codeOf("li s0, " + text + "\n")[0].literal();
  };
  EXPECT_EQ(literal("1"), 1);
  EXPECT_EQ(literal("5."), 5);
  EXPECT_EQ(literal(".5"), .5F);
  EXPECT_EQ(literal("+2"), 2);
  EXPECT_EQ(literal("-.5"), -.5F);
  EXPECT_EQ(literal("1E3"), 1000);
  EXPECT_EQ(literal("1e-3"), 1e-3F);
  EXPECT_EQ(literal("1e-45"), 1e-45F);
  EXPECT_EQ(literal("1e-60"), 0);
  EXPECT_TRUE(std::signbit(literal("-0")));
  EXPECT_EQ(literal("3.4028235e38"), std::numeric_limits<float>::max());
  // A double first would round twice: just above half way between two neighbours of 1.
  EXPECT_EQ(literal("1.00000005960464477540"), std::nextafter(1.0F, 2.0F));
  EXPECT_EQ(literal("1." + std::string(5000, '0') + "1"), 1);
}

TEST(Assembler, OffsetsAndLinesWithoutEnd) {
  EXPECT_EQ(codeOf("jmp +000\n")[0].offset(), 0);
  EXPECT_EQ(codeOf("jmp -1")[0].offset(), -1);
  EXPECT_EQ(programOf("\n\nsl 1.0\n\n#c\nnop\n\n").size(), 1U);
  std::string far = "jmp 32767\n";
  for (int n = 0; n < 32767; ++n) far += "nop\n";
  EXPECT_EQ(codeOf(far).target(0), 32768U);
}

TEST(Assembler, TextureMaskAndFlags) {
  EXPECT_EQ(codeOf("lookup v0, t3, uv\n").textureMask(), 8U);
  EXPECT_TRUE(codeOf("lookup v0, t3, uv\n").looksUp());
  EXPECT_FALSE(codeOf("mov v0, t7\nadd v0, t0, v0\n").looksUp());
  EXPECT_EQ(codeOf("mov v0, t7\nadd v0, t0, v0\n").textureMask(), 0x81U);
  EXPECT_EQ(codeOf("lookup v0, t3, t1\n").textureMask(), 0x0AU);
  EXPECT_EQ(codeOf("nop\n").flags(), 0);
  EXPECT_EQ(codeOf("rnd s0\n").flags(), flag::kRnd);
  EXPECT_EQ(codeOf("trace v0, N, N\n").flags(), flag::kTrace);
  EXPECT_EQ(codeOf("clamp s0, Kd, Ks\n").reads(), std::uint64_t{1} << reg::s0 |
                                                      std::uint64_t{1} << reg::Kd |
                                                      std::uint64_t{1} << reg::Ks);
}

TEST(Assembler, InputsAreWhatTheStartCanReach) {
  const auto inputs = [](const std::string& lines) { return codeOf(lines).inputs(); };
  const auto bit = [](unsigned id) { return std::uint64_t{1} << id; };
  EXPECT_EQ(inputs("li s0, 1\nadd s1, s0, Kd\n"), bit(reg::Kd));
  EXPECT_EQ(inputs("blt Kd, Ks, 1\nli s0, 1\nadd s1, s0, Kd\n"),
            bit(reg::Kd) | bit(reg::Ks) | bit(reg::s0));
  EXPECT_EQ(inputs("jmp 1\nmov r0, N\nmov v0, C0\n"), bit(reg::C0));
  EXPECT_EQ(inputs("mov v0, C0\nret\nmov v0, N\n"), bit(reg::C0));
  EXPECT_EQ(inputs("lc x r0, Kd\nmov v0, r0\n"), bit(reg::r0) | bit(reg::Kd));
  EXPECT_EQ(inputs("li s1, 1\nadd s1, s1, s0\nblt s1, Kd, -2\n"), bit(reg::s0) | bit(reg::Kd));
  // The loop reads in its second turn what its first wrote, and s2 before anybody did.
  EXPECT_EQ(inputs("add s1, s2, Kd\nmov s2, s1\nblt s2, Kd, -3\n"), bit(reg::s2) | bit(reg::Kd));
}

TEST(Assembler, ListingShowsWordsTargetsAndSource) {
  const AssemblyResult r = assembled("sl 1.0\n# c\ndp3 s0, N, L\nblt s0, Kd, -2\n");
  ASSERT_TRUE(r.program);
  EXPECT_NE(r.listing.find("    0  3010161000000000             dp3 s0, N, L\n"), std::string::npos)
      << r.listing;
  EXPECT_NE(r.listing.find("-> 0"), std::string::npos);
  EXPECT_EQ(r.lines, (std::vector<std::uint32_t>{3, 4}));
}

TEST(Assembler, LongLinesAreLinear) {
  const std::string name(1 << 20, 'a');
  const AssemblyResult r = assembled("sl 1.0\nmov " + name + ", " + name + "\n");
  ASSERT_EQ(r.diagnostics.size(), 1U);
  EXPECT_LT(r.diagnostics[0].message.size(), 200U);
}

}  // namespace
}  // namespace rtvp::sl::test
