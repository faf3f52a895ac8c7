// See c_io.hpp.
#include "models/c32/debug/c_io.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>

namespace rtvp::c32 {
namespace {

enum Command : unsigned {
  kOpen = 0xF0,
  kClose = 0xF1,
  kRead = 0xF2,
  kWrite = 0xF3,
  kSeek = 0xF4,
  kUnlink = 0xF5,
  kGetenv = 0xF6,
  kRename = 0xF7,
  kTime = 0xF8,
  kClock = 0xF9,
};

// Flags of the library's open().
constexpr unsigned kWriteOnly = 0x0001, kReadWrite = 0x0002, kAppend = 0x0008, kCreate = 0x0200,
                   kTruncate = 0x0400;

constexpr unsigned kFirstFile = 3;  ///< 0 to 2 are the console
constexpr std::size_t kMostFiles = 64, kMostData = 1u << 16;

unsigned low16(const std::array<std::uint8_t, 8>& p, std::size_t at) {
  return p[at] | static_cast<unsigned>(p[at + 1]) << 8;
}
std::uint32_t low32(const std::array<std::uint8_t, 8>& p, std::size_t at) {
  return low16(p, at) | std::uint32_t{low16(p, at + 2)} << 16;
}

const char* modeOf(unsigned flags) {
  if ((flags & kAppend) != 0) return (flags & kReadWrite) != 0 ? "a+b" : "ab";
  if ((flags & kTruncate) != 0) return (flags & kReadWrite) != 0 ? "w+b" : "wb";
  if ((flags & (kWriteOnly | kReadWrite)) == 0) return "rb";
  return "r+b";
}

}  // namespace

CInputOutput::CInputOutput(Machine& machine, const Image& image, Console console)
    : machine_(machine), console_(std::move(console)), exit_(image.find("C$$EXIT")) {
  const auto buffer = image.find("__CIOBUF_");
  const auto place = image.find("C$$IO$$");
  if (!buffer || !place) return;
  buffer_ = *buffer;
  place_ = *place;
}

CInputOutput::~CInputOutput() {
  for (const auto& [number, file] : files_) std::fclose(file);
}

CInputOutput::Request CInputOutput::take() const {
  Request r;
  const std::uint32_t length = std::min<std::uint32_t>(machine_.peek(buffer_), kMostData);
  r.command = machine_.peek(buffer_ + 1) & 0xFF;
  const auto byte = [&](std::uint32_t n) {
    return static_cast<std::uint8_t>(machine_.peek(buffer_ + 2 + n / 4) >> (8 * (n % 4)));
  };
  for (std::uint32_t i = 0; i < 8; ++i) r.parameters[i] = byte(i);
  for (std::uint32_t i = 0; i < length; ++i) r.data += static_cast<char>(byte(8 + i));
  return r;
}

/// The answer has no command: length, parameters, data.
void CInputOutput::give(const Answer& a) {
  machine_.poke(buffer_, static_cast<std::uint32_t>(a.data.size()));
  std::string bytes(a.parameters.begin(), a.parameters.end());
  bytes += a.data;
  for (std::size_t first = 0; first < bytes.size(); first += 4) {
    std::uint32_t word = 0;
    for (std::size_t i = first; i < std::min(first + 4, bytes.size()); ++i)
      word |= std::uint32_t{static_cast<std::uint8_t>(bytes[i])} << (8 * (i - first));
    machine_.poke(buffer_ + 1 + static_cast<std::uint32_t>(first / 4), word);
  }
}

int CInputOutput::open(const std::string& path, unsigned flags) {
  if (files_.size() >= kMostFiles) return -1;
  const char* mode = modeOf(flags);
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr && (flags & kCreate) != 0 && mode[0] == 'r')
    file = std::fopen(path.c_str(), "w+b");
  if (file == nullptr) return -1;
  unsigned number = kFirstFile;
  while (files_.contains(number)) ++number;
  files_[number] = file;
  return static_cast<int>(number);
}

int CInputOutput::close(unsigned file) {
  if (file < kFirstFile) return 0;
  const auto it = files_.find(file);
  if (it == files_.end()) return -1;
  const int result = std::fclose(it->second);
  files_.erase(it);
  return result == 0 ? 0 : -1;
}

