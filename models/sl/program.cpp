// See program.hpp.
#include "models/sl/program.hpp"

#include <array>
#include <boost/crc.hpp>
#include <boost/endian/conversion.hpp>
#include <cstdio>

#include "models/common/core/text.hpp"

namespace rtvp::sl {
namespace {

namespace endian = boost::endian;

constexpr std::array<std::uint8_t, 4> kMagic{'S', 'L', 'C', '1'};
constexpr std::uint16_t kVersion = 0x0100;
// Offsets in the header.
constexpr std::size_t kVersionAt = 4, kFlagsAt = 6, kCountAt = 8, kTexturesAt = 12, kCrcAt = 16,
                      kReservedAt = 20;

std::uint32_t crcOf(std::span<const std::uint64_t> words) {
  boost::crc_32_type crc;
  for (const std::uint64_t word : words) {
    std::array<std::uint8_t, 8> bytes;
    endian::store_little_u64(bytes.data(), word);
    crc.process_bytes(bytes.data(), bytes.size());
  }
  return crc.checksum();
}

std::uint16_t flagOf(Form form) {
  switch (form) {
    case Form::Trace:
      return flag::kTrace;
    case Form::Lookup:
      return flag::kLookup;
    case Form::Rnd:
      return flag::kRnd;
    default:
      return 0;
  }
}

/// Bit per register that the instruction reads; a lookup's slot is none.
std::uint64_t readsOf(const Instruction& in) {
  const FormInfo& info = in.info();
  std::uint64_t out = info.readsDestination ? std::uint64_t{1} << in.destination : 0;
  if (info.sources() > 0 && info.source(0) != Operand::Slot) out |= std::uint64_t{1} << in.a;
  if (info.sources() > 1) out |= std::uint64_t{1} << in.b;
  return out;
}

void expectEqual(const char* what, std::uint64_t found, std::uint64_t expected, unsigned digits) {
  if (found == expected) return;
  throw LoadError(std::string(what) + ": found " + common::hex(found, digits) + "h, expected " +
                  common::hex(expected, digits) + "h");
}

}  // namespace

Program::Program(std::span<const std::uint64_t> words, OffsetBase base)
    : words_(words.begin(), words.end()), base_(base), crc_(crcOf(words)) {
  if (words.empty()) throw LoadError("found no instruction, expected 1 or more");
  flags_ = base == OffsetBase::Branch ? flag::kOwnBase : 0;
  code_.reserve(words.size());
  const auto where = [&words](std::size_t pc) {
    return "instruction " + std::to_string(pc) + " (" + common::hex(words[pc], 16) + "h): ";
  };
  for (std::size_t pc = 0; pc < words.size(); ++pc) {
    Decoded decoded = decode(words[pc]);
    if (!decoded.instruction) throw LoadError(where(pc) + decoded.error);
    const Instruction& in = *decoded.instruction;
    code_.push_back(in);
    flags_ = static_cast<std::uint16_t>(flags_ | flagOf(in.form));
    reads_ |= readsOf(in);
    if (in.form == Form::Lookup) textures_ |= 1U << (in.a - reg::t0);
  }
  textures_ |= static_cast<std::uint32_t>(reads_ >> reg::t0) & 0xFFU;
  const auto count = static_cast<std::int64_t>(words.size());
  for (std::size_t pc = 0; pc < words.size(); ++pc) {
    if (!code_[pc].info().branches()) continue;
    const std::int64_t to =
        static_cast<std::int64_t>(pc) + code_[pc].offset() + (base == OffsetBase::Next ? 1 : 0);
    if (to < 0 || to > count)
      throw LoadError(where(pc) + "target " + std::to_string(to) + " lies outside 0.." +
                      std::to_string(count));
  }
  findInputs();
}

/// Which registers are alive before each instruction, backwards from the ends. Every instruction is
/// looked at again only when a set behind it grew, at most once a register: linear.
void Program::findInputs() {
  const std::size_t count = code_.size();
  std::vector<std::uint64_t> alive(count + 1, 0);
  std::vector<std::vector<std::uint32_t>> sources(count + 1);  // branches that lead here
  std::vector<std::uint32_t> work;
  for (std::uint32_t pc = 0; pc < count; ++pc) {
    if (code_[pc].info().branches()) sources[target(pc)].push_back(pc);
    work.push_back(pc);
  }
  while (!work.empty()) {
    const std::uint32_t pc = work.back();
    work.pop_back();
    const Instruction& in = code_[pc];
    std::uint64_t after = in.form == Form::Ret || in.form == Form::Jmp ? 0 : alive[pc + 1];
    if (in.info().branches()) after |= alive[target(pc)];
    // An instruction that reads its destination puts it back with readsOf().
    if (in.info().writes()) after &= ~(std::uint64_t{1} << in.destination);
    const std::uint64_t before = after | readsOf(in);
    if (before == alive[pc]) continue;
    alive[pc] = before;
    if (pc > 0) work.push_back(pc - 1);
    work.insert(work.end(), sources[pc].begin(), sources[pc].end());
  }
  inputs_ = alive[0];
}

std::vector<std::uint8_t> writeSlc(const Program& program) {
  std::vector<std::uint8_t> out(kHeaderBytes + 8 * std::size_t{program.size()});
  std::copy(kMagic.begin(), kMagic.end(), out.begin());
  endian::store_little_u16(&out[kVersionAt], kVersion);
  endian::store_little_u16(&out[kFlagsAt], program.flags());
  endian::store_little_u32(&out[kCountAt], program.size());
  endian::store_little_u32(&out[kTexturesAt], program.textureMask());
  endian::store_little_u32(&out[kCrcAt], program.crc());
  for (std::size_t pc = 0; pc < program.size(); ++pc)
    endian::store_little_u64(&out[kHeaderBytes + 8 * pc], program.words()[pc]);
  return out;
}

Program readSlc(std::span<const std::uint8_t> file) {
  if (file.size() < kHeaderBytes)
    throw LoadError("found " + std::to_string(file.size()) + " bytes, expected a header of 32");
  if (!std::equal(kMagic.begin(), kMagic.end(), file.begin()))
    throw LoadError("magic: found other bytes, expected \"SLC1\"");
  expectEqual("version", endian::load_little_u16(&file[kVersionAt]), kVersion, 4);
  const std::uint16_t flags = endian::load_little_u16(&file[kFlagsAt]);
  const std::uint32_t count = endian::load_little_u32(&file[kCountAt]);
  const std::size_t code = file.size() - kHeaderBytes;
  if (code % 8 != 0 || code / 8 != count)
    throw LoadError("count: found " + std::to_string(count) + " instructions and " +
                    std::to_string(code) + " bytes of code, expected 8 bytes each");
  for (std::size_t at = kReservedAt; at < kHeaderBytes; ++at)
    expectEqual("reserved byte", file[at], 0, 2);
  std::vector<std::uint64_t> words(count);
  for (std::size_t pc = 0; pc < count; ++pc)
    words[pc] = endian::load_little_u64(&file[kHeaderBytes + 8 * pc]);
  expectEqual("CRC", endian::load_little_u32(&file[kCrcAt]), crcOf(words), 8);
  Program program(words, (flags & flag::kOwnBase) != 0 ? OffsetBase::Branch : OffsetBase::Next);
  expectEqual("flags", flags, program.flags(), 4);
  expectEqual("texture mask", endian::load_little_u32(&file[kTexturesAt]), program.textureMask(),
              8);
  return program;
}

}  // namespace rtvp::sl
