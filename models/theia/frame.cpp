#include "models/theia/frame.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>

#include "models/common/core/text.hpp"

namespace rtvp::theia {
namespace {

constexpr std::size_t kMaxTexels = 4096ULL * 4096;
constexpr std::size_t kMaxInstructions = 4096;
constexpr unsigned kMaxSide = 16384;

/// One tab-separated file: rows with their line numbers, errors that name both.
class Table {
 public:
  Table(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  /// The next row that is not a comment or empty; false at the end.
  bool next() {
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      std::string_view row = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++line_;
      if (row.ends_with('\r')) row.remove_suffix(1);
      if (row.empty() || row[0] == '#') continue;
      cells_.clear();
      for (;;) {
        const std::size_t tab = row.find('\t');
        cells_.push_back(row.substr(0, tab));
        if (tab == row.npos) break;
        row.remove_prefix(tab + 1);
      }
      return true;
    }
    return false;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw FrameError(std::string(name_) + ':' + std::to_string(line_) + ": " + message);
  }
  void columns(std::size_t count) const {
    if (cells_.size() != count)
      fail("found " + std::to_string(cells_.size()) + " columns, expected " +
           std::to_string(count));
  }
  [[nodiscard]] std::string_view cell(std::size_t column) const { return cells_[column]; }
  [[nodiscard]] std::uint32_t decimal(std::size_t column, std::uint32_t most) const {
    const std::uint32_t value = parse(column, 10, "a decimal number");
    if (value > most)
      fail("found " + std::to_string(value) + ", expected at most " + std::to_string(most));
    return value;
  }
  [[nodiscard]] Word hex(std::size_t column) const {
    if (cells_[column].size() != 8) fail("found " + shown(column) + ", expected 8 hex digits");
    return parse(column, 16, "8 hex digits");
  }
  [[nodiscard]] Vec vec(std::size_t column) const {
    return {hex(column), hex(column + 1), hex(column + 2)};
  }

 private:
  [[nodiscard]] std::string shown(std::size_t column) const {
    return "'" + common::printable(cells_[column]) + "'";
  }
  [[nodiscard]] std::uint32_t parse(std::size_t column, int base, const char* what) const {
    const std::string_view text = cells_[column];
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
      fail("found " + shown(column) + ", expected " + what);
    return value;
  }

  std::string_view name_, text_;
  std::vector<std::string_view> cells_;
  unsigned line_ = 0;
};

std::uint32_t pixels(Word fixed_point) {
  return fixed_point >> kFractionBits;
}

/// Reads config.tsv; returns the texture's width.
unsigned readConfig(Frame& frame, std::string_view text) {
  Table table("config.tsv", text);
  unsigned texture_width = 0;
  while (table.next()) {
    table.columns(6);
    RegisterWrite write;
    const std::string_view target = table.cell(0);
    if (target.starts_with("core")) {
      unsigned core = kMaxCores;
      const std::string_view digits = target.substr(4);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), core);
      if (error != std::errc() || end != digits.data() + digits.size() || core >= kMaxCores)
        table.fail("expected core0 to core15");
      write.core = static_cast<int>(core);
      frame.cores = std::max(frame.cores, core + 1);
    } else if (target != "all") {
      table.fail("expected a target: all or coreN");
    }
    write.address = static_cast<std::uint16_t>(table.decimal(1, 0xFFFF));
    write.value = table.vec(3);
    if (write.address == reg("CREG_RESOLUTION")) {
      frame.width = pixels(write.value.x);
      frame.height = pixels(write.value.y);
    }
    if (write.address == reg("CREG_TEXTURE_SIZE")) texture_width = pixels(write.value.x);
    frame.registers.push_back(write);
  }
  if (frame.width == 0 || frame.height == 0 || frame.width > kMaxSide || frame.height > kMaxSide)
    table.fail("CREG_RESOLUTION must give a picture of 1 to 16384 pixels a side");
  if (frame.height % frame.cores != 0)
    table.fail("the height, " + std::to_string(frame.height) + ", must divide by the " +
               std::to_string(frame.cores) + " cores");
  return texture_width;
}

void readTriangles(Frame& frame, std::string_view text) {
  Table table("triangles.tsv", text);
  unsigned rows = 0;
  while (table.next()) {
    table.columns(5);
    if (table.decimal(0, kMaxPrimitives) != rows / kTriangleRegisters)
      table.fail("expected seven rows for each triangle, triangles counted from 0");
    const std::string_view expected = kRegisters[0].name.substr(0, 5);  // "CREG_"
    const unsigned row = rows % kTriangleRegisters;
    if (std::string(expected) + std::string(table.cell(1)) != registerName(reg("CREG_V0") + row))
      table.fail("expected row " + registerName(reg("CREG_V0") + row).substr(5));
    if (row == 0) frame.triangles.emplace_back();
    frame.triangles.back()[row] = table.vec(2);
    ++rows;
  }
  if (rows == 0 || rows % kTriangleRegisters != 0)
    table.fail("expected seven rows for each triangle, at least one triangle");
}

void readTexture(Frame& frame, std::string_view text, unsigned width) {
  Table table("texture.tsv", text);
  while (table.next()) {
    table.columns(5);
    if (width == 0) table.fail("texels, but CREG_TEXTURE_SIZE is 0");
    const std::size_t texel = table.decimal(0, width - 1) +
                              static_cast<std::size_t>(table.decimal(1, kMaxTexels)) * width;
    if (texel >= kMaxTexels) table.fail("the texture is too large");
    if (frame.texture.size() < 3 * (texel + 1)) frame.texture.resize(3 * (texel + 1));
    for (unsigned c = 0; c < 3; ++c) frame.texture[3 * texel + c] = table.hex(2 + c);
  }
}

