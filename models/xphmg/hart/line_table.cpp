// See line_table.hpp.
#include "models/xphmg/hart/line_table.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "models/common/core/text.hpp"

namespace rtvp::rv64 {
namespace {

// More than any program that fits the hart's memory has.
constexpr std::size_t kMaxRows = std::size_t{1} << 22U;
constexpr std::size_t kMaxFiles = std::size_t{1} << 14U;
constexpr std::size_t kMaxName = 4096;

using Bytes = std::span<const std::uint8_t>;

/// Reads a section from its begin on; errors know the offset.
class Cursor {
 public:
  Cursor(Bytes bytes, std::string_view section, std::size_t base = 0)
      : bytes_(bytes), section_(section), base_(base) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw ElfError("line table (" + std::string(section_) + ") at offset " +
                   std::to_string(base_ + at_) + ": " + what +
                   "; a program without line tables runs (riscv64-unknown-elf-strip -g)");
  }
  [[nodiscard]] bool end() const { return at_ == bytes_.size(); }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }

  Bytes take(std::uint64_t count) {
    if (count > left()) {
      fail("found " + std::to_string(left()) + " more bytes, expected " + std::to_string(count));
    }
    const Bytes part = bytes_.subspan(at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return part;
  }
  /// The next `count` bytes as a section of their own.
  Cursor part(std::uint64_t count) {
    const std::size_t from = base_ + at_;
    return {take(count), section_, from};
  }
  /// Little-endian, 1 to 8 bytes.
  std::uint64_t fixed(unsigned count) {
    std::uint64_t value = 0;
    unsigned shift = 0;
    for (const std::uint8_t byte : take(count)) {
      value |= std::uint64_t{byte} << shift;
      shift += 8;
    }
    return value;
  }
  std::uint8_t byte() { return take(1)[0]; }

  /// LEB128; bits beyond 64 are lost, as in every reader.
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t b = byte();
      if (shift < 64) value |= std::uint64_t{b & 0x7FU} << shift;
      if ((b & 0x80U) == 0) return value;
    }
  }
  std::int64_t signedNumber() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const std::uint8_t b = byte();
      if (shift < 64) value |= std::uint64_t{b & 0x7FU} << shift;
      shift += 7;
      if ((b & 0x80U) != 0) continue;
      if (shift < 64 && (b & 0x40U) != 0) value |= ~std::uint64_t{0} << shift;
      return static_cast<std::int64_t>(value);
    }
  }
  std::string_view text() {
    const Bytes rest = bytes_.subspan(at_);
    const auto zero = std::find(rest.begin(), rest.end(), std::uint8_t{0});
    if (zero == rest.end()) fail("found a name without an end");
    const auto size = static_cast<std::size_t>(zero - rest.begin());
    if (size > kMaxName) {
      fail("found a name of " + std::to_string(size) + " bytes, expected at most " +
           std::to_string(kMaxName));
    }
    at_ += size + 1;
    return {reinterpret_cast<const char*>(rest.data()), size};
  }

 private:
  Bytes bytes_;
  std::string_view section_;
  std::size_t base_;
  std::size_t at_ = 0;
};

std::string joined(std::string_view folder, std::string_view name) {
  if (name.starts_with('/') || folder.empty() || folder == ".") return std::string(name);
  return std::string(folder) + (folder.ends_with('/') ? "" : "/") + std::string(name);
}

/// Sections that names may lie in.
struct Strings {
  Bytes lineStr, str;
};

/// What a program of the table runs with.
struct Header {
  unsigned version = 0;
  unsigned offsetBytes = 4;  ///< 8: the 64-bit form
  unsigned shortest = 1;     ///< bytes that an advance of one means
  std::int8_t lineBase = 0;
  unsigned lineRange = 1;
  unsigned opcodeBase = 1;
  std::vector<std::uint8_t> operands;  ///< of standard opcodes, from 1 on
  std::vector<std::string> folders;
  std::vector<std::uint32_t> files;  ///< numbers in the table, by the number that the program uses
};

/// Turns one unit after the other into rows.
class Reader {
 public:
  Reader(Cursor section, Strings strings) : section_(section), strings_(strings) {}

  LineTable read() {
    while (!section_.end()) unit();
    return std::move(table_);
  }

 private:
  void unit() {
    std::uint64_t length = section_.fixed(4);
    Header header;
    if (length == 0xFFFF'FFFF) {
      header.offsetBytes = 8;
      length = section_.fixed(8);
    }
    Cursor in = section_.part(length);
    header.version = static_cast<unsigned>(in.fixed(2));
    if (header.version < 2 || header.version > 5) {
      in.fail("found version " + std::to_string(header.version) + ", expected 2 to 5");
    }
    if (header.version == 5 && (in.byte() != 8 || in.byte() != 0)) {
      in.fail("expected addresses of 8 bytes without segments");
    }
    Cursor names = in.part(in.fixed(header.offsetBytes));
    parameters(names, header);
    if (header.version == 5) {
      tables5(names, header);
    } else {
      tables2(names, header);
    }
    run(in, header);
  }

