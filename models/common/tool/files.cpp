// See files.hpp.
#include "models/common/tool/files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iostream>
#include <system_error>

#include "models/common/core/file_io.hpp"
#include "models/common/core/output_set.hpp"
#include "models/common/core/unreadable.hpp"

namespace rtvp::tool {
namespace {

[[noreturn]] void refuseLong(const std::string& path, std::size_t most, int status) {
  throw Failure::at(inputName(path),
                    "found more than " + std::to_string(most) + " bytes, expected fewer", status);
}

Failure unwritable(const std::string& path, int status) {
  return Failure::at(path + ":1:1", "found a file that cannot be written, expected a writable one",
                     status);
}

std::string readStandard(const Failure& otherwise, std::size_t most) {
  std::string text;
  std::array<char, 65536> block{};
  while (std::cin.read(block.data(), block.size()) || std::cin.gcount() > 0) {
    const auto count = static_cast<std::size_t>(std::cin.gcount());
    if (count > most - text.size()) refuseLong("-", most, otherwise.status());
    text.append(block.data(), count);
  }
  if (std::cin.bad()) throw Failure(otherwise);
  return text;
}

}  // namespace

std::string readInput(const std::string& path, const Failure& otherwise, std::size_t most) {
  if (isStandard(path)) return readStandard(otherwise, most);
  try {
    return std::string(textOf(common::readBytes(path, most)));
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::file_too_large) refuseLong(path, most, otherwise.status());
    throw Failure(otherwise);
  }
}

std::string readInput(const std::string& path, std::string_view expected, int status) {
  return readInput(path, Failure::at(inputName(path), common::unreadable(path, expected), status));
}

void writeOutput(const std::string& path, std::string_view bytes, const Failure& otherwise) {
  if (isStandard(path)) {
    std::cout.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return;
  }
  try {
    common::replaceFile(path, bytes);
  } catch (const std::system_error&) {
    throw Failure(otherwise);
  }
}

void writeOutput(const std::string& path, std::string_view bytes) {
  writeOutput(path, bytes, unwritable(path, status::kFailed));
}

void writeOutputs(std::span<const Output> outputs) {
  common::OutputSet set;
  for (const Output& output : outputs) {
    if (output.path.empty() || isStandard(output.path)) continue;
    try {
      set.open(output.path).write(output.bytes);
    } catch (const std::system_error&) {
      throw unwritable(output.path, status::kFailed);
    }
  }
  try {
    set.commit();
  } catch (const std::system_error& error) {
    throw Failure(error.what(), status::kFailed);
  }
  for (const Output& output : outputs) {
    if (isStandard(output.path)) writeOutput(output.path, output.bytes);
  }
}

void requireOneStandard(const std::vector<std::string>& paths, std::string_view stream) {
  if (std::ranges::count_if(paths, isStandard) > 1)
    throw Failure("found - more than once, expected one file only on standard " +
                  std::string(stream));
}

void requireWritable(const std::string& output, const std::vector<std::string>& taken) {
  if (output.empty() || isStandard(output)) return;
  for (const std::string& other : taken) {
    if (other.empty() || isStandard(other) || !common::sameFile(output, other)) continue;
    throw Failure("found " + output + " to be written, which is the file " + other +
                  ", expected a file of its own");
  }
  try {
    const common::FileReplacement trial(output);
  } catch (const std::system_error&) {
    throw unwritable(output, status::kUsage);
  }
}

OutputStream::OutputStream(const std::string& path, std::ostream& standard)
    : path_(path), standard_(standard) {
  if (!wanted() || isStandard(path)) return;
  file_.open(path, std::ios::binary);
  if (!file_) throw Failure(path + ": cannot be written");
}

void OutputStream::close() {
  if (!file_.is_open()) return;
  file_.close();
  if (!file_) throw Failure(path_ + ": cannot be written", status::kInternal);
}

}  // namespace rtvp::tool
