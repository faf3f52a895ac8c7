// See record_file.hpp.
#include "models/common/core/record_file.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "models/common/core/file_io.hpp"
#include "models/common/core/text.hpp"

namespace rtvp::common {

std::string RecordLine::word(const char* expected) {
  std::string w;
  if (!(in_ >> w)) fail(std::string("found the end of the line, expected ") + expected);
  return w;
}

std::string RecordLine::rest() {
  std::string text;
  std::getline(in_ >> std::ws, text);
  return text;
}

std::uint64_t RecordLine::number(int base, std::uint64_t most) {
  const std::string w = word("a number");
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), value, base);
  if (error != std::errc() || end != w.data() + w.size() || value > most)
    fail("found " + quotedAsIs(w) + ", expected a " + (base == 16 ? "hexadecimal " : "") +
         "number up to " + (base == 16 ? hex(most) : std::to_string(most)));
  return value;
}

std::vector<std::uint8_t> RecordLine::bytes(std::size_t most) {
  const std::string w = word("bytes");
  if (w.size() % 2 != 0 || w.find_first_not_of("0123456789abcdef") != std::string::npos)
    fail("found something else than pairs of hexadecimal digits");
  if (w.size() / 2 > most)
    fail("found " + std::to_string(w.size() / 2) + " bytes, expected at most " +
         std::to_string(most));
  std::vector<std::uint8_t> bytes(w.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    std::from_chars(w.data() + 2 * i, w.data() + 2 * i + 2, bytes[i], 16);
  return bytes;
}

void readRecord(const std::filesystem::path& file, std::string_view firstLine,
                const RecordReaders& readers) {
  const auto text = readFile(file);
  if (!text) throw RecordError(file.string() + ": found no such file, expected one of --dump-node");
  std::istringstream in(*text);
  std::string row;
  std::getline(in, row);
  if (row != firstLine)
    throw RecordError(file.string() + ":1: found " + quotedAsIs(row.substr(0, kQuotedCharacters)) +
                      ", expected '" + std::string(firstLine) +
                      "'; write the folder again with this version's --dump-node");
  for (unsigned n = 2; std::getline(in, row); ++n) {
    RecordLine line(file.string() + ":" + std::to_string(n), row.substr(0, row.find('#')));
    if (!line.more()) continue;
    const std::string key = line.word("a keyword");
    const auto reader = readers.find(key);
    if (reader == readers.end())
      line.fail("found " + quotedAsIs(key) + ", which is no line of a node's files");
    reader->second(line);
    if (line.more()) line.fail("found more than the line's values: " + line.rest());
  }
}

std::string RecordDifferences::text() const {
  std::string out;
  for (const std::string& line : lines_) out += line + "\n";
  if (all_ > lines_.size()) out += "and " + std::to_string(all_ - lines_.size()) + " more\n";
  return out;
}

std::string hexBytes(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t b : bytes) {
    text += kDigits[b >> 4U];
    text += kDigits[b & 15U];
  }
  return text;
}

/// visit(line number, first byte in it, how many, how many were before); false ends it.
template <typename Visit>
bool ByteImage::each(std::uint64_t address, std::size_t count, Visit visit) {
  for (std::size_t done = 0; done < count;) {
    const std::uint64_t at = address + done;
    const auto first = static_cast<std::size_t>(at % kLine);
    const std::size_t part = std::min(kLine - first, count - done);
    if (!visit(at / kLine, first, part, done)) return false;
    done += part;
  }
  return true;
}

void ByteImage::put(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  each(address, bytes.size(),
       [&](std::uint64_t number, std::size_t first, std::size_t part, std::size_t done) {
         Line& line = lines_[number];
         for (std::size_t i = 0; i < part; ++i) {
           const std::uint64_t bit = std::uint64_t{1} << (first + i);
           bytes_ += (line.known & bit) == 0 ? 1U : 0U;
           line.known |= bit;
           line.bytes[first + i] = bytes[done + i];
         }
         return true;
       });
}

void ByteImage::putNew(std::uint64_t address, std::span<const std::uint8_t> bytes) {
  if (knows(address, bytes.size())) return;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (!knows(address + i, 1)) put(address + i, bytes.subspan(i, 1));
}

bool ByteImage::get(std::uint64_t address, std::span<std::uint8_t> bytes) const {
  return each(address, bytes.size(),
              [&](std::uint64_t number, std::size_t first, std::size_t part, std::size_t done) {
                const auto line = lines_.find(number);
                if (line == lines_.end()) return false;
                for (std::size_t i = 0; i < part; ++i) {
                  if ((line->second.known >> (first + i) & 1U) == 0) return false;
                  bytes[done + i] = line->second.bytes[first + i];
                }
                return true;
              });
}

bool ByteImage::knows(std::uint64_t address, std::size_t bytes) const {
  return each(address, bytes,
              [&](std::uint64_t number, std::size_t first, std::size_t part, std::size_t) {
                const auto line = lines_.find(number);
                if (line == lines_.end()) return false;
                const std::uint64_t all =
                    part == kLine ? ~std::uint64_t{0} : ((std::uint64_t{1} << part) - 1) << first;
                return (line->second.known & all) == all;
              });
}

std::string ByteImage::text(std::string_view keyword) const {
  std::string out;
  for (const auto& [number, line] : lines_) {
    for (std::size_t from = 0; from < kLine;) {
      std::size_t to = from;
      while (to < kLine && (line.known >> to & 1U) != 0) ++to;
      if (to > from) {
        out += std::string(keyword) + " " + hex(number * kLine + from, 8) + " " +
               hexBytes(std::span(line.bytes).subspan(from, to - from)) + "\n";
      }
      from = to + 1;
    }
  }
  return out;
}

void ByteImage::read(RecordLine& line, std::uint64_t most) {
  const std::uint64_t address = line.hexLong();
  const std::vector<std::uint8_t> found = line.bytes(kLine);
  if (address + found.size() < address) line.fail("found bytes beyond the last address");
  put(address, found);
  if (bytes_ > most)
    line.fail("found more than " + std::to_string(most) + " bytes of memory altogether");
}

}  // namespace rtvp::common
