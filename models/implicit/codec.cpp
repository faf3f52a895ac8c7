// See codec.hpp.
#include "models/implicit/codec.hpp"

#include <algorithm>
#include <bit>
#include <boost/endian/conversion.hpp>
#include <cmath>
#include <cstring>

namespace rtvp::implicit {
namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr unsigned kLine = 8;  ///< instructions
constexpr std::string_view kMagic = "SDFT";
constexpr std::uint32_t kVersion = 1;
constexpr std::array<unsigned, kTapeKinds> kElementBytes{16, 4, 8, 16, 16, 48, 64, 64, 2};
constexpr unsigned kBoundsOffset = 36;

void put16(Bytes& out, std::uint16_t value) {
  out.resize(out.size() + 2);
  boost::endian::store_little_u16(out.data() + out.size() - 2, value);
}
void put32(Bytes& out, std::uint32_t value) {
  out.resize(out.size() + 4);
  boost::endian::store_little_u32(out.data() + out.size() - 4, value);
}
void putFloat(Bytes& out, float value) {
  put32(out, std::bit_cast<std::uint32_t>(value));
}
float floatAt(const Bytes& in, std::size_t at) {
  return std::bit_cast<float>(boost::endian::load_little_u32(in.data() + at));
}

TapeKind tapeOf(Type type) {
  return std::array{
      TapeKind::Floats, TapeKind::Vec2s, TapeKind::Vec4s, TapeKind::Vec4s,
      TapeKind::Mat2s,  TapeKind::Mat3s, TapeKind::Mat4s}[static_cast<std::size_t>(type)];
}

/// Where number `n` of a constant lies in its element, in words: the columns of a 3x3 are padded.
unsigned wordOf(Type type, unsigned n) {
  return type == Type::M3 ? n / 3 * 4 + n % 3 : n;
}

void putConstant(EncodedTapes& out, Type type, const std::array<float, 16>& numbers) {
  Bytes& tape = out.tape(tapeOf(type));
  std::array<float, 16> words{};
  if (type == Type::V3) words[3] = 1;
  for (unsigned n = 0; n < widthOf(type); ++n) words[wordOf(type, n)] = numbers[n];
  for (unsigned n = 0; n < elementBytes(tapeOf(type), false) / 4; ++n) putFloat(tape, words[n]);
}

void putDependency(Bytes& tape, const Tape::Consumers& consumers, bool wide) {
  for (const std::uint16_t at : consumers.at) {
    if (wide) {
      put16(tape, at);
    } else {
      tape.push_back(static_cast<std::uint8_t>(at == Tape::Consumers::kNone ? 255 : at));
    }
  }
}

void encodeObject(EncodedTapes& out, const Tape& tape) {
  Bytes& description = out.descriptions;
  for (unsigned n = 0; n < kTapeKinds; ++n) {
    const auto kind = static_cast<TapeKind>(n);
    put32(description,
          static_cast<std::uint32_t>(out.tape(kind).size() / elementBytes(kind, out.wide)));
  }
  const Bounds bounds = tape.bounds.value_or(Bounds{});
  for (const float x : bounds.max) putFloat(description, x);
  for (const float x : bounds.min) putFloat(description, x);
  Bytes& opcodes = out.tape(TapeKind::Opcodes);
  for (std::size_t at = 0; at < tape.size(); ++at) {
    const Instruction& in = tape.code()[at];
    put16(opcodes, in.word());
    for (unsigned n = 0; n < in.op->in.size(); ++n)
      if (in.constant[n]) putConstant(out, in.op->in[n], *in.constant[n]);
    putDependency(out.tape(TapeKind::Dependencies), tape.consumers()[at], out.wide);
  }
  opcodes.resize((opcodes.size() + 15) / 16 * 16);
  for (const Material& material : tape.materials)
    for (const float word : material) putFloat(out.tape(TapeKind::Materials), word);
}

/// Reads one object: from its record's starts to those of the next record, or the tapes' ends.
class ObjectReader {
 public:
  ObjectReader(const EncodedTapes& in, std::size_t object) : in_(in), object_(object) {
    for (unsigned n = 0; n < kTapeKinds; ++n) {
      const auto kind = static_cast<TapeKind>(n);
      const std::size_t bytes = elementBytes(kind, in.wide);
      const std::size_t held = in.tapes[n].size() / bytes;
      const bool last = (object + 2) * kDescriptionBytes == in.descriptions.size();
      const std::size_t start = startOf(object + 1, n);
      const std::size_t end = last ? held : startOf(object + 2, n);
      if (in.tapes[n].size() % bytes != 0 || start < 1 || start > end || end > held)
        fail(TapeReason::Ranges, "tape " + std::to_string(n) + " runs from element " +
                                     std::to_string(start) + " to " + std::to_string(end) + " of " +
                                     std::to_string(held));
      next_[n] = start * bytes;
      end_[n] = end * bytes;
    }
  }

