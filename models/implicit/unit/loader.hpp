// Objects from memory: records, tapes, programs. Everything is read over the port, bounded before
// it is read and checked before it runs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/implicit/registers/program.hpp"
#include "models/implicit/render/vector.hpp"
#include "models/implicit/tape.hpp"
#include "models/implicit/unit/layout.hpp"
#include "models/implicit/unit/memory_map.hpp"
#include "models/implicit/unit/port.hpp"

namespace rtvp::implicit::unit {

/// An object record, checked by itself.
struct ObjectRecord {
  std::uint32_t kind = object::kTape;
  std::uint32_t number = 0;
  std::uint32_t id = 0;
  float lipschitz = 1;  ///< 0: slopes are found
  render::Affine world;
  bool operator==(const ObjectRecord&) const = default;
};

/// Where the tapes of an object are, with what they hold.
struct TapeRegions {
  std::array<Region, kTapeKinds> of;  ///< copies without the dummy elements
  [[nodiscard]] const Region& region(TapeKind kind) const {
    return of[static_cast<std::size_t>(kind)];
  }
};

struct LoadedCode {
  std::optional<Tape> tape;
  std::optional<registers::Program> program;
  Bounds bounds;
  TapeRegions tapes;  ///< of a tape
  Region clauses;     ///< of a program
};

class Loader {
 public:
  /// Transfers begin at `clock`, which moves on.
  Loader(Port& port, const Configuration& configuration, Clock& clock)
      : port_(port), configuration_(configuration), clock_(clock) {}

  /// Throws JobFault, as all of it.
  ObjectRecord record(std::uint32_t number);
  LoadedCode code(std::uint32_t number, const ObjectRecord& record);
  /// Reads in bursts of 64 bytes.
  std::vector<std::uint8_t> bytes(Traffic traffic, std::uint64_t address, std::uint64_t count);

 private:
  LoadedCode tape(std::uint32_t number, std::uint32_t description);
  LoadedCode program(std::uint32_t number, std::uint32_t program);
  Region slice(std::uint32_t number, TapeKind kind, std::uint32_t start, std::uint32_t end);
  std::uint64_t addressOf(const Area& area, std::uint64_t offset, std::uint64_t length,
                          std::uint32_t number) const;

  Port& port_;
  const Configuration& configuration_;
  Clock& clock_;
};

}  // namespace rtvp::implicit::unit
