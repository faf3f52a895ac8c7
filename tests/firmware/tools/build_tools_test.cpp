// The build's own tools as the build calls them: what they let through and what stops the build.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/asm/coff.hpp"
#include "models/tigershark/protocol.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/tool_folder.hpp"

namespace {

class BuildTools : public rtvp::test::ToolFolder {};

/// An image as the board expects it: a reset vector, boot code, and an internal part whose record
/// loop has `loop` words and whose data and stack have `data`.
class TigersharkCheck : public BuildTools {
 protected:
  int check(unsigned loop, unsigned data, unsigned vectors = 1) const {
    std::ostringstream text;
    text << "        .sect \"reset\",0,0\n        .space " << vectors << "\n"
         << "        .sect \"boot\"," << rtvp::tigershark::kFirmwareBase << ","
         << rtvp::tigershark::kFirmwareBase << "\n        .word internal_load\n"
         << "        .sect \"internal\",87FE00h," << rtvp::tigershark::kFirmwareBase + 1 << "\n"
         << "        .label internal_load\n        .space " << loop << "\nhot_end:\n"
         << "        .space " << (loop < 256 ? 256 - loop : 0) << "\ndata_start:\n        .space "
         << data << "\n";
    const rtvp::c32::AssemblyResult result = rtvp::c32::assemble("t.asm", text.str());
    EXPECT_TRUE(result.image) << result.report();
    if (!result.image) return -1;
    const auto bytes = rtvp::c32::writeCoff(*result.image);
    write("t.coff", {bytes.begin(), bytes.end()});
    return run("tigershark-check", "t.coff");
  }
};

// board.md 2.2: RAM block 0 is 87FE00h to 87FEFFh, block 1 ends before 880000h.
TEST_F(TigersharkCheck, PassesWhatFillsBothBlocks) {
  ASSERT_EQ(check(256, 256), 0) << read("err");
  EXPECT_EQ(
      read("out"),
      "tigershark firmware: boot 1 words, internal 512 of 512 (record loop 256, chain 0, data "
      "and stack 256)\n");
  ASSERT_EQ(check(200, 100), 0) << read("err");
  EXPECT_NE(read("out").find("internal 356 of 512 (record loop 200, chain 56, data and stack 100)"),
            std::string::npos)
      << read("out");
}

TEST_F(TigersharkCheck, StopsWhatOutgrowsThem) {
  EXPECT_EQ(check(257, 100), 1);
  EXPECT_EQ(read("err"), "tigershark firmware: the record loop does not fit RAM block 0\n");
  EXPECT_EQ(check(256, 257), 1);
  EXPECT_NE(read("err").find("need 513 words, internal RAM has 512"), std::string::npos)
      << read("err");
  EXPECT_EQ(check(100, 100, 2), 1);
  EXPECT_EQ(read("err"), "tigershark firmware: the reset vector is not word 0\n");
  EXPECT_EQ(run("tigershark-check", ""), 1);
  EXPECT_NE(read("err").find("usage: tigershark-check IN.coff"), std::string::npos);
}

TEST_F(BuildTools, TheiaEmbedKnowsTheLabelsOfOtherSources) {
  EXPECT_EQ(run("theia-embed", "Name in.tasm"), 1);
  EXPECT_EQ(read("err"), "usage: theia-embed NAME IN.tasm OUT.cpp [OTHER.tasm]\n");
  const std::string sources = RTVP_SOURCE_DIR "/firmware/theia/";
  ASSERT_EQ(run("theia-embed",
                "Textured " + sources + "textured.tasm a.cpp " + sources + "improved.tasm"),
            0)
      << read("err");
  EXPECT_NE(read("a.cpp").find("const RomImage kTexturedImage{\"" + sources +
                               "textured.tasm\", kRows, kLabels, {{"),
            std::string::npos)
      << read("a.cpp").substr(0, 2000);
  // Its jumps go there: without that source they have no target.
  EXPECT_EQ(run("theia-embed", "Textured " + sources + "textured.tasm b.cpp"), 1);
  EXPECT_NE(read("err").find("microcode must assemble without a message"), std::string::npos)
      << read("err");
}

}  // namespace
