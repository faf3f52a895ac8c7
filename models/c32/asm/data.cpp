// Data directives: how many words they take (pass 1) and which (pass 2). c32.md 10.2.
#include <algorithm>
#include <bit>
#include <cmath>

#include "models/c32/asm/program.hpp"
#include "models/c32/asm/ti_float.hpp"

namespace rtvp::c32 {
namespace {

/// Packed four a word. Each text of .ascii and .asciz starts a word of its own, as in GNU as; those
/// of TI's directives follow one another.
bool isPacked(const std::string& op) {
  return op == ".STRING" || op == ".CSTRING" || op == ".PSTRING" || op == ".ASCII" ||
         op == ".ASCIZ";
}
bool packsAcross(const std::string& op) {
  return isPacked(op) && op != ".ASCII" && op != ".ASCIZ";
}
bool isFloating(const std::string& op) {
  return op == ".FLOAT" || op == ".SINGLE" || op == ".DOUBLE" || op == ".IEEE" || op == ".LDOUBLE";
}
/// Bits of an item that has a word of its own; 0: it is not narrower.
unsigned narrowBits(const std::string& op) {
  if (op == ".BYTE" || op == ".CHAR" || op == ".UBYTE" || op == ".UCHAR") return 8;
  return op == ".HWORD" || op == ".HALF" || op == ".SHORT" || op == ".USHORT" ? 16 : 0;
}

std::uint32_t packedSize(std::size_t characters) {
  return static_cast<std::uint32_t>((characters + 3) / 4);
}
std::size_t terminator(const std::string& op) {
  return op == ".ASCIZ" || op == ".CSTRING" ? 1 : 0;
}

/// Steps over one item up to the next comma at its level or the end.
void skipItem(Scanner& s) {
  int parentheses = 0;
  while (!s.atEnd()) {
    const char c = s.peek();
    if (c == ',' && parentheses <= 0) return;
    if (c == '"') {
      s.quoted();
    } else if (c == '\'') {
      s.characterConstant();
    } else {
      parentheses += c == '(' ? 1 : c == ')' ? -1 : 0;
      s.next();
    }
  }
}

}  // namespace

std::uint32_t Program::dataSize(const std::string& line, const LineParts& parts) {
  const std::string& op = parts.operation;
  const bool strings = isPacked(op) || narrowBits(op) != 0;
  Scanner s(line, parts.operandsAt);
  if (s.atEnd()) s.fail("at least one value");
  std::uint32_t size = 0;
  std::size_t bytes = 0;
  do {
    s.skipBlanks();
    if (strings && s.peek() == '"') {
      const std::size_t length = s.quoted().size() + terminator(op);
      if (packsAcross(op)) {
        bytes += length;
      } else {
        size += isPacked(op) ? packedSize(length) : static_cast<std::uint32_t>(length);
      }
      if (!s.atEnd() && s.peek() != ',') s.fail("',' or end of line");
      continue;
    }
    if (isPacked(op) && !packsAcross(op)) s.fail("a quoted string");
    if (s.atEnd() || s.peek() == ',') s.fail("a value");
    skipItem(s);
    if (packsAcross(op)) {
      ++bytes;
    } else {
      size += op == ".LDOUBLE" ? 2u : 1u;
    }
  } while (s.accept(','));
  return size + packedSize(bytes);
}

void Program::emitData(const Statement& statement) {
  if (statement.first.mnemonic == ".FIELD") return emitField(statement);
  Scanner s(statement.first.line, statement.first.operandsAt);
  if (packsAcross(statement.first.mnemonic)) {
    emitBytes(statement, s);
  } else {
    std::uint32_t index = 0;
    do {
      s.skipBlanks();
      emitItem(statement, s, index);
    } while (s.accept(','));
  }
  if (!s.atEnd()) s.fail("',' or end of line");
}

/// Words of the bytes, the first in the lowest byte, or in the highest for .pstring.
void Program::storeBytes(const Statement& statement, const std::string& bytes,
                         std::uint32_t& index) {
  const bool high = statement.first.mnemonic == ".PSTRING";
  for (std::size_t w = 0; w < bytes.size(); w += 4) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 4 && w + k < bytes.size(); ++k) {
      const std::uint32_t byte = static_cast<unsigned char>(bytes[w + k]);
      word |= byte << (8 * (high ? 3 - k : k));
    }
    store(statement, index++, word);
  }
}

/// .string and its like: texts and numbers, packed one behind the other.
void Program::emitBytes(const Statement& statement, Scanner& s) {
  std::string bytes;
  do {
    s.skipBlanks();
    if (s.peek() == '"') {
      bytes += s.quoted();
      bytes.append(terminator(statement.first.mnemonic), '\0');
      continue;
    }
    const std::size_t at = s.position();
    const Value v = parseExpression(s, symbols());
    if (v.isFloat || v.relative() || v.integer < -128 || v.integer > 255)
      s.failAt(at, "a value of 8 bits");
    bytes += static_cast<char>(v.integer);
  } while (s.accept(','));
  std::uint32_t index = 0;
  storeBytes(statement, bytes, index);
}