  static void parameters(Cursor& in, Header& header) {
    header.shortest = in.byte();
    if (header.version >= 4 && in.byte() != 1) {
      in.fail("found several operations an instruction, expected one");
    }
    (void)in.byte();  // whether rows begin as places for breakpoints: all count here
    header.lineBase = static_cast<std::int8_t>(in.byte());
    header.lineRange = in.byte();
    header.opcodeBase = in.byte();
    if (header.lineRange == 0 || header.opcodeBase == 0) {
      in.fail("found a line range or opcode base of 0");
    }
    const Bytes counts = in.take(header.opcodeBase - 1);
    header.operands.assign(counts.begin(), counts.end());
  }

  std::uint32_t numberOf(const Cursor& in, std::string name) {
    const auto [it, added] =
        known_.try_emplace(std::move(name), static_cast<std::uint32_t>(table_.files.size()));
    if (added) table_.files.push_back(it->first);
    if (table_.files.size() > kMaxFiles) {
      in.fail("found more than " + std::to_string(kMaxFiles) + " files");
    }
    return it->second;
  }

  void addFile(const Cursor& in, Header& header, std::string_view name, std::uint64_t folder) {
    if (folder >= header.folders.size()) {
      in.fail("found folder " + std::to_string(folder) + " of " +
              std::to_string(header.folders.size()));
    }
    if (header.files.size() >= kMaxFiles) in.fail("found too many files");
    const std::string inside = joined(header.folders[static_cast<std::size_t>(folder)], name);
    header.files.push_back(numberOf(in, joined(header.folders.front(), inside)));
  }

  /// Versions 2 to 4; the folder of the compilation is not in this section.
  void tables2(Cursor& in, Header& header) {
    header.folders.emplace_back();
    for (std::string_view name = in.text(); !name.empty(); name = in.text())
      header.folders.emplace_back(name);
    header.files.push_back(numberOf(in, "?"));  // files count from 1
    for (std::string_view name = in.text(); !name.empty(); name = in.text()) {
      const std::uint64_t folder = in.number();
      (void)in.number();  // time
      (void)in.number();  // length
      addFile(in, header, name, folder);
    }
  }

  struct Entry {
    std::string_view name;
    std::uint64_t folder = 0;
  };
  using Forms = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

  static Forms formsOf(Cursor& in) {
    Forms forms(in.byte());
    for (auto& [content, form] : forms) {
      content = in.number();
      form = in.number();
    }
    return forms;
  }

  std::string_view stringAt(const Cursor& in, Bytes strings, std::uint64_t offset) {
    if (offset >= strings.size()) in.fail("found a name outside the strings");
    Cursor text(strings.subspan(static_cast<std::size_t>(offset)), "its strings");
    return text.text();
  }

  void value(Cursor& in, const Header& header, std::uint64_t content, std::uint64_t form,
             Entry& entry) {
    constexpr std::uint64_t kPath = 1, kFolder = 2;
    std::string_view name;
    std::uint64_t number = 0;
    switch (form) {
      case 0x08:  // string
        name = in.text();
        break;
      case 0x1F:  // line_strp
        name = stringAt(in, strings_.lineStr, in.fixed(header.offsetBytes));
        break;
      case 0x0E:  // strp
        name = stringAt(in, strings_.str, in.fixed(header.offsetBytes));
        break;
      case 0x0B:  // data1
        number = in.fixed(1);
        break;
      case 0x05:  // data2
        number = in.fixed(2);
        break;
      case 0x06:  // data4
        number = in.fixed(4);
        break;
      case 0x07:  // data8
        number = in.fixed(8);
        break;
      case 0x0F:  // udata
        number = in.number();
        break;
      case 0x1E:  // data16
        (void)in.take(16);
        break;
      case 0x09:  // block
        (void)in.take(in.number());
        break;
      default:
        in.fail("found form " + common::hex0x(form) + ", which no table of files has");
    }
    if (content == kPath) entry.name = name;
    if (content == kFolder) entry.folder = number;
  }

  std::vector<Entry> entries(Cursor& in, const Header& header) {
    const Forms forms = formsOf(in);
    const std::uint64_t count = in.number();
    if (count > kMaxFiles || (forms.empty() && count != 0)) {
      in.fail("found " + std::to_string(count) + " files or folders, expected at most " +
              std::to_string(kMaxFiles) + " with a name each");
    }
    std::vector<Entry> all(static_cast<std::size_t>(count));
    for (Entry& entry : all) {
      for (const auto& [content, form] : forms) value(in, header, content, form, entry);
    }
    return all;
  }