void readInstructions(Frame& frame, std::string_view text) {
  Table table("instructions.tsv", text);
  while (table.next()) {
    table.columns(3);
    if (table.decimal(0, kMaxInstructions) != frame.instructions.size())
      table.fail("expected row " + std::to_string(frame.instructions.size()));
    frame.instructions.push_back({static_cast<std::uint64_t>(table.hex(1)) << 32 | table.hex(2)});
  }
  if (frame.instructions.size() < kEntries) table.fail("expected the 12 rows of the entry table");
}

}  // namespace

Frame parseFrame(std::string_view config, std::string_view triangles, std::string_view texture,
                 std::string_view instructions) {
  Frame frame;
  const unsigned texture_width = readConfig(frame, config);
  readTriangles(frame, triangles);
  readTexture(frame, texture, texture_width);
  readInstructions(frame, instructions);
  return frame;
}

namespace {

std::string vecText(const Vec& v) {
  char text[32];
  std::snprintf(text, sizeof text, "%08X\t%08X\t%08X", v.x, v.y, v.z);
  return text;
}

std::string textureText(const Frame& frame) {
  unsigned width = 0;
  for (const RegisterWrite& w : frame.registers)
    if (w.address == reg("CREG_TEXTURE_SIZE")) width = pixels(w.value.x);
  std::string text = "#u\tv\tr\tg\tb\n";
  std::size_t words = frame.texture.size();
  while (words > 0 && frame.texture[words - 1] == 0) --words;
  const auto word = [&](std::size_t i) { return i < frame.texture.size() ? frame.texture[i] : 0; };
  for (std::size_t texel = 0; width != 0 && 3 * texel < words; ++texel)
    text += std::to_string(texel % width) + "\t" + std::to_string(texel / width) + "\t" +
            vecText({word(3 * texel), word(3 * texel + 1), word(3 * texel + 2)}) + "\n";
  return text;
}

}  // namespace

FrameTexts formatFrame(const Frame& frame) {
  FrameTexts texts;
  texts.config = "#target\taddress\tregister\tx\ty\tz\n";
  for (const RegisterWrite& w : frame.registers)
    texts.config += (w.core < 0 ? "all" : "core" + std::to_string(w.core)) + "\t" +
                    std::to_string(w.address) + "\t" + registerName(w.address) + "\t" +
                    vecText(w.value) + "\n";
  texts.triangles = "#triangle\treg\tx\ty\tz\n";
  for (std::size_t t = 0; t < frame.triangles.size(); ++t) {
    for (unsigned row = 0; row < kTriangleRegisters; ++row)
      texts.triangles += std::to_string(t) + "\t" + registerName(reg("CREG_V0") + row).substr(5) +
                         "\t" + vecText(frame.triangles[t][row]) + "\n";
  }
  texts.texture = textureText(frame);
  texts.instructions = "#imem_address\thigh\tlow\n";
  for (std::size_t row = 0; row < frame.instructions.size(); ++row) {
    char words[24];
    std::snprintf(words, sizeof words, "%08X\t%08X",
                  static_cast<unsigned>(frame.instructions[row].word >> 32U),
                  static_cast<unsigned>(frame.instructions[row].word));
    texts.instructions += std::to_string(row) + "\t" + words + "\n";
  }
  return texts;
}

std::string outputText(const Gpu& gpu, const Frame& frame) {
  std::string text = "#core\tword\tvalue_q17\n";
  for (unsigned c = 0; c < gpu.cores(); ++c) {
    const auto words = gpu.output(c);
    std::size_t count = words.size();
    const std::size_t picture = std::min<std::size_t>(3 * frame.pixelsPerCore(), count);
    while (count > picture && words[count - 1] == 0) --count;  // planes past the picture
    for (std::size_t w = 0; w < count; ++w) {
      char line[48];
      std::snprintf(line, sizeof line, "%u\t%zu\t%08x\n", c, w, words[w]);
      text += line;
    }
  }
  return text;
}

// The host is a state machine that takes a clock of its own for each new group of writes; the sums
// are section 7's.
Clock configureFrame(HostPort& port, const Frame& frame, Clock at) {
  const std::uint32_t everyone = (1U << frame.cores) - 1;
  ++at;
  for (unsigned row = 0; row < frame.instructions.size(); ++row)
    at = port.writeInstruction(at, everyone, row, frame.instructions[row]);
  ++at;
  int group = -1;
  for (const RegisterWrite& write : frame.registers) {
    if (write.core != group) at += write.core < 0 ? 2 : 1;
    group = write.core;
    at = port.writeRegister(at, group < 0 ? everyone : 1U << group, write.address, write.value);
  }
  at = port.streamTriangle(at + 1, frame.triangles[0]) + 1;
  return port.beginRendering(at);
}

Clock renderPixel(HostPort& port, const Frame& frame, Clock at, bool firstStreamed) {
  for (std::size_t i = 0; i < frame.triangles.size() && !port.failed(); ++i) {
    if (i != 0 || !firstStreamed) at = port.streamTriangle(at, frame.triangles[i]);
    at = port.offer(at);
  }
  at = port.streamTriangle(at, Triangle{});  // the host runs one set ahead
  return port.awaitCommit(at);
}

Clock playFrame(HostPort& port, const Frame& frame, Clock at) {
  at = configureFrame(port, frame, at);
  for (std::uint64_t pixel = 0; pixel < frame.pixelsPerCore() && !port.failed(); ++pixel)
    at = renderPixel(port, frame, at, pixel == 0);
  return at;
}

}  // namespace rtvp::theia
