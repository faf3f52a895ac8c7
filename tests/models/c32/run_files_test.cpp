// C input and output as TI's runtime library asks for it, and argv. The requests are those of our
// own program below, in the layout of TI's message routines; scripts/ti-library has the library
// itself ask.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/debug/c_io.hpp"

namespace rtvp::c32 {
namespace {

struct Files {
  Files()
      : image(*assemble("t.asm",
                        "\t.global __CIOBUF_,___c_args__\n__CIOBUF_ .space 300\n"
                        "C$$IO$$: NOP\n___c_args__ .space 40\n")
                   .image),
        machine({}, {}),
        io(machine, image,
           {[this] { return at < typed.size() ? typed[at++] : -1; }, [this](char c) { out += c; },
            [this](char c) { err += c; }}) {}
  /// Puts a request into the buffer and has it answered; the first parameter word.
  std::int32_t ask(unsigned command, std::vector<unsigned> bytes, const std::string& data) {
    const std::uint32_t b = *image.find("__CIOBUF_");
    machine.poke(b, static_cast<std::uint32_t>(data.size()));
    machine.poke(b + 1, command);
    bytes.resize(8);
    for (const char c : data) bytes.push_back(static_cast<unsigned char>(c));
    // Four bytes a word, the lowest first; what stood in the buffer before does not show through.
    for (std::uint32_t i = 0; i < bytes.size(); ++i) {
      const std::uint32_t word = b + 2 + i / 4, before = i % 4 == 0 ? 0 : machine.peek(word);
      machine.poke(word, before | bytes[i] << (i % 4 * 8));
    }
    io.serve();
    answered.clear();
    for (std::uint32_t i = 0; i < machine.peek(b); ++i)
      answered += static_cast<char>(machine.peek(b + 3 + i / 4) >> (i % 4 * 8));
    return static_cast<std::int16_t>(machine.peek(b + 1));
  }
  std::string typed, out, err, answered;
  std::size_t at = 0;
  Image image;
  Machine machine;
  CInputOutput io;
};

TEST(C32Files, ConsoleAndFiles) {
  Files f;
  ASSERT_TRUE(f.io.place());
  EXPECT_EQ(f.ask(0xF3, {1, 0, 3, 0}, "abc"), 3);
  EXPECT_EQ(f.out, "abc");
  EXPECT_EQ(f.ask(0xF3, {2, 0, 1, 0}, "e"), 1);
  EXPECT_EQ(f.err, "e");
  f.typed = "line\nmore";
  EXPECT_EQ(f.ask(0xF2, {0, 0, 80, 0}, ""), 5);
  EXPECT_EQ(f.answered, "line\n");

  const std::string path = ::testing::TempDir() + "c32_files";
  const std::string name = path + '\0';
  const int file = f.ask(0xF0, {0, 0, 0x02, 0x06}, name);  // read, write, create, truncate
  ASSERT_GE(file, 3);
  const auto n = static_cast<unsigned>(file);
  EXPECT_EQ(f.ask(0xF3, {n, 0, 5, 0}, "hello"), 5);
  EXPECT_EQ(f.ask(0xF4, {n, 0, 1, 0, 0, 0, 0}, ""), 1);
  EXPECT_EQ(f.ask(0xF2, {n, 0, 3, 0}, ""), 3);
  EXPECT_EQ(f.answered, "ell");
  EXPECT_EQ(f.ask(0xF1, {n, 0}, ""), 0);
  EXPECT_EQ(f.ask(0xF1, {n, 0}, ""), -1);
  EXPECT_EQ(f.ask(0xF7, {}, path + '\0' + path + "2" + '\0'), 0);
  EXPECT_EQ(f.ask(0xF0, {0, 0, 0, 0}, name), -1);
  EXPECT_EQ(f.ask(0xF5, {}, path + "2" + '\0'), 0);
  EXPECT_EQ(f.ask(0x77, {}, ""), -1);
  EXPECT_EQ(f.ask(0xF2, {99, 0, 3, 0}, ""), -1);
}

TEST(C32Files, Arguments) {
  Files f;
  ASSERT_TRUE(storeArguments(f.machine, f.image, {"p", "x1"}));
  const std::uint32_t a = *f.image.find("___c_args__");
  EXPECT_EQ(f.machine.peek(a), 2u);
  EXPECT_EQ(f.machine.peek(a + 3), 0u);
  EXPECT_EQ(f.machine.peek(f.machine.peek(a + 2)), static_cast<std::uint32_t>('x'));
  EXPECT_EQ(f.machine.peek(f.machine.peek(a + 2) + 2), 0u);
  EXPECT_FALSE(storeArguments(f.machine, Image{}, {}));
}

}  // namespace
}  // namespace rtvp::c32