int CInputOutput::read(unsigned file, unsigned count, std::string& data) {
  count = std::min<unsigned>(count, kMostData);
  if (file == 0) {
    while (data.size() < count) {
      const int c = console_.input ? console_.input() : -1;
      if (c < 0) break;
      data += static_cast<char>(c);
      if (c == '\n') break;
    }
    return static_cast<int>(data.size());
  }
  const auto it = files_.find(file);
  if (it == files_.end()) return -1;
  data.resize(count);
  std::fflush(it->second);
  data.resize(std::fread(data.data(), 1, count, it->second));
  return static_cast<int>(data.size());
}

int CInputOutput::write(unsigned file, const std::string& data) {
  if (file == 1 || file == 2) {
    const auto& out = file == 1 ? console_.output : console_.errors;
    for (const char c : data) {
      if (out) out(c);
    }
    return static_cast<int>(data.size());
  }
  const auto it = files_.find(file);
  if (it == files_.end()) return -1;
  std::fseek(it->second, 0, SEEK_CUR);  // between a read and a write
  return static_cast<int>(std::fwrite(data.data(), 1, data.size(), it->second));
}

std::int32_t CInputOutput::seek(unsigned file, std::int32_t offset, unsigned from) {
  const auto it = files_.find(file);
  if (it == files_.end() || from > 2) return -1;
  const int origin = from == 0 ? SEEK_SET : from == 1 ? SEEK_CUR : SEEK_END;
  if (std::fseek(it->second, offset, origin) != 0) return -1;
  return static_cast<std::int32_t>(std::ftell(it->second));
}

void CInputOutput::serve() {
  const Request r = take();
  Answer a;
  const auto answer = [&a](std::int64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
      a.parameters[i] = static_cast<std::uint8_t>(value >> (8 * i) & 0xFF);
  };
  const unsigned file = low16(r.parameters, 0);
  const std::string name = r.data.substr(0, r.data.find('\0'));
  switch (r.command) {
    case kOpen:
      answer(open(name, low16(r.parameters, 2)), 2);
      break;
    case kClose:
      answer(close(file), 2);
      break;
    case kRead:
      answer(read(file, low16(r.parameters, 2), a.data), 2);
      break;
    case kWrite:
      answer(write(file, r.data.substr(0, low16(r.parameters, 2))), 2);
      break;
    case kSeek:
      answer(seek(file, static_cast<std::int32_t>(low32(r.parameters, 2)), r.parameters[6]), 4);
      break;
    case kUnlink:
      answer(std::remove(name.c_str()) == 0 ? 0 : -1, 2);
      break;
    case kGetenv: {
      const char* const value = std::getenv(name.c_str());
      answer(value != nullptr ? 1 : 0, 2);
      if (value != nullptr) a.data = std::string(value) + '\0';
      break;
    }
    case kRename: {
      const std::size_t second = r.data.find('\0');
      const std::string to = second == std::string::npos ? "" : r.data.substr(second + 1);
      const std::string target = to.substr(0, to.find('\0'));
      answer(std::rename(name.c_str(), target.c_str()) == 0 ? 0 : -1, 2);
      break;
    }
    case kTime:
      answer(static_cast<std::int64_t>(std::time(nullptr)), 4);
      break;
    case kClock:
      answer(static_cast<std::int64_t>(machine_.cpu().cycle() & 0xFFFFFFFFu), 4);
      break;
    default:
      answer(-1, 2);
  }
  give(a);
}

bool storeArguments(Machine& machine, const Image& image,
                    const std::vector<std::string>& arguments) {
  std::optional<std::uint32_t> at = image.find("___c_args__");
  if (!at) at = image.find("__c_args__");
  if (!at) return false;
  const auto count = static_cast<std::uint32_t>(arguments.size());
  machine.poke(*at, count);
  std::uint32_t text = *at + count + 2;
  for (std::uint32_t i = 0; i < count; ++i) {
    machine.poke(*at + 1 + i, text);
    for (const char c : arguments[i]) machine.poke(text++, static_cast<unsigned char>(c));
    machine.poke(text++, 0);
  }
  machine.poke(*at + count + 1, 0);
  return true;
}

}  // namespace rtvp::c32
