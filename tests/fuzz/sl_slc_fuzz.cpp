// The .slc loader with any bytes: LoadError or a program that both engines run alike. Input: one
// byte that says whether count, CRC, flags and texture mask are put right first, then the file;
// otherwise no mutation would get past the CRC.
#include <boost/crc.hpp>

#include "models/sl/assembler.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/sl_engines.hpp"

using rtvp::fuzz::require;
using namespace rtvp::sl;  // NOLINT(google-build-using-namespace): a program about this namespace

namespace {

void put32(std::vector<std::uint8_t>& file, std::size_t at, std::uint32_t value) {
  for (unsigned n = 0; n < 4; ++n) file[at + n] = static_cast<std::uint8_t>(value >> 8 * n);
}

/// Makes the header agree with the code behind it.
void putRight(std::vector<std::uint8_t>& file) {
  file.resize(kHeaderBytes + (file.size() - kHeaderBytes) / 8 * 8);
  put32(file, 8, static_cast<std::uint32_t>((file.size() - kHeaderBytes) / 8));
  boost::crc_32_type crc;
  crc.process_bytes(file.data() + kHeaderBytes, file.size() - kHeaderBytes);
  put32(file, 16, crc.checksum());
  std::vector<std::uint64_t> words;
  for (std::size_t at = kHeaderBytes; at < file.size(); at += 8) {
    std::uint64_t word = 0;
    for (unsigned n = 0; n < 8; ++n) word |= std::uint64_t{file[at + n]} << 8 * n;
    words.push_back(word);
  }
  try {
    const Program program(words, (file[6] & 8) != 0 ? OffsetBase::Branch : OffsetBase::Next);
    file[6] = static_cast<std::uint8_t>(program.flags());
    put32(file, 12, program.textureMask());
  } catch (const LoadError&) {  // the loader will say the same
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 || size > 8192) return 0;
  std::vector<std::uint8_t> file(data + 1, data + size);
  if ((data[0] & 1) != 0 && file.size() >= kHeaderBytes) putRight(file);
  try {
    const Program program = readSlc(file);
    require(writeSlc(program) == file, "a loaded file is what would be written");
    rtvp::fuzz::compareEngines(program);
  } catch (const LoadError& e) {
    require(e.what()[0] != '\0', "a refusal says why");
  }
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  std::vector<std::string> result;
  for (const OffsetBase base : {OffsetBase::Next, OffsetBase::Branch}) {
    AssemblerOptions options;
    options.base = base;
    const AssemblyResult a = assemble(
        "a.sl",
        "sl 1.0\nrnd s0\nturb s1, s0\nlookup r0, t2, uv\ntrace r1, Pw, N\nlc y r0, s1\nblt s0, "
        "s1, 2\nmul r0, r0, r1\njmp 1\ndiv v0, r0, Kd\nclamp s0, Ks, S\n",
        options);
    const std::vector<std::uint8_t> file = writeSlc(*a.program);
    for (const char mode : {'\0', '\1'})
      result.push_back(mode + std::string(file.begin(), file.end()));
  }
  return result;
}

}  // namespace rtvp::fuzz
