// A checkpoint as a file: which run it is of, and the state of its machines (docs/checkpoints.md).
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/inputs/input_files.hpp"

namespace rtvp::platform {

/// No checkpoint, or a damaged one; what() is `FILE: what was found, what was expected`.
class StateFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct StateFile {
  std::string version;   ///< of the program that wrote it
  std::string revision;  ///< of its sources
  std::uint64_t timePs = 0;
  bool hits = false;                  ///< primary hits are part of the state
  boost::json::object configuration;  ///< parameters that may change a byte of the results
  std::vector<InputFile> inputs;
  std::vector<std::uint8_t> state;
};

/// The bytes of a file.
[[nodiscard]] std::vector<std::uint8_t> encodeStateFile(const StateFile& file);
/// Back from all bytes of a file; `name` begins messages. Throws StateFileError for anything that
/// encodeStateFile() does not write.
[[nodiscard]] StateFile decodeStateFile(std::span<const std::uint8_t> bytes,
                                        const std::string& name);
/// Throws StateFileError, also if the file cannot be read.
[[nodiscard]] StateFile readStateFile(const std::filesystem::path& file);

/// The first item in which another run differs from the file's, as "KEY: found A, expected B (as
/// in the checkpoint)"; empty if it is the same run of the same program. `configuration`, `inputs`:
/// the other run's.
[[nodiscard]] std::string differenceOf(const StateFile& file, const std::string& version,
                                       const std::string& revision,
                                       const boost::json::object& configuration,
                                       std::span<const InputFile> inputs);

}  // namespace rtvp::platform