  void tables5(Cursor& in, Header& header) {
    for (const Entry& folder : entries(in, header)) header.folders.emplace_back(folder.name);
    const std::vector<Entry> files = entries(in, header);
    if (!files.empty() && header.folders.empty())
      in.fail("found no folder, expected that of the compilation");
    for (const Entry& file : files) addFile(in, header, file.name, file.folder);
  }

  // ---- the program

  struct State {
    std::uint64_t address = 0;
    std::uint64_t file = 1;
    std::uint64_t line = 1;
  };

  void advance(State& state, const Header& header, std::uint64_t operation) {
    state.address += operation * header.shortest;
  }

  void row(const Cursor& in, const Header& header, const State& state) {
    if (state.file >= header.files.size()) {
      in.fail("found file " + std::to_string(state.file) + " of " +
              std::to_string(header.files.size()));
    }
    if (state.line > std::numeric_limits<std::int32_t>::max()) in.fail("found a line below 0");
    if (++rows_ > kMaxRows) in.fail("found more than " + std::to_string(kMaxRows) + " rows");
    std::vector<LineTable::Row>& rows = sequence_.rows;
    if (!rows.empty() && state.address < rows.back().address) {
      in.fail("found address " + common::hex0x(state.address) + " behind " +
              common::hex0x(rows.back().address) + ", expected them in order");
    }
    // Of several rows at one address the last one counts.
    if (!rows.empty() && rows.back().address == state.address) rows.pop_back();
    rows.push_back({state.address, header.files[static_cast<std::size_t>(state.file)],
                    static_cast<std::uint32_t>(state.line)});
  }

  void endSequence(const Cursor& in, const State& state) {
    if (!sequence_.rows.empty()) {
      if (state.address < sequence_.rows.back().address) in.fail("found code that ends too soon");
      sequence_.end = state.address;
      table_.sequences.push_back(std::move(sequence_));
    }
    sequence_ = {};
  }

  /// True: a sequence has ended.
  bool extended(Cursor& in, State& state) {
    Cursor operation = in.part(in.number());
    if (operation.end()) return false;
    switch (operation.byte()) {
      case 1:
        endSequence(operation, state);
        return true;
      case 2:
        if (operation.left() != 8) operation.fail("expected an address of 8 bytes");
        state.address = operation.fixed(8);
        return false;
      default:  // names of files of old compilers, discriminators, those of vendors
        return false;
    }
  }

  void standard(Cursor& in, const Header& header, unsigned opcode, State& state) {
    switch (opcode) {
      case 1:  // copy
        return row(in, header, state);
      case 2:  // advance_pc
        return advance(state, header, in.number());
      case 3:  // advance_line
        state.line += static_cast<std::uint64_t>(in.signedNumber());
        return;
      case 4:  // set_file
        state.file = in.number();
        return;
      case 8:  // const_add_pc
        return advance(state, header, (255 - header.opcodeBase) / header.lineRange);
      case 9:  // fixed_advance_pc
        state.address += in.fixed(2);
        return;
      default:
        for (unsigned n = header.operands[opcode - 1]; n > 0; --n) (void)in.number();
    }
  }

  void run(Cursor& in, const Header& header) {
    State state;
    while (!in.end()) {
      const unsigned opcode = in.byte();
      if (opcode >= header.opcodeBase) {
        const unsigned adjusted = opcode - header.opcodeBase;
        advance(state, header, adjusted / header.lineRange);
        state.line += static_cast<std::uint64_t>(
            std::int64_t{header.lineBase} + static_cast<std::int64_t>(adjusted % header.lineRange));
        row(in, header, state);
      } else if (opcode != 0) {
        standard(in, header, opcode, state);
      } else if (extended(in, state)) {
        state = {};
      }
    }
    if (!sequence_.rows.empty()) in.fail("found code without an end");
  }

  Cursor section_;
  Strings strings_;
  LineTable table_;
  LineTable::Sequence sequence_;
  std::map<std::string, std::uint32_t> known_;
  std::size_t rows_ = 0;
};

}  // namespace

LineTable readLines(const ElfImage& image) {
  constexpr std::string_view kName = ".debug_line";
  const std::optional<Bytes> section = image.section(kName);
  if (!section) return {};
  const Strings strings{image.section(".debug_line_str").value_or(Bytes()),
                        image.section(".debug_str").value_or(Bytes())};
  return Reader(Cursor(*section, kName), strings).read();
}

}  // namespace rtvp::rv64