  Tape read() {
    const Limits limits = in_.wide ? Limits::wide() : Limits::seed();
    std::vector<Instruction> code = instructions(limits);
    try {
      Tape tape(std::move(code), limits);
      checkDependencies(tape);
      checkConstantsUsed();
      bounds(tape);
      materials(tape);
      tape.checkMaterials();
      return tape;
    } catch (const TapeError& e) {
      fail(e.reason, e.position, e.what());
    }
  }

 private:
  [[nodiscard]] std::size_t startOf(std::size_t record, unsigned kind) const {
    return boost::endian::load_little_u32(in_.descriptions.data() + record * kDescriptionBytes +
                                          kind * std::size_t{4});
  }
  [[noreturn]] void fail(TapeReason reason, const std::string& what) const {
    throw CodecError("object " + std::to_string(object_) + ": " + what, reason);
  }
  [[noreturn]] void fail(TapeReason reason, std::size_t at, const std::string& what) const {
    throw CodecError(
        "object " + std::to_string(object_) + ": instruction " + std::to_string(at) + ": " + what,
        reason, at);
  }
  const std::uint8_t* take(TapeKind kind, std::size_t bytes) {
    std::size_t& next = next_[static_cast<std::size_t>(kind)];
    if (end_[static_cast<std::size_t>(kind)] - next < bytes) return nullptr;
    next += bytes;
    return in_.tape(kind).data() + next - bytes;
  }

  std::vector<Instruction> instructions(const Limits& limits) {
    std::vector<Instruction> code;
    while (const std::uint8_t* const bytes = take(TapeKind::Opcodes, 2)) {
      const std::uint16_t word = boost::endian::load_little_u16(bytes);
      if (code.size() == limits.instructions)
        fail(TapeReason::Length, code.size(),
             "the tape is longer than " + std::to_string(limits.instructions) + " instructions");
      Instruction in;
      in.op = findOpcode(word & 1023U);
      if (in.op == nullptr || in.op->function == Function::Invalid)
        fail(TapeReason::Opcode, code.size(), "unknown opcode " + std::to_string(word & 1023U));
      for (unsigned n = 0; n < 6; ++n) {
        if ((word >> (15 - n) & 1U) == 0) continue;
        if (n >= in.op->in.size())
          fail(TapeReason::Operand, code.size(),
               "constant flag of input " + std::to_string(n) + ", which is not there");
        in.constant[n] = constant(code.size(), in.op->in[n]);
      }
      code.push_back(in);
      if (in.op->function == Function::Stop) {
        checkTail(code.size());
        break;
      }
    }
    return code;
  }

  /// Nothing but OPNop may follow OPStop; it is the padding of the last line.
  void checkTail(std::size_t position) {
    for (; position % kLine != 0; ++position) {
      const std::uint8_t* const bytes = take(TapeKind::Opcodes, 2);
      if (bytes == nullptr || boost::endian::load_little_u16(bytes) != 0)
        fail(TapeReason::Stop, position, "found an instruction behind OPStop, expected OPNop");
    }
  }

  std::array<float, 16> constant(std::size_t at, Type type) {
    const TapeKind kind = tapeOf(type);
    const std::uint8_t* const element = take(kind, elementBytes(kind, in_.wide));
    if (element == nullptr)
      fail(TapeReason::ConstantOverrun, at,
           "constant tape overrun: no element left for a " + std::string(nameOf(type)));
    std::array<float, 16> numbers{};
    for (unsigned n = 0; n < widthOf(type); ++n) {
      numbers[n] = std::bit_cast<float>(
          boost::endian::load_little_u32(element + std::size_t{4} * wordOf(type, n)));
      if (!std::isfinite(numbers[n])) fail(TapeReason::Number, at, "a constant is not finite");
    }
    return numbers;
  }

  void checkDependencies(const Tape& tape) {
    for (std::size_t at = 0; at < tape.size(); ++at) {
      const std::uint8_t* const entry =
          take(TapeKind::Dependencies, elementBytes(TapeKind::Dependencies, in_.wide));
      if (entry == nullptr) fail(TapeReason::Dependency, at, "dependency tape overrun");
      for (unsigned n = 0; n < 2; ++n) {
        unsigned found =
            in_.wide ? boost::endian::load_little_u16(entry + std::size_t{2} * n) : entry[n];
        if (!in_.wide && found == 255) found = Tape::Consumers::kNone;
        const unsigned expected = tape.consumers()[at].at[n];
        if (found == expected) continue;
        const std::string link = found == Tape::Consumers::kNone ? "none" : std::to_string(found);
        if (found <= at)
          fail(TapeReason::Cyclic, at,
               "cyclic dependency: consumer " + link + " does not lie behind");
        fail(TapeReason::Dependency, at,
             "dependency " + std::to_string(n) + ": found " + link + ", expected " +
                 (expected == Tape::Consumers::kNone ? "none" : std::to_string(expected)));
      }
    }
  }