/// .field value[,bits]: into the current word while it has room, the label at that word.
void Program::addField(const Line& line, const LineParts& parts) {
  Scanner s(line.text, parts.operandsAt);
  if (s.atEnd()) s.fail("a value");
  skipItem(s);
  std::uint32_t bits = 32;
  if (s.accept(',')) bits = static_cast<std::uint32_t>(absolute(s, 1, 32, "a number of bits"));
  if (!s.atEnd()) s.fail("end of line");
  Building& b = sections_[static_cast<std::size_t>(section_)];
  const bool packs = field_.section == section_ && field_.end == b.size && field_.used + bits <= 32;
  const std::uint32_t used = packs ? field_.used : 0;
  if (!parts.label.empty()) {
    if (packs) --offset_;
    define(parts.label, here(), line, parts.labelAt);
  }
  Statement& statement = add(Statement::Kind::Data, line, parts, packs ? 0 : 1);
  if (packs) --statement.offset;
  statement.bit = static_cast<std::uint8_t>(used);
  statement.bits = static_cast<std::uint8_t>(bits);
  field_ = {section_, sections_[static_cast<std::size_t>(section_)].size, used + bits};
}

void Program::emitField(const Statement& statement) {
  Scanner s(statement.first.line, statement.first.operandsAt);
  const std::size_t at = s.position();
  const Value v = parseExpression(s, symbols());
  std::uint32_t& word =
      sections_[static_cast<std::size_t>(statement.section)].words[statement.offset];
  if (v.relative()) {
    if (statement.bits != 32) s.failAt(at, "a constant, or 32 bits for an address");
    relocateWord(statement, 0, {RelocationType::RelLong, v, at});
    return;
  }
  if (v.isFloat) s.failAt(at, "an integer (.float takes floating constants)");
  const std::uint32_t mask = statement.bits == 32 ? ~0u : (1u << statement.bits) - 1u;
  word |= (static_cast<std::uint32_t>(v.integer) & mask) << statement.bit;
}

void Program::emitItem(const Statement& statement, Scanner& s, std::uint32_t& index) {
  const std::string& op = statement.first.mnemonic;
  const std::size_t at = s.position();
  const unsigned bits = narrowBits(op);
  const bool narrow = bits != 0;
  if (s.peek() == '"' && (narrow || isPacked(op))) {
    std::string text = s.quoted();
    if (narrow) {
      for (const char c : text) store(statement, index++, static_cast<unsigned char>(c));
      return;
    }
    text.append(terminator(op), '\0');
    return storeBytes(statement, text, index);
  }
  const Value v = parseExpression(s, symbols());
  if (v.relative() && !isFloating(op) && !narrow) {
    relocateWord(statement, index, {RelocationType::RelLong, v, at});
    return store(statement, index++, 0);
  }
  if (v.relative()) s.failAt(at, "a constant (the linker decides this address)");
  if (isFloating(op)) return emitFloat(statement, v, at, index);
  if (v.isFloat) s.failAt(at, "an integer (.float takes floating constants)");
  const std::int32_t limit = bits == 8 ? 0xFF : 0xFFFF;
  if (narrow && (v.integer > limit || v.integer < -(limit + 1) / 2)) {
    s.failAt(at, bits == 8 ? "a value of 8 bits" : "a value of 16 bits");
  }
  store(statement, index++,
        static_cast<std::uint32_t>(v.integer) & (narrow ? static_cast<std::uint32_t>(limit) : ~0u));
}

void Program::emitFloat(const Statement& statement, const Value& value, std::size_t at,
                        std::uint32_t& index) {
  const std::string& op = statement.first.mnemonic;
  const std::string& line = statement.first.line;
  const double real = value.asReal();
  if (op == ".IEEE") {
    const auto narrow = static_cast<float>(real);
    if (!std::isfinite(narrow))
      throw SourceError(at, foundExpected(line, at, "a value in the range of IEEE single"));
    return store(statement, index++, std::bit_cast<std::uint32_t>(narrow));
  }
  const std::optional<TiFloat> parts = toTiFloat(real, op == ".LDOUBLE" ? 31 : 23, 127);
  if (!parts)
    throw SourceError(at, foundExpected(line, at, "0 or a magnitude of 5.9e-39 to 3.4e38"));
  if (op == ".LDOUBLE") {
    store(statement, index++, parts->single());
    return store(statement, index++, parts->mantissa);
  }
  store(statement, index++, parts->single());
}

}  // namespace rtvp::c32
