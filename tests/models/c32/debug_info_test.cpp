// A compiler's debug directives through assembler, linker and files, and as text. The source has
// the shape of TI's compiler output; numbers of types and classes: TI, TMS320C54x User's Guide,
// appendix A; layout of entries: tables.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/asm/coff.hpp"
#include "models/c32/link/linker.hpp"
#include "models/c32/link/object_coff.hpp"

namespace rtvp::c32 {
namespace {

// int counter; struct point { int x; float *y[3]; unsigned f : 4; };
// int add(int a, struct point *p) { int sum; { float inner; ... } }
constexpr const char* kSource =
    "\t.file \"a_longer_name.c\"\n"
    "\t.stag _point,160\n\t.member _x,0,4,8,32\n\t.member _y,32,118,8,96,,3\n"
    "\t.member _f,128,14,18,4\n\t.eos\n"
    "\t.etag _color,32\n\t.member _RED,0,11,16,32\n\t.member _GREEN,5,11,16,32\n\t.eos\n"
    "\t.sym _POINT,0,8,13,160,_point\n"
    "\t.global _counter\n\t.bss _counter,1\n\t.sym _counter,_counter,4,2,32\n"
    "\t.global _add\n\t.sym _add,_add,36,2,0\n"
    "\t.func 10\n_add:\n\t.sym _a,-2,4,9,32\n\t.sym _p,8,24,17,32,_point\n\t.sym _sum,1,4,1,32\n"
    "\t.line 1\n\tPUSH AR3\n\tLDI SP,AR3\n\t.line 3\n\tLDI *-AR3(2),R0\n"
    "\t.block 4\n\t.sym _inner,6,6,4,32\n\tNOP\n\t.endblock 5\n"
    "\t.line 6\n\tPOP AR3\n\tRETSU\n\t.endfunc 16,000000030h,1\n";

Object objectOf(const std::string& source) {
  AssemblerOptions options;
  options.relocatable = true;
  const AssemblyResult result = assemble("a.asm", source, options);
  EXPECT_TRUE(result.object) << result.report();
  EXPECT_EQ(result.report(), "");
  return result.object ? *result.object : Object{};
}

Image linked(const std::vector<LinkInput>& inputs) {
  const LinkResult result = link(inputs, {});
  EXPECT_TRUE(result.image) << result.report();
  return result.image ? *result.image : Image{};
}

const DebugEntry& entry(const DebugInfo& info, const std::string& name) {
  static const DebugEntry kNone;
  for (const DebugEntry& e : info.entries) {
    if (e.name == name) return e;
  }
  ADD_FAILURE() << "no entry " << name;
  return kNone;
}

TEST(C32DebugInfo, ThroughObjectAndExecutable) {
  const Object object = objectOf(kSource);
  const std::vector<std::uint8_t> bytes = writeObject(object);
  const Object again = readObject(bytes);
  EXPECT_EQ(writeObject(again), bytes);
  // A second file in front moves places and numbers.
  Object first = objectOf(
      "\t.file \"z.c\"\n\t.global _z\n\t.sym _z,_z,32,2,0\n\t.func 1\n_z:\n"
      "\t.line 1\n\tNOP\n\tRETSU\n\t.endfunc 1,0,0\n");
  const Image image = loadCoff(writeCoff(linked({{"z.obj", first}, {"a.obj", again}})));
  const DebugInfo& d = image.debug;
  EXPECT_EQ(declaration(d, entry(d, "_add")), "int add()");
  EXPECT_EQ(declaration(d, entry(d, "_p")), "struct point *p");
  EXPECT_EQ(declaration(d, entry(d, "_y")), "float *y[3]");
  EXPECT_EQ(declaration(d, entry(d, "_counter")), "int counter");
  EXPECT_EQ(declaration(d, entry(d, "_POINT")), "struct point POINT");
  EXPECT_EQ(entry(d, "_add").value, 2) << "behind _z";
  EXPECT_EQ(entry(d, "_add").size, 6);
  EXPECT_EQ(entry(d, "_counter").value, *image.find("_counter"));
  EXPECT_EQ(entry(d, "_p").value, 8) << "AR0";
  EXPECT_EQ(entry(d, "_a").value, 0xFFFFFFFE);
  EXPECT_EQ(entry(d, "a_longer_name.c").storage, storage::kFile);
  const auto sources = debugSources(d, 0);
  const auto at = [&](std::uint32_t place) {
    std::string text;
    for (const PlacedSource& s : sources) {
      if (s.place == place)
        text += s.source.file + ":" + std::to_string(s.source.line) + " " + s.source.function + ";";
    }
    return text;
  };
  EXPECT_EQ(at(0), "z.c:1 _z;");
  EXPECT_EQ(at(2), ":0 ;a_longer_name.c:10 _add;");
  EXPECT_EQ(at(4), "a_longer_name.c:12 _add;");
  EXPECT_EQ(at(6), "a_longer_name.c:15 _add;");
}

TEST(C32DebugInfo, AProgramInOneFileHasItToo) {
  const AssemblyResult result = assemble("a.asm", kSource, {});
  ASSERT_TRUE(result.image) << result.report();
  const Image image = loadCoff(writeCoff(*result.image));
  EXPECT_EQ(image.find("_add"), result.image->find("_add"));
  EXPECT_EQ(entry(image.debug, "_counter").value, *image.find("_counter"));
  EXPECT_EQ(image.symbols, result.image->symbols);
}

TEST(C32DebugInfo, AsText) {
  const Object object = objectOf(kSource);
  EXPECT_EQ(debugText(object.debug),
            "file a_longer_name.c\n"
            "  struct point {  // 5 words\n"
            "    int x;  // word 0\n"
            "    float *y[3];  // word 1\n"
            "    unsigned int f : 4;  // word 4\n"
            "  };\n"
            "  enum color {  // 1 words\n"
            "    RED = 0,\n"
            "    GREEN = 5,\n"
            "  };\n"
            "  typedef struct point POINT;\n"
            "  int counter;  // global, 000000h\n"
            "  int add()  // 000000h, 6 words, line 10, frame of 1 words\n"
            "    line 10 at 000000h\n"
            "    line 12 at 000002h\n"
            "    line 15 at 000004h\n"
            "    int a;  // argument, *-AR3(2)\n"
            "    struct point *p;  // argument in a register, AR0\n"
            "    int sum;  // local, *+AR3(1)\n"
            "    block, line 4\n"
            "      float inner;  // register, R6\n");
}

/// The symbol table as the manual lays it out, read here without the tools' own reader.
TEST(C32DebugInfo, LayoutOfTheFile) {
  const std::vector<std::uint8_t> b = writeObject(objectOf(kSource));
  const auto u16 = [&](std::size_t at) { return b.at(at) | b.at(at + 1) << 8; };
  const auto u32 = [&](std::size_t at) { return u16(at) | u16(at + 2) << 16; };
  const auto symbols = static_cast<std::size_t>(u32(8));
  const int count = u32(12);
  const std::size_t strings = symbols + static_cast<std::size_t>(count) * 18;
  const auto name = [&](std::size_t at) {
    std::string text;
    std::size_t from = u32(at) == 0 ? strings + static_cast<std::size_t>(u32(at + 4)) : at;
    const std::size_t most = u32(at) == 0 ? 100 : 8;
    for (std::size_t i = 0; i < most && b.at(from + i) != 0; ++i)
      text += static_cast<char>(b.at(from + i));
    return text;
  };
  const auto find = [&](std::string_view wanted, int storage) {
    for (int i = 0; i < count; ++i) {
      const std::size_t at = symbols + static_cast<std::size_t>(i) * 18;
      if (b.at(at + 16) == storage && name(at) == wanted) return i;
      i += b.at(at + 17);
    }
    return -1;
  };
  const auto entryAt = [&](int i) { return symbols + static_cast<std::size_t>(i) * 18; };
  EXPECT_EQ(u16(18) & 4, 0) << "line numbers are not stripped";
  const int point = find("_point", 10), function = find("_add", 2), begin = find(".bf", 101);
  ASSERT_GE(point, 0);
  ASSERT_GE(function, 0);
  EXPECT_EQ(begin, function + 2);
  EXPECT_EQ(u16(entryAt(point) + 18 + 6), 160) << "bits of the structure";
  EXPECT_EQ(find(".eos", 102) + 2, u32(entryAt(point) + 18 + 12)) << "behind its end";
  EXPECT_EQ(u32(entryAt(find("_p", 17)) + 18), point) << "tag";
  EXPECT_EQ(u16(entryAt(find("_y", 8)) + 18 + 8), 3) << "dimension";
  EXPECT_EQ(u16(entryAt(begin) + 18 + 4), 10);
  EXPECT_EQ(u16(entryAt(find(".ef", 101)) + 18 + 4), 16);
  EXPECT_EQ(u32(entryAt(function) + 18 + 4), 6) << "words of the function";
  const auto lines = static_cast<std::size_t>(u32(entryAt(function) + 18 + 8));
  EXPECT_EQ(u32(lines), function);
  EXPECT_EQ(u16(lines + 4), 0);
  EXPECT_EQ(u32(lines + 6 + 6), 2) << "address of the second line";
  EXPECT_EQ(u16(lines + 6 + 6 + 4), 3);
  // Section header of .text: three lines and the entry in front of them.
  EXPECT_EQ(u32(22 + 36), 4);
  EXPECT_EQ(u32(22 + 28), static_cast<int>(lines));
  EXPECT_EQ(find("_add", 3), -1) << "one entry for the function";
}

TEST(C32DebugInfo, OddDirectivesAreWarnings) {
  const AssemblyResult result =
      assemble("a.asm",
               "\t.sym\n\t.sym _nowhere,_nowhere,4,2,32\n\t.eos\n\t.line 3\n\t.endblock\n"
               "\t.stag\n\t.func x\n\tNOP\n\t.endfunc\n",
               {});
  ASSERT_TRUE(result.image) << result.report();
  EXPECT_EQ(result.image->sections.size(), 1);
  EXPECT_NE(result.report().find("a.asm:1:"), std::string::npos) << result.report();
  EXPECT_EQ(result.report().find("error"), std::string::npos) << result.report();
  const Image image = loadCoff(writeCoff(*result.image));
  EXPECT_FALSE(image.find("_nowhere"));
}

}  // namespace
}  // namespace rtvp::c32