  void checkConstantsUsed() const {
    for (unsigned n = 0; n < kTapeKinds; ++n) {
      if (static_cast<TapeKind>(n) != TapeKind::Materials && next_[n] != end_[n])
        fail(TapeReason::ConstantOverrun, "tape " + std::to_string(n) + " holds " +
                                              std::to_string(end_[n] - next_[n]) +
                                              " bytes that no instruction reads");
    }
  }

  void bounds(Tape& tape) const {
    const std::size_t at = (object_ + 1) * kDescriptionBytes + kBoundsOffset;
    Bounds b;
    for (unsigned n = 0; n < 3; ++n) {
      b.max[n] = floatAt(in_.descriptions, at + std::size_t{4} * n);
      b.min[n] = floatAt(in_.descriptions, at + 12 + std::size_t{4} * n);
      if (!std::isfinite(b.min[n]) || !std::isfinite(b.max[n]) || b.min[n] > b.max[n])
        fail(TapeReason::Bounds, "bounds are reversed or not numbers");
    }
    if (b != Bounds{}) tape.bounds = b;
  }

  void materials(Tape& tape) {
    while (const std::uint8_t* const bytes = take(TapeKind::Materials, 64)) {
      Material m;
      for (unsigned n = 0; n < m.size(); ++n) {
        m[n] = std::bit_cast<float>(boost::endian::load_little_u32(bytes + std::size_t{4} * n));
        if (!std::isfinite(m[n])) fail(TapeReason::Materials, "a material word is not finite");
      }
      tape.materials.push_back(m);
    }
  }

  const EncodedTapes& in_;
  std::size_t object_;
  std::array<std::size_t, kTapeKinds> next_{}, end_{};
};

}  // namespace

unsigned elementBytes(TapeKind kind, bool wide) {
  return kElementBytes[static_cast<std::size_t>(kind)] *
         (kind == TapeKind::Dependencies && wide ? 2 : 1);
}

EncodedTapes encode(std::span<const Tape> objects) {
  EncodedTapes out;
  out.wide = std::ranges::any_of(objects, [](const Tape& t) {
    return t.limits().instructions > kSeedInstructions || t.limits().depth > kSeedDepth;
  });
  out.descriptions.resize(kDescriptionBytes);
  for (unsigned n = 0; n < kTapeKinds; ++n)
    out.tapes[n].resize(elementBytes(static_cast<TapeKind>(n), out.wide));
  for (const Tape& tape : objects) encodeObject(out, tape);
  return out;
}

std::vector<Tape> decode(const EncodedTapes& encoded) {
  const std::size_t bytes = encoded.descriptions.size();
  if (bytes < kDescriptionBytes || bytes % kDescriptionBytes != 0)
    throw CodecError("found " + std::to_string(bytes) +
                     " bytes of descriptions, expected records of 60 and the dummy record");
  std::vector<Tape> objects;
  for (std::size_t n = 0; n + 1 < bytes / kDescriptionBytes; ++n)
    objects.push_back(ObjectReader(encoded, n).read());
  return objects;
}

std::vector<std::uint8_t> writeFile(const EncodedTapes& encoded) {
  Bytes out(kMagic.begin(), kMagic.end());
  put32(out, kVersion);
  put32(out, encoded.wide ? 1 : 0);
  const auto part = [&](const Bytes& bytes) {
    put32(out, static_cast<std::uint32_t>(bytes.size()));
    out.insert(out.end(), bytes.begin(), bytes.end());
  };
  part(encoded.descriptions);
  for (const Bytes& tape : encoded.tapes) part(tape);
  return out;
}

EncodedTapes readFile(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 12 || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    throw CodecError("byte 0: found no SDFT file");
  const std::uint32_t version = boost::endian::load_little_u32(bytes.data() + 4);
  const std::uint32_t flags = boost::endian::load_little_u32(bytes.data() + 8);
  if (version != kVersion)
    throw CodecError("byte 4: found version " + std::to_string(version) + ", expected 1");
  if (flags > 1) throw CodecError("byte 8: found unknown flags " + std::to_string(flags));
  EncodedTapes out;
  out.wide = flags == 1;
  std::size_t at = 12;
  const auto part = [&](Bytes& into) {
    const std::string where = "byte " + std::to_string(at) + ": ";
    if (bytes.size() - at < 4) throw CodecError(where + "found the end, expected a length");
    const std::uint32_t size = boost::endian::load_little_u32(bytes.data() + at);
    at += 4;
    if (bytes.size() - at < size)
      throw CodecError(where + "found a part of " + std::to_string(size) + " bytes, " +
                       std::to_string(bytes.size() - at) + " are left");
    const auto part_bytes = bytes.subspan(at, size);
    into.assign(part_bytes.begin(), part_bytes.end());
    at += size;
  };
  part(out.descriptions);
  for (Bytes& tape : out.tapes) part(tape);
  if (at != bytes.size())
    throw CodecError("byte " + std::to_string(at) + ": found more bytes, expected the end");
  return out;
}

}  // namespace rtvp::implicit
