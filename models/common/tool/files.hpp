// Whole files in and out, where "-" is standard input or output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/tool/failure.hpp"

namespace rtvp::tool {

/// No input of a tool is longer; what is (a device without end) is refused and not read on.
inline constexpr std::size_t kMostFileBytes = std::size_t{1} << 30U;

[[nodiscard]] inline bool isStandard(std::string_view path) {
  return path == "-";
}
/// What messages call an input.
[[nodiscard]] inline std::string inputName(const std::string& path) {
  return isStandard(path) ? "<stdin>" : path;
}

/// All bytes of a file, or of standard input for "-". Throws `otherwise` if it cannot be read, and
/// a report at the input's name with the same status if it holds more than `most` bytes.
[[nodiscard]] std::string readInput(const std::string& path, const Failure& otherwise,
                                    std::size_t most = kMostFileBytes);
/// The same with the words of all programs: "FILE: error: found no such file, expected EXPECTED".
[[nodiscard]] std::string readInput(const std::string& path, std::string_view expected, int status);

/// Replaces a file in one step (common::FileReplacement), or writes to standard output for "-".
/// Throws `otherwise`; the old contents then stay.
void writeOutput(const std::string& path, std::string_view bytes, const Failure& otherwise);
/// The same with the words "FILE:1:1: error: found a file that cannot be written, expected a
/// writable one" and the status 1.
void writeOutput(const std::string& path, std::string_view bytes);

/// A file of a tool; an empty path stands for none.
struct Output {
  std::string path;
  std::string_view bytes;
};
/// Files that belong together: all are in place or none is; "-" comes last. Throws a Failure with
/// the status 1 that names the file.
void writeOutputs(std::span<const Output> outputs);

/// Bytes as the functions above take them, and back.
[[nodiscard]] inline std::string_view textOf(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
[[nodiscard]] inline std::span<const std::uint8_t> bytesOf(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Throws a Failure if more than one of these is "-": a stream has one reader or writer.
void requireOneStandard(const std::vector<std::string>& paths, std::string_view stream);

/// Throws a Failure if `output` is one of the files `taken`, through whatever links, or cannot be
/// written. Nothing for "-" and "".
void requireWritable(const std::string& output, const std::vector<std::string>& taken);

/// Text that grows while a machine runs (traces): a file, or a stream of the process for "-". It is
/// diagnostics and stays if the run fails. Nothing at all for an empty path.
class OutputStream {
 public:
  /// Throws Failure "PATH: cannot be written".
  OutputStream(const std::string& path, std::ostream& standard);
  /// Whether there is a path.
  [[nodiscard]] bool wanted() const { return !path_.empty(); }
  [[nodiscard]] std::ostream& stream() { return isStandard(path_) ? standard_ : file_; }
  /// Throws Failure with kInternal if not all of it could be written. tool::run() looks after
  /// standard output.
  void close();

 private:
  std::string path_;
  std::ostream& standard_;
  std::ofstream file_;
};

}  // namespace rtvp::tool
