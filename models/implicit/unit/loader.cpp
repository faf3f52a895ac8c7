// See loader.hpp.
#include "models/implicit/unit/loader.hpp"

#include <algorithm>
#include <cmath>

#include "models/implicit/unit/words.hpp"

namespace rtvp::implicit::unit {
namespace {

constexpr unsigned kBurst = 64;
constexpr unsigned kBoundsOffset = 36;

Fault faultOf(TapeReason reason) {
  switch (reason) {
    case TapeReason::Opcode:
      return Fault::Opcode;
    case TapeReason::Underflow:
      return Fault::Underflow;
    case TapeReason::Overflow:
      return Fault::Overflow;
    case TapeReason::Operand:
      return Fault::Operand;
    case TapeReason::Length:
      return Fault::Length;
    case TapeReason::Stop:
      return Fault::Stop;
    case TapeReason::Materials:
      return Fault::Materials;
    case TapeReason::Ranges:
      return Fault::Description;
    case TapeReason::ConstantOverrun:
      return Fault::ConstantOverrun;
    case TapeReason::Cyclic:
      return Fault::Cyclic;
    case TapeReason::Dependency:
      return Fault::Dependency;
    case TapeReason::Number:
      return Fault::Number;
    case TapeReason::Bounds:
      return Fault::Bounds;
  }
  return Fault::Description;
}

/// More elements than this no tape of the limits can use.
std::uint64_t mostElements(TapeKind kind, bool wide) {
  const std::uint64_t instructions = wide ? kWideInstructions : kSeedInstructions;
  switch (kind) {
    case TapeKind::Opcodes:
      return (instructions + 7) / 8;
    case TapeKind::Materials:
    case TapeKind::Dependencies:
      return instructions;
    default:
      return 4 * instructions;
  }
}

Bounds boundsAt(const std::uint8_t* record) {
  Bounds b;
  for (unsigned n = 0; n < 3; ++n) {
    b.max[n] = floatAt(record, kBoundsOffset + 4 * n);
    b.min[n] = floatAt(record, kBoundsOffset + 12 + 4 * n);
  }
  return b;
}

bool isUsable(const Bounds& b) {
  for (unsigned n = 0; n < 3; ++n)
    if (!std::isfinite(b.min[n]) || !std::isfinite(b.max[n]) || !(b.min[n] <= b.max[n]))
      return false;
  return b != Bounds{};
}

[[noreturn]] void badBounds(std::uint32_t number) {
  throw JobFault(Fault::Bounds,
                 "the bounds are missing, reversed or not finite: the far query is the host's",
                 number);
}

}  // namespace

std::vector<std::uint8_t> Loader::bytes(Traffic traffic, std::uint64_t address,
                                        std::uint64_t count) {
  std::vector<std::uint8_t> out(count);
  for (std::uint64_t at = 0; at < count; at += kBurst) {
    const std::uint64_t size = std::min<std::uint64_t>(kBurst, count - at);
    clock_ = port_.read(traffic, address + at, std::span(out).subspan(at, size), clock_).end;
  }
  return out;
}

std::uint64_t Loader::addressOf(const Area& area, std::uint64_t offset, std::uint64_t length,
                                std::uint32_t number) const {
  const std::uint64_t address = area.address + offset;
  if (address < area.address || address + length < address)
    throw JobFault(Fault::Bus, "an address beyond 64 bits", number, kNone, area.address);
  return address;
}

ObjectRecord Loader::record(std::uint32_t number) {
  const auto refuse = [&](const std::string& what) {
    throw JobFault(Fault::Object, "object record: " + what, number);
  };
  const Area& table = configuration_.map.objects;
  if (number >= table.count || number >= object::kMost)
    refuse("found number " + std::to_string(number) + " of " + std::to_string(table.count));
  const std::vector<std::uint8_t> raw =
      bytes(Traffic::Records,
            addressOf(table, std::uint64_t{number} * object::kBytes, object::kBytes, number),
            object::kBytes);
  ObjectRecord out;
  out.kind = wordAt(raw.data(), object::kKind);
  out.number = wordAt(raw.data(), object::kNumber);
  out.id = wordAt(raw.data(), object::kId);
  out.lipschitz = floatAt(raw.data(), object::kLipschitz);
  for (unsigned n = 0; n < 12; ++n)
    out.world.row[n] = static_cast<double>(floatAt(raw.data(), object::kWorld + 4 * n));
  if (out.kind > object::kProgram) refuse("unknown kind " + std::to_string(out.kind));
  if (out.id == kNone) refuse("the id FFFFFFFFh means no object");
  const bool found = out.lipschitz == 0 && configuration_.settings.findsSlopes();
  if (out.lipschitz == 0 && !found) out.lipschitz = configuration_.lipschitz;
  if (!(out.lipschitz > 0 || found) || !std::isfinite(out.lipschitz))
    refuse("the Lipschitz bound is not above 0 and finite");
  if (!out.world.invertible()) refuse("the world matrix is not finite or cannot be inverted");
  for (unsigned n = object::kReserved; n < object::kBytes; ++n)
    if (raw[n] != 0) refuse("reserved bytes are not 0");
  return out;
}

LoadedCode Loader::code(std::uint32_t number, const ObjectRecord& record) {
  if (record.kind == object::kTape) return tape(number, record.number);
  if (configuration_.settings.mode == render::Mode::Seed)
    throw JobFault(Fault::Mode, "mode=seed runs tapes only, found a program", number);
  return program(number, record.number);
}

Region Loader::slice(std::uint32_t number, TapeKind kind, std::uint32_t start, std::uint32_t end) {
  const auto index = static_cast<std::size_t>(kind);
  const Area& area = configuration_.map.tapes[index];
  const std::string name = "tape " + std::to_string(index);
  if (start < 1 || start > end || end > area.count)
    throw JobFault(Fault::Description,
                   name + " runs from element " + std::to_string(start) + " to " +
                       std::to_string(end) + " of " + std::to_string(area.count),
                   number);
  if (end - start > mostElements(kind, configuration_.wide))
    throw JobFault(kind == TapeKind::Opcodes     ? Fault::Length
                   : kind == TapeKind::Materials ? Fault::Materials
                                                 : Fault::ConstantOverrun,
                   name + " holds " + std::to_string(end - start) + " elements of one object",
                   number, kind == TapeKind::Opcodes ? kSeedInstructions : kNone);
  const std::uint64_t size = elementBytes(kind, configuration_.wide);
  Region out;
  out.traffic = static_cast<Traffic>(index);
  out.base = addressOf(area, 0, area.count * size, number);
  out.bytes = area.count * size;
  out.first = area.address + start * size;
  out.copy = bytes(out.traffic, out.first, (end - start) * size);
  out.object = number;
  return out;
}

LoadedCode Loader::tape(std::uint32_t number, std::uint32_t description) {
  const Area& table = configuration_.map.descriptions;
  if (std::uint64_t{description} + 1 >= table.count)
    throw JobFault(Fault::Object,
                   "object record: found description " + std::to_string(description) + " of " +
                       std::to_string(table.count == 0 ? 0 : table.count - 1),
                   number);
  const bool last = std::uint64_t{description} + 2 == table.count;
  const std::uint64_t length = (last ? 1ULL : 2ULL) * kDescriptionBytes;
  const std::vector<std::uint8_t> raw =
      bytes(Traffic::Records,
            addressOf(table, (std::uint64_t{description} + 1) * kDescriptionBytes, length, number),
            length);
  LoadedCode out;
  // As a set of tapes of one object, which the codec checks as any other.
  EncodedTapes one;
  one.wide = configuration_.wide;
  one.descriptions.assign(std::size_t{2} * kDescriptionBytes, 0);
  std::copy_n(raw.begin(), kDescriptionBytes, one.descriptions.begin() + kDescriptionBytes);
  for (unsigned n = 0; n < kTapeKinds; ++n) {
    const auto kind = static_cast<TapeKind>(n);
    const std::uint32_t start = wordAt(raw.data(), 4 * n);
    const std::uint32_t end =
        last ? configuration_.map.tapes[n].count : wordAt(raw.data(), kDescriptionBytes + 4 * n);
    out.tapes.of[n] = slice(number, kind, start, end);
    const std::vector<std::uint8_t>& copy = out.tapes.of[n].copy;
    one.tapes[n].assign(elementBytes(kind, one.wide), 0);
    one.tapes[n].insert(one.tapes[n].end(), copy.begin(), copy.end());
    putWord(one.descriptions.data(), kDescriptionBytes + 4 * n, 1);
  }
  try {
    out.tape = std::move(decode(one).at(0));
  } catch (const CodecError& e) {
    const std::uint32_t where = e.position ? static_cast<std::uint32_t>(*e.position) : kNone;
    throw JobFault(faultOf(e.reason), e.what(), number, where);
  }
  out.bounds = boundsAt(raw.data());
  if (!isUsable(out.bounds)) badBounds(number);
  return out;
}

LoadedCode Loader::program(std::uint32_t number, std::uint32_t index) {
  const auto refuse = [&](Fault fault, const std::string& what) {
    throw JobFault(fault, "program record: " + what, number);
  };
  const Area& table = configuration_.map.programs;
  if (index >= table.count)
    refuse(Fault::Object,
           "found program " + std::to_string(index) + " of " + std::to_string(table.count));
  const std::vector<std::uint8_t> raw =
      bytes(Traffic::Records,
            addressOf(table, std::uint64_t{index} * program::kBytes, program::kBytes, number),
            program::kBytes);
  const std::uint32_t start = wordAt(raw.data(), program::kStart);
  const std::uint32_t words = wordAt(raw.data(), program::kWords);
  for (unsigned n = program::kZero; n < program::kBounds; ++n)
    if (raw[n] != 0) refuse(Fault::Description, "reserved bytes are not 0");
  const Area& memory = configuration_.map.clauses;
  if (words > program::kMostWords || std::uint64_t{start} + words > memory.count)
    refuse(Fault::Description, "words " + std::to_string(start) + " and " + std::to_string(words) +
                                   " more of " + std::to_string(memory.count));
  LoadedCode out;
  out.bounds = boundsAt(raw.data());
  if (!isUsable(out.bounds)) badBounds(number);
  Region& r = out.clauses;
  r.traffic = Traffic::Records;
  r.bytes = std::uint64_t{memory.count} * 8;
  r.base = addressOf(memory, 0, r.bytes, number);
  r.first = memory.address + std::uint64_t{start} * 8;
  r.copy = bytes(r.traffic, r.first, std::uint64_t{words} * 8);
  r.object = number;
  std::vector<std::uint64_t> stream(words);
  for (std::uint32_t n = 0; n < words; ++n) stream[n] = wideAt(r.copy.data(), 8 * n);
  try {
    out.program = registers::decode(stream);
  } catch (const registers::ProgramError& e) {
    refuse(Fault::Program, e.what());
  }
  return out;
}

}  // namespace rtvp::implicit::unit
