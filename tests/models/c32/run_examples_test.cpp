// firmware/examples through c32-as, c32-ld and c32-run, as a programmer uses them: results,
// console, and cycle counts worked out by hand from c32.md 7.2 and 7.4.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "models/c32/asm/coff.hpp"
#include "models/c32/float40.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::c32 {
namespace {

namespace fs = std::filesystem;

class C32Examples : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / ("c32_examples_" + std::string(test->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Exit status; output goes to the files out and err.
  int tool(const std::string& name, const std::string& arguments) const {
    const std::string command = "cd '" + folder_.string() + "' && '" RTVP_BIN_DIR "/" + name +
                                "' " + arguments + " >out 2>err </dev/null";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return text.str();
  }
  /// Assembles and links `name` with the runtime, for the memory of `script`: `name`.out.
  void build(const std::string& name, const std::string& script = "plain.cmd") const {
    const std::string source = RTVP_SOURCE_DIR "/firmware/examples/";
    ASSERT_EQ(tool("c32-as", "-c -o runtime.obj " + source + "runtime.asm"), 0) << read("err");
    EXPECT_EQ(read("err"), "");
    ASSERT_EQ(tool("c32-as", "-c -I " + source + " -o " + name + ".obj " + source + name + ".asm"),
              0)
        << read("err");
    EXPECT_EQ(read("err"), "");
    ASSERT_EQ(tool("c32-ld",
                   "-T " + source + script + " -o " + name + ".out " + name + ".obj runtime.obj"),
              0)
        << read("err");
  }
  /// Console output of a program that must end with status 0 and keep to its memory.
  std::string run(const std::string& name, const std::string& more = {}) const {
    build(name);
    EXPECT_EQ(tool("c32-run", name + ".out --check-memory --stack stack " + more), 0)
        << read("out") << read("err");
    return read("out");
  }
  /// Words at a symbol when the program has ended.
  std::vector<std::uint32_t> words(const std::string& name, const std::string& symbol,
                                   unsigned count) const {
    build(name);
    EXPECT_EQ(tool("c32-run", name + ".out --check-memory -x 'run; mem " + symbol + " " +
                                  std::to_string(count) + "'"),
              0)
        << read("err");
    std::istringstream text(read("out"));
    std::vector<std::uint32_t> result;
    for (std::string line; std::getline(text, line);) {
      std::istringstream fields(line);
      std::string field;
      fields >> field;
      if (field.size() != 6) continue;  // not an address
      while (fields >> field)
        result.push_back(static_cast<std::uint32_t>(std::stoul(field, nullptr, 16)));
    }
    EXPECT_EQ(result.size(), count) << read("out");
    result.resize(count);
    return result;
  }
  std::vector<double> floats(const std::string& name, const std::string& symbol,
                             unsigned count) const {
    std::vector<double> result;
    for (const std::uint32_t word : words(name, symbol, count))
      result.push_back(doubleFromSingle(word));
    return result;
  }
  /// Cycles from the first instruction of `routine` to its return, at its first call.
  unsigned cycles(const std::string& name, const std::string& routine) const {
    build(name);
    EXPECT_EQ(tool("c32-run", name + ".out -x 'until " + routine + "; cycle; finish; cycle'"), 0)
        << read("err");
    std::istringstream text(read("out"));
    std::vector<unsigned> counters;
    for (std::string line; std::getline(text, line);) {
      if (!line.empty() && line.find_first_not_of("0123456789") == std::string::npos)
        counters.push_back(static_cast<unsigned>(std::stoul(line)));
    }
    EXPECT_EQ(counters.size(), 2u) << read("out");
    return counters.size() == 2 ? counters[1] - counters[0] : 0;
  }
  fs::path folder_;
};

TEST_F(C32Examples, Hello) {
  std::ofstream(folder_ / "typed") << "Mixed Case, 123\n";
  EXPECT_EQ(run("hello", "--input typed"), "hello from 1996\nMIXED CASE, 123\n");
}

TEST_F(C32Examples, Fir) {
  const std::vector<double> y = floats("fir", "outputs", 16);
  const double h[8] = {0.125, 0.25, 0.5, 1, 1, 0.5, 0.25, 0.125};
  const double x[16] = {1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, -1, -1, -1, -1};
  for (int n = 0; n < 16; ++n) {
    double expected = 0;
    for (int k = 0; k < 8 && k <= n; ++k) expected += h[k] * x[n - k];
    EXPECT_EQ(y[static_cast<std::size_t>(n)], expected) << n;  // all exact
  }
}

TEST_F(C32Examples, FirCycles) {
  // STF 1, LDF 1, LDF 1, RPTS 4, eight passes of one, ADDF 1, RETS 4. Code is in RAM block 0, both
  // reads of a pass in block 1: no conflict.
  EXPECT_EQ(cycles("fir", "fir"), 1u + 1 + 1 + 4 + 8 + 1 + 4);
}

TEST_F(C32Examples, Dot) {
  EXPECT_EQ(run("dot"), "");
  EXPECT_EQ(floats("dot", "result", 1), (std::vector<double>{272}));
}

TEST_F(C32Examples, DotCycles) {
  // LDF 1, LDF 1, RPTS 4, sixteen passes, ADDF 1, RETS 4.
  EXPECT_EQ(cycles("dot", "dot"), 1u + 1 + 4 + 16 + 1 + 4);
}

TEST_F(C32Examples, Divide) {
  EXPECT_EQ(run("divide"), "14 2\n0 7\n1 0\n0 0\n2147483647 0\n1 0\n81004 5627\n");
}

TEST_F(C32Examples, DivideCycles) {
  // 100 / 7: CMPI 1, BLO not taken 4, twice FLOAT PUSHF POP ASH, SUBI 1, LSH 1, RPTS 4; the
  // exponents are 6 and 2, so SUBC runs 6 - 2 + 1 = 5 times; ADDI NEGI LSH3 LDI LSH SUBI AND 7,
  // RETS 4. R3 is no address register: its use by RPTS costs nothing.
  EXPECT_EQ(cycles("divide", "divide"), 1u + 4 + 2 * 4 + 1 + 1 + 4 + 5 + 7 + 4);
}

TEST_F(C32Examples, Reciprocal) {
  const std::vector<double> r = floats("recip", "results", 6);
  const double v[6] = {1.0, 3.0, -7.0, 0.1, 1e10, -2.5e-6};
  for (std::size_t n = 0; n < 6; ++n) EXPECT_NEAR(r[n] * v[n], 1.0, 2e-7) << n;
}

TEST_F(C32Examples, ReciprocalCycles) {
  // Nine to build the seed, five steps of three, RND NEGF CMPF LDFN 4, RETS 4. PUSH and POP change
  // SP in the decode stage: no conflict.
  EXPECT_EQ(cycles("recip", "recip"), 9u + 5 * 3 + 4 + 4);
}

TEST_F(C32Examples, SquareRoot) {
  const std::vector<double> r = floats("sqrt", "results", 6);
  const double v[6] = {1.0, 2.0, 3.0, 100.0, 0.5, 1e-6};
  for (std::size_t n = 0; n < 6; ++n) EXPECT_NEAR(r[n] / std::sqrt(v[n]), 1.0, 5e-7) << n;
}

TEST_F(C32Examples, SquareRootCycles) {
  // Eight to build the seed, LDF and MPYF 2, six steps of four, RND MPYF RND 3, RETS 4.
  EXPECT_EQ(cycles("sqrt", "root"), 8u + 2 + 6 * 4 + 3 + 4);
}

TEST_F(C32Examples, Matrix) {
  const std::vector<double> c = floats("matrix", "product", 16);
  const double b[16] = {1, 0, 0, 1, 0, 2, 0, 0, 0, 0, 3, 0, 1, 0, 0, -1};
  for (unsigned row = 0; row < 4; ++row) {
    for (unsigned column = 0; column < 4; ++column) {
      double expected = 0;
      for (unsigned k = 0; k < 4; ++k) expected += (4 * row + k + 1) * b[4 * k + column];
      EXPECT_EQ(c[4 * row + column], expected) << row << "," << column;
    }
  }
}

TEST_F(C32Examples, MatrixCycles) {
  // An element: LDI LDI LDF LDF 4, RPTS 4, four passes, ADDF STF 2, ADDI to AR6 1, then DBU, which
  // needs an address register, waits 2 and takes 4: 21. A row: LDI LDI 2, four elements, ADDI to
  // AR0 1, wait 2, DBU 4 (taken or not): 93. In front LDI LDI 2, behind RETS 4.
  const unsigned element = 4 + 4 + 4 + 2 + 1 + 2 + 4, row = 2 + 4 * element + 1 + 2 + 4;
  EXPECT_EQ(cycles("matrix", "multiply"), 2u + 4 * row + 4);
}

TEST_F(C32Examples, Sort) {
  EXPECT_EQ(run("sort"), "-2147483648 -3 -1 0 5 7 7 42 100 2147483647 \n");
}

TEST_F(C32Examples, Crc) {
  EXPECT_EQ(run("crc"), "cbf43926\n");
}

TEST_F(C32Examples, FftWithBitReversedAddressing) {
  constexpr unsigned kSize = 16;
  const std::vector<double> re = floats("fft", "real", kSize);
  const std::vector<double> im = floats("fft", "imaginary", kSize);
  for (unsigned k = 0; k < kSize; ++k) {
    std::complex<double> expected = 0;
    for (unsigned n = 0; n < kSize; ++n) {
      const double imaginary = n < 8 ? (n % 2 == 0 ? 1 : -1) : n < 12 ? 0 : 0.5;
      expected += std::complex<double>(n, imaginary) *
                  std::polar(1.0, -2 * std::numbers::pi * n * k / kSize);
    }
    EXPECT_NEAR(re[k], expected.real(), 2e-5) << k;
    EXPECT_NEAR(im[k], expected.imag(), 2e-5) << k;
  }
}

TEST_F(C32Examples, Factorial) {
  EXPECT_EQ(run("factorial"), "3628800\n");
}

TEST_F(C32Examples, Sieve) {
  EXPECT_EQ(run("sieve"), "46 199\n");
}

TEST_F(C32Examples, Copy) {
  EXPECT_EQ(run("copy"), "");
}

TEST_F(C32Examples, CopyCycles) {
  // LDI 1, SUBI 1, RPTS 4, 31 passes of the pair, STI 1, RETS 4.
  EXPECT_EQ(cycles("copy", "copy"), 1u + 1 + 4 + 31 + 1 + 4);
}

TEST_F(C32Examples, Biquad) {
  const std::vector<double> y = floats("biquad", "outputs", 12);
  double d1 = 0, d2 = 0;
  for (std::size_t n = 0; n < 12; ++n) {
    const double d = 1.0 + d1 - 0.5 * d2;
    EXPECT_EQ(y[n], 0.125 * d + 0.25 * d1 + 0.125 * d2) << n;  // exact: few bits
    d2 = d1;
    d1 = d;
  }
}

TEST_F(C32Examples, BiquadCycles) {
  // Fourteen instructions of one cycle, RETS 4; SUBI to AR0 is followed by no address.
  EXPECT_EQ(cycles("biquad", "biquad"), 14u + 4);
}

TEST_F(C32Examples, DmaDoubleBuffering) {
  const std::vector<double> energy = floats("dma", "results", 8);
  for (int block = 0; block < 8; ++block) {
    double expected = 0;
    for (int n = 16 * block; n < 16 * block + 16; ++n) {
      const double x = (n * 37) % 64 - 32;
      expected += x * x;
    }
    EXPECT_EQ(energy[static_cast<std::size_t>(block)], expected) << block;
  }
}

TEST_F(C32Examples, DmaCycles) {
  // LDF 1, RPTB 4, sixteen passes of three, RETS 4: 57. Meanwhile channel 0 brings the next block,
  // so that one interrupt falls into it: entry 5, PUSH ADDI POP 3, RETI 4. Code is in RAM block 0,
  // both buffers in block 1, which two may use in a cycle: DMA costs nothing.
  EXPECT_EQ(cycles("dma", "energy"), 57u + 5 + 3 + 4);
}

TEST_F(C32Examples, TimerInterrupt) {
  // Ten ticks of 2 * 500 cycles each.
  EXPECT_EQ(run("timer"), "10 10\n");
}

TEST_F(C32Examples, TimerRoutineCycles) {
  // PUSH PUSH PUSH LDP 4, LDI waits 2 for DP: 3, ADDI STI POP POP POP 5, RETI 4. POP DP is followed
  // by POPs, which need SP only.
  EXPECT_EQ(cycles("timer", "tick"), 4u + 3 + 5 + 4);
}

TEST_F(C32Examples, SerialEcho) {
  std::ofstream(folder_ / "words") << "68 65 6c 6c 6f  # hello\n2c 20 31 39 39 36 00\n";
  EXPECT_EQ(run("echo", "--serial-in words --serial-out sent"), "");
  EXPECT_EQ(read("sent"), "48\n45\n4c\n4c\n4f\n2c\n20\n31\n39\n39\n36\n");
  EXPECT_EQ(read("err"), "");
  // A device that leaves no pause sends a word every 23 cycles, faster than the routine.
  build("echo");
  EXPECT_EQ(tool("c32-run", "echo.out --serial-in words --serial-gap 0 --steps 10000"), 1);
  EXPECT_NE(read("err").find("words lost, receiver full"), std::string::npos) << read("err");
}

TEST_F(C32Examples, BootFromSerialPortAndMemory) {
  build("boot", "boot.cmd");
  std::uint32_t sum = 0;
  for (const std::uint32_t w :
       {0x12345678u, 0x9ABCDEF0u, 0xFEDCBA98u, 0u, 0xFFFFFFFFu, 0x80000001u}) {
    sum = (sum << 1 | sum >> 31) ^ w;
  }
  char expected[16];
  std::snprintf(expected, sizeof expected, "%08x\n", sum);
  for (const char* how :
       {"serial", "boot1", "boot1 --boot-width 16", "boot2 --boot-width 8", "boot3"}) {
    EXPECT_EQ(tool("c32-run", std::string("boot.out --check-memory --stack stack --boot ") + how),
              0)
        << how << read("err");
    EXPECT_EQ(read("out"), expected) << how;
  }
  // Below the ROM nothing can be loaded.
  build("boot");
  EXPECT_EQ(tool("c32-run", "boot.out --boot serial"), 2);
  EXPECT_NE(read("err").find("boot ROM"), std::string::npos) << read("err");
}

TEST_F(C32Examples, InterlockedCounterOfTwoDsps) {
  EXPECT_EQ(run("counter", "--dsps 2"), "200\n");
  // Alone it waits for ever.
  EXPECT_EQ(tool("c32-run", "counter.out --steps 100000"), 4);
  // Without the grant the first interlocked load never ends.
  EXPECT_EQ(tool("c32-run", "counter.out --dsps 2 --no-acknowledge"), 4);
  EXPECT_NE(read("err").find("XF1"), std::string::npos) << read("err");
}

TEST_F(C32Examples, Goertzel) {
  const std::vector<double> powers = floats("goertzel", "powers", 4);
  std::ifstream file(RTVP_SOURCE_DIR "/firmware/examples/goertzel.inc");
  std::vector<double> x;
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.find(".float");
    if (at == std::string::npos) continue;
    std::istringstream values(line.substr(at + 6));
    for (std::string value; std::getline(values, value, ',');) x.push_back(std::stod(value));
  }
  ASSERT_EQ(x.size(), 32u);
  const unsigned frequency[4] = {2, 4, 6, 11};
  for (std::size_t n = 0; n < 4; ++n) {
    std::complex<double> sum = 0;
    for (unsigned k = 0; k < 32; ++k)
      sum += x[k] * std::polar(1.0, -2 * std::numbers::pi * frequency[n] * k / 32);
    EXPECT_NEAR(powers[n], std::norm(sum), 1e-3 * std::norm(sum) + 1e-2) << n;
  }
  EXPECT_GT(powers[1], 50 * powers[0]);
  EXPECT_GT(powers[3], 50 * powers[2]);
}

TEST_F(C32Examples, GoertzelCycles) {
  // LDF LDF LDI 3, RPTB 4, 32 passes of four, six behind, RETS 4. The samples are outside and the
  // program inside: each read has the bus for itself.
  EXPECT_EQ(cycles("goertzel", "goertzel"), 3u + 4 + 32 * 4 + 6 + 4);
}

// What c32-objdump writes as source gives the same sections, words, addresses and entry.
TEST_F(C32Examples, DumpsAssembleToTheSameWords) {
  for (const char* name : {"fft", "sort", "hello", "matrix"}) {
    build(name);
    const std::string file = name;
    ASSERT_EQ(tool("c32-objdump", "--asm " + file + ".out"), 0) << read("err");
    fs::copy_file(folder_ / "out", folder_ / "again.asm", fs::copy_options::overwrite_existing);
    ASSERT_EQ(tool("c32-as", "-W none --enhanced -o again.out again.asm"), 0) << read("err");
    const auto load = [&](const std::string& path) {
      const std::string bytes = read(path);
      return loadCoff({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    };
    const Image first = load(file + ".out"), again = load("again.out");
    EXPECT_EQ(again.entry, first.entry);
    ASSERT_EQ(again.sections.size(), first.sections.size());
    for (const Section& s : first.sections) {
      const auto same = [&](const Section& o) {
        return o.name == s.name && o.words == s.words && o.loadAddress == s.loadAddress &&
               o.runAddress == s.runAddress && o.size == s.size;
      };
      EXPECT_TRUE(std::any_of(again.sections.begin(), again.sections.end(), same))
          << name << s.name;
    }
    for (const auto& [symbol, value] : first.symbols) {
      if (symbol.find('@') != std::string::npos) continue;  // a local name two files have
      EXPECT_EQ(again.find(symbol), value.value) << symbol;
    }
  }
}

}  // namespace
}  // namespace rtvp::c32
