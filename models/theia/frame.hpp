// A whole frame as the host of the original bench drives it: the four input files as data, and the
// order of host operations (theia.md 3.3, 7) against any port, so that the plain model and the
// SystemC shell replay the same thing.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/theia/gpu.hpp"

namespace rtvp::theia {

struct RegisterWrite {
  int core = -1;  ///< -1: all
  std::uint16_t address = 0;
  Vec value;
};

struct Frame {
  std::vector<RegisterWrite> registers;   ///< in order
  std::vector<Triangle> triangles;        ///< in streaming order
  std::vector<Word> texture;              ///< from word 0
  std::vector<Instruction> instructions;  ///< instruction RAM from row 0
  unsigned cores = 1;
  unsigned width = 0, height = 0;  ///< pixels
  /// Pixels of one core.
  [[nodiscard]] std::uint64_t pixelsPerCore() const {
    return static_cast<std::uint64_t>(width) * height / cores;
  }
};

/// A malformed frame file; what() is `file:line: what was found, what was expected`.
class FrameError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads the texts of config.tsv, triangles.tsv, texture.tsv and instructions.tsv; throws
/// FrameError.
Frame parseFrame(std::string_view config, std::string_view triangles, std::string_view texture,
                 std::string_view instructions);

/// The four files of such a frame, and what parseFrame() makes of them is the frame again: its
/// texture is cut behind the last word that is not 0.
struct FrameTexts {
  std::string config, triangles, texture, instructions;
};
FrameTexts formatFrame(const Frame& frame);

/// The words of all output memories as text, those of the picture at least; further planes up to
/// the last word that is not 0.
std::string outputText(const Gpu& gpu, const Frame& frame);

/// The host's side of the GPU. Each call takes and returns clocks as Gpu does.
class HostPort {
 public:
  virtual ~HostPort() = default;
  virtual Clock writeInstruction(Clock at, std::uint32_t select, unsigned row, Instruction in) = 0;
  virtual Clock writeRegister(Clock at, std::uint32_t select, unsigned address, const Vec& v) = 0;
  virtual Clock beginRendering(Clock at) = 0;
  virtual Clock streamTriangle(Clock at, const Triangle& triangle) = 0;
  virtual Clock offer(Clock at) = 0;
  virtual Clock awaitCommit(Clock at) = 0;
  [[nodiscard]] virtual bool failed() const = 0;
};

/// The plain model's port.
class GpuPort : public HostPort {
 public:
  explicit GpuPort(Gpu& gpu) : gpu_(&gpu) {}
  Clock writeInstruction(Clock at, std::uint32_t s, unsigned row, Instruction in) override {
    return gpu_->writeInstruction(at, s, row, in);
  }
  Clock writeRegister(Clock at, std::uint32_t s, unsigned address, const Vec& v) override {
    return gpu_->writeRegister(at, s, address, v);
  }
  Clock beginRendering(Clock at) override { return gpu_->beginRendering(at); }
  Clock streamTriangle(Clock at, const Triangle& t) override { return gpu_->streamTriangle(at, t); }
  Clock offer(Clock at) override { return gpu_->offer(at); }
  Clock awaitCommit(Clock at) override { return gpu_->awaitCommit(at); }
  [[nodiscard]] bool failed() const override { return static_cast<bool>(gpu_->fault()); }

 private:
  Gpu* gpu_;
};

/// Configures and renders; returns the clock of "done" when the host was enabled at `at`. Stops
/// early when the port has failed. The texture must be in place.
Clock playFrame(HostPort& port, const Frame& frame, Clock at);
/// The two halves of playFrame: everything before the first offer, and one pixel of every core.
Clock configureFrame(HostPort& port, const Frame& frame, Clock at);
Clock renderPixel(HostPort& port, const Frame& frame, Clock at, bool firstStreamed);

}  // namespace rtvp::theia
