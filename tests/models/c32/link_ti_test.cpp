// What TI's linker does: archives, command files with options, C initialisation, symbols of its
// own, section types, the map's reports.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/asm/coff.hpp"
#include "models/c32/link/archive.hpp"
#include "models/c32/link/linker.hpp"
#include "models/c32/link/object_coff.hpp"

namespace rtvp::c32 {
namespace {

using Words = std::vector<std::uint32_t>;

LinkInput object(const std::string& name, const std::string& source) {
  AssemblerOptions options;
  options.relocatable = true;
  options.warnings.set("none");
  const AssemblyResult r = assemble(name, source, options);
  EXPECT_TRUE(r.object) << r.report();
  return {name, r.object.value_or(Object{})};
}

const Section* find(const std::vector<Section>& sections, const std::string& name) {
  for (const Section& s : sections) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

TEST(C32Archive, WhatWasWrittenIsRead) {
  const std::vector<ArchiveMember> members = {
      {"a.obj", writeObject(object("a", "\t.def f\nf: RETS\n").object)},
      {"a_member_with_a_long_name.obj", {1, 2, 3}},
      {"odd.asm", {'x'}}};
  const auto bytes = writeArchive(members);
  EXPECT_TRUE(isArchive(bytes));
  EXPECT_EQ(readArchive(bytes), members);
  EXPECT_EQ(writeArchive(members), bytes);
  EXPECT_EQ(readArchive(writeArchive({})).size(), 0u);
  EXPECT_THROW(writeArchive({{"a/b", {}}}), ArchiveError);
}

TEST(C32Archive, DamagedArchivesAreRefused) {
  const auto bytes = writeArchive({{"a.obj", {1, 2, 3, 4}}, {"b.obj", {5}}});
  for (std::size_t length = 0; length + 1 < bytes.size(); ++length) {
    try {
      EXPECT_LE(readArchive({bytes.data(), length}).size(), 2u);
    } catch (const ArchiveError& error) {
      EXPECT_NE(std::string(error.what()).find("archive: found"), std::string::npos);
    }
  }
  auto huge = bytes;
  huge[8 + 48] = '9';
  huge[8 + 49] = '9';
  huge[8 + 50] = '9';
  EXPECT_THROW(readArchive(huge), ArchiveError);
}

TEST(C32LinkTi, MembersOfLibrariesOnDemand) {
  const std::vector<LinkInput> inputs = {
      object("main.obj", "\t.ref f\n\t.def _start\n_start: CALL f\n")};
  LinkOptions options;
  options.libraries = {
      {"one.lib",
       {object("g.obj", "\t.def g\ng: .word 7\n"), object("h.obj", "\t.def h\nh: .word 8\n")}},
      {"two.lib", {object("f.obj", "\t.ref g\n\t.def f\nf: CALL g\n\tRETS\n")}}};
  const LinkResult r = link(inputs, options);
  ASSERT_TRUE(r.image) << r.report();
  EXPECT_EQ(r.members, (std::vector<std::string>{"two.lib(f.obj)", "one.lib(g.obj)"}));
  EXPECT_TRUE(r.image->find("g"));
  EXPECT_FALSE(r.image->find("h"));
  // A file's own definition is taken, not the library's.
  const LinkResult own = link({inputs[0], object("f2.obj", "\t.def f\nf: RETS\n")}, options);
  ASSERT_TRUE(own.image);
  EXPECT_TRUE(own.members.empty());
}

TEST(C32LinkTi, CommandFilesHoldOptionsAndFiles) {
  const LinkScript s = parseScript(
      "-c -stack 0x200 -heap 100\n-o out.out -m out.map -e go\n-l rts30.lib -i lib\n"
      "main.obj \"sub dir/b.obj\"\n-u wanted\nk = 3 + 4\n"
      "MEMORY { PAGE 0: ROM (RX): origin = 0h, length = 1000h fill = 0\n"
      "         PAGE 1: RAM: o = 2000h l = 100h }\n"
      "-heap8 30h -heap16 40h\n"
      "SECTIONS { .text: {} > ROM PAGE 0\n .bss > RAM block(64)\n .x: align(8) type = NOLOAD > RAM "
      "\n .y: > RAM, block 0x20\n .z: align 4 > RAM }\n");
  EXPECT_EQ(s.commands.initialisation, Initialisation::Rom);
  EXPECT_EQ(s.commands.stack, 0x200u);
  EXPECT_EQ(s.commands.heap, 100u);
  EXPECT_EQ(s.commands.output, "out.out");
  EXPECT_EQ(s.commands.map, "out.map");
  EXPECT_EQ(s.entry, "go");
  EXPECT_EQ(s.commands.inputs,
            (std::vector<std::string>{"-l rts30.lib", "main.obj", "sub dir/b.obj"}));
  EXPECT_EQ(s.commands.directories, std::vector<std::string>{"lib"});
  EXPECT_EQ(s.commands.wanted, std::vector<std::string>{"wanted"});
  EXPECT_EQ(s.constants.at(0).second, 7u);
  EXPECT_EQ(s.commands.heap8, 0x30u);
  EXPECT_EQ(s.commands.heap16, 0x40u);
  ASSERT_EQ(s.sections.size(), 5u);
  EXPECT_EQ(s.sections[1].block, 64u);
  EXPECT_EQ(s.sections[3].block, 0x20u);
  EXPECT_EQ(s.sections[4].alignment, 4u);
  EXPECT_EQ(s.sections[2].type, OutputType::NoLoad);
  EXPECT_EQ(s.sections[2].alignment, 8u);
  EXPECT_THROW(parseScript("-zz"), ScriptError);
  EXPECT_THROW(parseScript("SECTIONS { .x: TYPE = SOMETHING }"), ScriptError);
}

constexpr const char* kProgram =
    "\t.def _c_int00\n\t.ref cinit,etext,edata,end,__STACK_SIZE,__SYSMEM_SIZE\n\t.global .bss\n"
    "_c_int00: NOP\n\t.word cinit,etext,edata,end,__STACK_SIZE,__SYSMEM_SIZE,.bss\n"
    "stack .usect \".stack\",0\nheap .usect \".sysmem\",0\n\t.bss v,2\n"
    "\t.sect \".cinit\"\n\t.word 1,v,42\n";

TEST(C32LinkTi, InitialisationInRom) {
  LinkOptions options;
  options.script = parseScript("-c -stack 20h\n");
  const LinkResult r = link({object("a.obj", kProgram)}, options);
  ASSERT_TRUE(r.image) << r.report();
  const Section* text = find(r.image->sections, ".text");
  const Section* cinit = find(r.image->sections, ".cinit");
  const Section* bss = find(r.image->sections, ".bss");
  ASSERT_TRUE(text != nullptr && cinit != nullptr && bss != nullptr);
  const std::uint32_t v = bss->runAddress;
  EXPECT_EQ(cinit->words, (Words{1, v, 42, 0}));
  EXPECT_EQ(text->words,
            (Words{0x0C800000, cinit->runAddress, text->runAddress + 8, 0, v + 2, 0x20, 0x400, v}));
  EXPECT_EQ(find(r.image->sections, ".stack")->size, 0x20u);
  EXPECT_EQ(find(r.image->sections, ".sysmem")->size, 0x400u);
  EXPECT_TRUE(r.image->copies.empty());
}

/// The heaps in the C32's memories of 8 and 16 bits, as TI's memory8.obj and memory16.obj use them.
TEST(C32LinkTi, HeapsOfNarrowMemory) {
  LinkOptions options;
  options.script = parseScript("-c -heap8 20h\n");
  const LinkResult r = link({object("a.obj",
                                    "\t.def _c_int00\n\t.ref __SYSMEM8_SIZE,__SYSMEM16_SIZE\n"
                                    "_c_int00: .word __SYSMEM8_SIZE,__SYSMEM16_SIZE\n"
                                    "a .usect \".sysm8\",0\nb .usect \".sysm16\",0\n")},
                            options);
  ASSERT_TRUE(r.image) << r.report();
  EXPECT_EQ(find(r.image->sections, ".text")->words, (Words{0x20, 0x400}));
  EXPECT_EQ(find(r.image->sections, ".sysm8")->size, 0x20u);
  EXPECT_EQ(find(r.image->sections, ".sysm16")->size, 0x400u);
}

TEST(C32LinkTi, InitialisationByTheLoader) {
  LinkOptions options;
  options.script = parseScript("-cr\n");
  const LinkResult r = link({object("a.obj", kProgram)}, options);
  ASSERT_TRUE(r.image) << r.report();
  EXPECT_EQ(find(r.image->sections, ".cinit"), nullptr);
  ASSERT_EQ(r.image->copies.size(), 1u);
  EXPECT_EQ(find(r.image->sections, ".text")->words[1], 0xFFFFFFFFu);
  const auto loaded = loadCoff(writeCoff(*r.image)).initialised();
  ASSERT_EQ(loaded.size(), 1u);
  EXPECT_EQ(loaded[0].loadAddress, find(r.image->sections, ".bss")->runAddress);
  EXPECT_EQ(loaded[0].words, Words{42});
}

TEST(C32LinkTi, SymbolsOfTheLinkerGiveWay) {
  const LinkResult r = link(
      {object("a.obj", "\t.ref end\n\t.word end\n"), object("b.obj", "\t.def end\nend .set 5\n")},
      {});
  ASSERT_TRUE(r.image) << r.report();
  EXPECT_EQ(r.image->sections[0].words, Words{5});
}

TEST(C32LinkTi, TypesOfSections) {
  LinkOptions options;
  options.script = parseScript(
      "MEMORY { M: origin = 0 length = 100h }\n"
      "SECTIONS { .text: > M\n note: type = COPY\n map: type = DSECT\n late: type = NOLOAD > M "
      "}\n");
  const LinkResult r = link({object("a.obj",
                                    "\t.word m+1\n\t.sect \"note\"\n\t.word 1\n\t.sect \"map\"\n"
                                    "\t.word 0\nm .word 2\n\t.sect \"late\"\n\t.word 3\n")},
                            options);
  ASSERT_TRUE(r.image) << r.report();
  EXPECT_EQ(r.image->copies.at(0).name, "note");
  EXPECT_EQ(find(r.image->sections, "map"), nullptr);
  EXPECT_EQ(find(r.image->sections, ".text")->words, Words{2});
  EXPECT_EQ(find(r.image->sections, "late")->kind, Section::Kind::Bss);
}

TEST(C32LinkTi, MapTellsUsersAndWhatNobodyUses) {
  LinkOptions options;
  options.crossReference = true;
  const LinkResult r = link({object("a.obj",
                                    "\t.ref f\n\t.def _start\n_start: CALL f\n"
                                    "\t.sect \"dead\"\n\t.word 1\n"),
                             object("b.obj", "\t.def f\nf: RETS\n")},
                            options);
  ASSERT_TRUE(r.image) << r.report();
  EXPECT_NE(r.map.find("SECTIONS that no other section refers to\n  a.obj(dead)  1 words\n"),
            std::string::npos)
      << r.map;
  EXPECT_NE(r.map.find("CROSS REFERENCE"), std::string::npos);
  EXPECT_NE(r.map.find("  f: "), std::string::npos);
}

}  // namespace
}  // namespace rtvp::c32
