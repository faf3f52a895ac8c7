// See state_file.hpp. A file is a table and two parts:
//   8 bytes   "rtvp-ckp"
//   4         version of this format
//   4         parts: 2
//   96 each   name (8, filled up with 0), bytes in the file (8), bytes unpacked (8), SHA-256 of the
//             bytes in the file (64 hexadecimal digits), 8 bytes 0
//   64        SHA-256 of all above
// then the parts' bytes: "identity", JSON, and "state", packed by zlib. Numbers are lowest byte
// first.
#include "platform/checkpoint/state_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstring>
#include <string_view>
#include <system_error>

#include "models/common/core/file_io.hpp"
#include "platform/inputs/input_json.hpp"

namespace rtvp::platform {
namespace {

namespace json = boost::json;
using Bytes = std::span<const std::uint8_t>;

constexpr std::string_view kMagic = "rtvp-ckp";
constexpr std::uint32_t kFormat = 1;
constexpr std::uint64_t kDigest = 64;
constexpr std::uint64_t kName = 8;
constexpr std::uint64_t kRow = kName + 8 + 8 + kDigest + 8;
constexpr std::uint64_t kHead = 16 + 2 * kRow;
constexpr std::uint64_t kTable = kHead + kDigest;
constexpr std::uint64_t kLargestFile = std::uint64_t{8} << 30U;
constexpr std::uint64_t kLargestIdentity = std::uint64_t{64} << 20U;
constexpr std::uint64_t kMostPacked = 1032;  // what zlib can make of a byte at most

struct Row {
  std::string_view name;
  std::uint64_t stored = 0;
  std::uint64_t plain = 0;
  std::string digest;
};

template <typename T>
void put(std::vector<std::uint8_t>& out, T number) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out.push_back(static_cast<std::uint8_t>(number >> (8 * i)));
  }
}
void put(std::vector<std::uint8_t>& out, std::string_view text, std::size_t width) {
  out.insert(out.end(), text.begin(), text.end());
  out.insert(out.end(), width - text.size(), 0);
}
template <typename T>
T number(Bytes bytes, std::uint64_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<T>(bytes[at + i]) << (8 * i));
  }
  return value;
}
std::string_view text(Bytes bytes, std::uint64_t at, std::uint64_t size) {
  return {reinterpret_cast<const char*>(bytes.data()) + at, size};
}

std::vector<std::uint8_t> packed(Bytes plain) {
  uLongf size = compressBound(plain.size());
  std::vector<std::uint8_t> bytes(size);
  if (compress2(bytes.data(), &size, plain.data(), plain.size(), Z_BEST_SPEED) != Z_OK) {
    throw std::runtime_error("a checkpoint's state cannot be packed");
  }
  bytes.resize(size);
  return bytes;
}

json::object identityOf(const StateFile& file) {
  return {{"version", file.version},
          {"revision", file.revision},
          {"time_ps", file.timePs},
          {"hits", file.hits},
          {"configuration", file.configuration},
          {"inputs", contentsOf(file.inputs)},
          {"input_files", pathsOf(file.inputs)}};
}

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw StateFileError(name + ": " + what);
}

Row rowAt(Bytes bytes, std::size_t index, std::string_view wanted, const std::string& name) {
  const std::uint64_t at = 16 + index * kRow;
  const std::string_view found = text(bytes, at, kName);
  if (found.substr(0, std::min(found.find('\0'), kName)) != wanted) {
    refuse(name, "found no part '" + std::string(wanted) + "', expected a checkpoint's two parts");
  }
  return {wanted, number<std::uint64_t>(bytes, at + kName),
          number<std::uint64_t>(bytes, at + kName + 8),
          std::string(text(bytes, at + kName + 16, kDigest))};
}

/// The two rows of a table that is whole.
std::pair<Row, Row> tableOf(Bytes bytes, const std::string& name) {
  if (bytes.size() < kMagic.size() || text(bytes, 0, kMagic.size()) != kMagic) {
    refuse(name, "found another kind of file, expected a checkpoint of platform --checkpoint");
  }
  if (bytes.size() < kTable) {
    refuse(name, "found " + std::to_string(bytes.size()) + " bytes, expected a table of " +
                     std::to_string(kTable) + " and what it tells of: the file was cut off");
  }
  const auto format = number<std::uint32_t>(bytes, 8);
  if (format != kFormat) {
    refuse(name, "found format " + std::to_string(format) + ", expected format " +
                     std::to_string(kFormat) + ", which this program writes");
  }
  if (text(bytes, kHead, kDigest) != sha256(bytes.first(kHead)) ||
      number<std::uint32_t>(bytes, 12) != 2) {
    refuse(name, "found a table whose SHA-256 is another than it says, expected one as written");
  }
  return {rowAt(bytes, 0, "identity", name), rowAt(bytes, 1, "state", name)};
}

