// What one unit of a run saw, as text for the unit's own tool: lines of a keyword and values, #
// begins a comment, the first line names the kind of file and its version. And memory as far as it
// is known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rtvp::common {

/// A record that cannot be read; what() names file, line, what was found and what was expected.
class RecordError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One line of a record, word by word. Every reader throws RecordError.
class RecordLine {
 public:
  RecordLine(std::string place, std::string text)
      : place_(std::move(place)), in_(std::move(text)) {}

  [[noreturn]] void fail(const std::string& what) const { throw RecordError(place_ + ": " + what); }
  std::string word(const char* expected);
  /// All that is left.
  std::string rest();
  bool more() { return !(in_ >> std::ws).eof(); }
  std::uint64_t number(int base, std::uint64_t most);
  std::uint64_t number() { return number(10, ~std::uint64_t{0}); }
  /// 32 bits as hexadecimal digits.
  std::uint32_t hexWord() { return static_cast<std::uint32_t>(number(16, 0xFFFFFFFFU)); }
  /// 64 bits as hexadecimal digits.
  std::uint64_t hexLong() { return number(16, ~std::uint64_t{0}); }
  /// Pairs of hexadecimal digits in one word, at most `most` bytes.
  std::vector<std::uint8_t> bytes(std::size_t most);

 private:
  std::string place_;
  std::istringstream in_;
};

/// What a line does, by its keyword.
using RecordReaders = std::map<std::string, std::function<void(RecordLine&)>, std::less<>>;

/// Reads `file`, whose first line must be `firstLine`. Throws RecordError.
void readRecord(const std::filesystem::path& file, std::string_view firstLine,
                const RecordReaders& readers);

/// A number of a record: one row of a table that both writing and reading go by.
template <typename Record>
struct RecordNumber {
  std::string_view name;
  std::uint64_t (*get)(const Record&) = nullptr;
  void (*set)(Record&, std::uint64_t) = nullptr;
  std::uint64_t most = 1'000'000'000;
};
/// The member of a Record that `Path` leads to.
template <typename Record, auto... Path>
constexpr RecordNumber<Record> recordNumber(std::string_view name,
                                            std::uint64_t most = 1'000'000'000) {
  return {name, [](const Record& r) { return static_cast<std::uint64_t>((r.*....*Path)); },
          [](Record& r, std::uint64_t n) {
            auto& member = (r.*....*Path);
            member = static_cast<std::remove_reference_t<decltype(member)>>(n);
          },
          most};
}
/// Lines `name number` of a table.
template <typename Record>
std::string numbersText(std::span<const RecordNumber<Record>> table, const Record& record) {
  std::string text;
  for (const auto& n : table)
    text += std::string(n.name) + " " + std::to_string(n.get(record)) + "\n";
  return text;
}
/// Their readers. `table` and `record` outlive them.
template <typename Record>
void readNumbers(std::span<const RecordNumber<Record>> table, Record& record,
                 RecordReaders& readers) {
  for (const auto& n : table)
    readers.emplace(std::string(n.name),
                    [&record, &n](RecordLine& line) { n.set(record, line.number(10, n.most)); });
}

/// What differs between what was recorded and what was found, in lines; a bounded number of them.
class RecordDifferences {
 public:
  void add(const std::string& line) {
    if (lines_.size() < kMost) lines_.push_back(line);
    ++all_;
  }
  template <typename T>
  void compare(const std::string& what, const T& found, const T& recorded) {
    if (!(found == recorded))
      add(what + ": " + std::to_string(found) + ", recorded " + std::to_string(recorded));
  }
  [[nodiscard]] bool none() const { return all_ == 0; }
  /// A line each, and how many are not shown.
  [[nodiscard]] std::string text() const;

 private:
  static constexpr std::size_t kMost = 20;
  std::vector<std::string> lines_;
  std::size_t all_ = 0;
};

/// Two digits a byte.
[[nodiscard]] std::string hexBytes(std::span<const std::uint8_t> bytes);

/// Bytes at addresses, most of which are not known.
class ByteImage {
 public:
  static constexpr std::size_t kLine = 64;

  void put(std::uint64_t address, std::span<const std::uint8_t> bytes);
  /// Those that are not known yet.
  void putNew(std::uint64_t address, std::span<const std::uint8_t> bytes);
  /// False: not all of them are known.
  [[nodiscard]] bool get(std::uint64_t address, std::span<std::uint8_t> bytes) const;
  [[nodiscard]] bool knows(std::uint64_t address, std::size_t bytes) const;
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Lines `KEYWORD address bytes`, each of at most kLine bytes, in the order of addresses.
  [[nodiscard]] std::string text(std::string_view keyword) const;
  /// The values of such a line. Throws RecordError; also for more than `most` bytes altogether.
  void read(RecordLine& line, std::uint64_t most);

 private:
  struct Line {
    std::array<std::uint8_t, kLine> bytes{};
    std::uint64_t known = 0;  ///< a bit a byte
  };
  template <typename Visit>
  static bool each(std::uint64_t address, std::size_t count, Visit visit);

  std::map<std::uint64_t, Line> lines_;  ///< by address / kLine
  std::uint64_t bytes_ = 0;
};

}  // namespace rtvp::common
