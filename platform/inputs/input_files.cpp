// See input_files.hpp.
#include "platform/inputs/input_files.hpp"

// The digest itself, which OpenSSL 3 would rather have asked for by EVP_Digest(): that sets up its
// providers first, at every start of the program, for longer than a scene takes to be hashed.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "models/common/core/file_io.hpp"
#include "models/common/core/text.hpp"

namespace rtvp::platform {

std::string sha256(std::span<const std::uint8_t> bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_CTX context;
  if (SHA256_Init(&context) != 1 || SHA256_Update(&context, bytes.data(), bytes.size()) != 1 ||
      SHA256_Final(digest.data(), &context) != 1) {
    throw std::runtime_error("SHA-256 is not to be had");
  }
  std::string text;
  for (const unsigned char byte : digest) text += common::hexDigits(byte, 2);
  return text;
}

std::string sha256(std::string_view text) {
  return sha256(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

std::vector<std::uint8_t> InputFiles::read(std::string_view role, const std::filesystem::path& file,
                                           std::uint64_t limit) {
  std::vector<std::uint8_t> bytes = common::readBytes(file, limit);
  add({std::string(role), file, sha256(bytes), bytes.size()});
  return bytes;
}

void InputFiles::add(const InputFile& file) {
  const bool known = std::any_of(files_.begin(), files_.end(), [&](const InputFile& f) {
    return f.sameContent(file) && f.path == file.path;
  });
  if (!known) files_.push_back(file);
}

std::vector<std::uint8_t> InputReader::read(const std::filesystem::path& file,
                                            std::uint64_t limit) const {
  return door_ != nullptr ? door_->read(role_, file, limit) : common::readBytes(file, limit);
}

// Files are compared by their place among those of their role: a scene names them in an order.
std::vector<std::string> differences(std::span<const InputFile> before,
                                     std::span<const InputFile> now) {
  const auto places = [](std::span<const InputFile> files) {
    std::map<std::pair<std::string, std::size_t>, const InputFile*> all;
    std::map<std::string, std::size_t> counts;
    for (const InputFile& f : files) all[{f.role, counts[f.role]++}] = &f;
    return all;
  };
  const auto old = places(before);
  const auto fresh = places(now);
  const auto name = [](const InputFile& f) { return f.role + " '" + f.path.string() + "'"; };
  std::vector<std::string> found;
  for (const auto& [place, file] : fresh) {
    const auto was = old.find(place);
    if (was == old.end()) {
      found.push_back(name(*file) + " is new");
    } else if (!was->second->sameContent(*file)) {
      found.push_back(name(*file) + " has changed");
    }
  }
  for (const auto& [place, file] : old) {
    if (!fresh.contains(place)) found.push_back(name(*file) + " is not read any more");
  }
  return found;
}

}  // namespace rtvp::platform
