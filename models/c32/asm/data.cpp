// Data directives: how many words they take (pass 1) and which (pass 2). c32.md 10.2.
#include <algorithm>
#include <bit>
#include <cmath>

#include "models/c32/asm/program.hpp"
#include "models/c32/asm/ti_float.hpp"

namespace rtvp::c32 {
namespace {

bool isPacked(const std::string& op) {
  return op == ".STRING" || op == ".ASCII" || op == ".ASCIZ";
}
bool isFloating(const std::string& op) {
  return op == ".FLOAT" || op == ".SINGLE" || op == ".IEEE" || op == ".LDOUBLE";
}

std::uint32_t packedSize(const std::string& op, std::size_t characters) {
  const std::size_t terminator = op == ".ASCIZ" ? 1 : 0;
  return static_cast<std::uint32_t>((characters + terminator + 3) / 4);
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
  const bool strings = isPacked(op) || op == ".BYTE" || op == ".HWORD";
  Scanner s(line, parts.operandsAt);
  if (s.atEnd()) s.fail("at least one value");
  std::uint32_t size = 0;
  do {
    s.skipBlanks();
    if (strings && s.peek() == '"') {
      const std::string text = s.quoted();
      size += isPacked(op) ? packedSize(op, text.size()) : static_cast<std::uint32_t>(text.size());
      if (!s.atEnd() && s.peek() != ',') s.fail("',' or end of line");
    } else {
      if (isPacked(op)) s.fail("a quoted string");
      if (s.atEnd() || s.peek() == ',') s.fail("a value");
      skipItem(s);
      size += op == ".LDOUBLE" ? 2u : 1u;
    }
  } while (s.accept(','));
  return size;
}

void Program::emitData(const Statement& statement) {
  Scanner s(statement.first.line, statement.first.operandsAt);
  std::uint32_t index = 0;
  do {
    s.skipBlanks();
    emitItem(statement, s, index);
  } while (s.accept(','));
  if (!s.atEnd()) s.fail("',' or end of line");
}

void Program::emitItem(const Statement& statement, Scanner& s, std::uint32_t& index) {
  const std::string& op = statement.first.mnemonic;
  const std::size_t at = s.position();
  const bool narrow = op == ".BYTE" || op == ".HWORD";
  if (s.peek() == '"' && (narrow || isPacked(op))) {
    const std::string text = s.quoted();
    if (narrow) {
      for (const char c : text) store(statement, index++, static_cast<unsigned char>(c));
      return;
    }
    std::uint32_t word = 0;
    const std::uint32_t words = packedSize(op, text.size());
    for (std::uint32_t w = 0; w < words; ++w) {
      word = 0;
      for (std::uint32_t k = 0; k < 4 && 4 * w + k < text.size(); ++k) {
        word |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[4 * w + k])) << (8 * k);
      }
      store(statement, index++, word);
    }
    return;
  }
  const Value v = parseExpression(s, symbols());
  if (v.relative() && !isFloating(op) && !narrow) {
    relocateWord(statement, index, {RelocationType::RelLong, v, at});
    return store(statement, index++, 0);
  }
  if (v.relative()) s.failAt(at, "a constant (the linker decides this address)");
  if (isFloating(op)) return emitFloat(statement, v, at, index);
  if (v.isFloat) s.failAt(at, "an integer (.float takes floating constants)");
  const std::int32_t limit = op == ".BYTE" ? 0xFF : 0xFFFF;
  if (narrow && (v.integer > limit || v.integer < -(limit + 1) / 2)) {
    s.failAt(at, op == ".BYTE" ? "a value of 8 bits" : "a value of 16 bits");
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