Bytes part(Bytes bytes, std::uint64_t at, const Row& row, const std::string& name) {
  const Bytes found = bytes.subspan(at, row.stored);
  if (sha256(found) != row.digest) {
    refuse(name, "found other bytes than were written in the part '" + std::string(row.name) +
                     "' (its SHA-256 differs), expected the file as it was written");
  }
  return found;
}

void readIdentity(Bytes bytes, StateFile& file, const std::string& name) {
  try {
    const json::object all = json::parse(text(bytes, 0, bytes.size())).as_object();
    file.version = all.at("version").as_string();
    file.revision = all.at("revision").as_string();
    file.timePs = all.at("time_ps").to_number<std::uint64_t>();
    file.hits = all.at("hits").as_bool();
    file.configuration = all.at("configuration").as_object();
    file.inputs = inputsFrom(all.at("inputs").as_array(), all.at("input_files").as_array());
  } catch (const std::exception& e) {
    refuse(name, "found a part 'identity' that does not say whose state it is (" +
                     std::string(e.what()) + "), expected that of this version");
  }
}

std::vector<std::uint8_t> unpacked(Bytes bytes, std::uint64_t plain, const std::string& name) {
  if (plain > bytes.size() * kMostPacked + kMostPacked) {
    refuse(name, "found a part 'state' of " + std::to_string(plain) + " bytes in " +
                     std::to_string(bytes.size()) + ", expected fewer");
  }
  std::vector<std::uint8_t> out(plain);
  uLongf size = plain;
  if (uncompress(out.data(), &size, bytes.data(), bytes.size()) != Z_OK || size != plain) {
    refuse(name, "found a part 'state' that zlib cannot unpack to " + std::to_string(plain) +
                     " bytes, expected one as written");
  }
  return out;
}

std::string shown(const json::value* value) {
  return value == nullptr ? "nothing" : json::serialize(*value);
}

}  // namespace

std::vector<std::uint8_t> encodeStateFile(const StateFile& file) {
  const std::string identity = json::serialize(identityOf(file));
  const std::vector<std::uint8_t> state = packed(file.state);
  std::vector<std::uint8_t> out;
  put(out, kMagic, kMagic.size());
  put(out, kFormat);
  put(out, std::uint32_t{2});
  const auto row = [&](std::string_view name, std::uint64_t stored, std::uint64_t plain,
                       const std::string& digest) {
    put(out, name, kName);
    put(out, stored);
    put(out, plain);
    put(out, digest, kDigest + 8);
  };
  row("identity", identity.size(), identity.size(), sha256(identity));
  row("state", state.size(), file.state.size(), sha256(state));
  put(out, sha256(out), kDigest);
  put(out, identity, identity.size());
  out.insert(out.end(), state.begin(), state.end());
  return out;
}

StateFile decodeStateFile(Bytes bytes, const std::string& name) {
  const auto [identity, state] = tableOf(bytes, name);
  const std::uint64_t rest = bytes.size() - kTable;
  if (identity.stored > std::min(rest, kLargestIdentity) || identity.plain != identity.stored ||
      state.stored != rest - identity.stored) {
    refuse(name, "found " + std::to_string(bytes.size()) + " bytes, expected " +
                     std::to_string(kTable + identity.stored + state.stored) +
                     ": the file was cut off, or something follows it");
  }
  StateFile file;
  readIdentity(part(bytes, kTable, identity, name), file, name);
  file.state = unpacked(part(bytes, kTable + identity.stored, state, name), state.plain, name);
  return file;
}

StateFile readStateFile(const std::filesystem::path& file) {
  std::vector<std::uint8_t> bytes;
  try {
    bytes = common::readBytes(file, kLargestFile);
  } catch (const std::system_error& e) {
    throw StateFileError(std::string(e.what()) + ", expected a checkpoint");
  }
  return decodeStateFile(bytes, file.string());
}

std::string differenceOf(const StateFile& file, const std::string& version,
                         const std::string& revision, const json::object& configuration,
                         std::span<const InputFile> inputs) {
  constexpr const char* kAs = " (as in the checkpoint)";
  if (file.version != version || file.revision != revision) {
    return "the program: found version " + version + ", revision " + revision +
           ", expected version " + file.version + ", revision " + file.revision + kAs;
  }
  for (const std::string& difference : differences(file.inputs, inputs)) return difference + kAs;
  const auto differs = [&](std::string_view key, const json::value* now,
                           const json::value* then) -> std::string {
    if (key == "inputs") return {};
    if (now != nullptr && then != nullptr && *now == *then) return {};
    return std::string(key) + ": found " + shown(now) + ", expected " + shown(then) + kAs;
  };
  for (const auto& [key, value] : file.configuration) {
    std::string text = differs(key, configuration.if_contains(key), &value);
    if (!text.empty()) return text;
  }
  for (const auto& [key, value] : configuration) {
    std::string text = differs(key, &value, file.configuration.if_contains(key));
    if (!text.empty()) return text;
  }
  return {};
}

}  // namespace rtvp::platform
