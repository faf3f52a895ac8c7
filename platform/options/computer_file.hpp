// A computer's description, a JSON file: which machines hang off the interconnect, how many of
// each, their parameters and places, and who traces what. computers/README.md shows the form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/options/json_config.hpp"

namespace rtvp::platform {

/// One entry of "devices": `count` machines of one kind with equal parameters.
struct ComputerDevice {
  std::string machine;  ///< kind, as the file spells it; whether there is one is for others to say
  std::string name;     ///< base name of the instances: a letter, then letters, digits and _
  int count = 1;        ///< 1..64
  /// Of the device's first range, a multiple of 4096 below 2^40; nothing: where there is room.
  std::optional<std::uint64_t> address;
  std::optional<std::size_t> irq;  ///< interrupt line, 0..127; nothing: the next free one
  /// Parameters with their whole keys: "dsps" of a tigershark is stored as "tigershark.dsps".
  std::vector<ConfigEntry> set;
  int line = 0;  ///< where the entry begins, 1-based
};

struct ComputerFile {
  std::vector<ComputerDevice> devices;  ///< 1..64 machines, counts added up
  std::string assign;                   ///< as --assign takes it; empty: the file does not say
  int assignLine = 0;
  std::vector<ConfigEntry> set;  ///< parameters of the whole computer
};

/// Reads the description `text`; `file` is its name in messages. Throws InputError "file:line:
/// found ..., expected ..." for anything else than the schema allows, two instances that would have
/// one name (a device called a with count 2 is a0 and a1), and an address or a line given to
/// several machines at once.
[[nodiscard]] ComputerFile readComputerFile(const std::string& file, const std::string& text);

/// The same from disk or the installed computers, as an input called computer.file. Throws
/// InputError also for a file that cannot be read or is larger than 1 MiB.
[[nodiscard]] ComputerFile loadComputerFile(const std::filesystem::path& name, InputFiles& inputs);

}  // namespace rtvp::platform
