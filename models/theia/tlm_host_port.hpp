// A HostPort that drives a TheiaUnit through an initiator socket: what frame replay, tests and host
// drivers put between themselves and the bus. Clocks go out as annotated delay; nothing waits.
#pragma once

#include <array>
#include <bit>
#include <span>
#include <systemc>
#include <vector>

#include "models/common/bus_master.hpp"
#include "models/theia/frame.hpp"
#include "models/theia/unit_registers.hpp"

namespace rtvp::theia {

template <typename Socket>
class TlmHostPort : public HostPort {
 public:
  /// `base`: address of the unit on the bus.
  TlmHostPort(Socket& socket, const sc_core::sc_time& period, std::uint64_t base = 0)
      : bus_(common::ClockDomain(period, "theia"), false, common::BusMaster::through(socket)),
        base_(base) {}

  Clock writeInstruction(Clock at, std::uint32_t select, unsigned row, Instruction in) override {
    choose(at, select);
    const std::array words{static_cast<Word>(in.word >> 32), static_cast<Word>(in.word)};
    return write(at, unit::kInstructions + 8ULL * row, words);
  }
  Clock writeRegister(Clock at, std::uint32_t select, unsigned address, const Vec& v) override {
    choose(at, select);
    return write(at, unit::kRegistersWindow + 16ULL * address, std::array{v.x, v.y, v.z});
  }
  Clock beginRendering(Clock at) override {
    command(at, 2);
    return at;
  }
  Clock streamTriangle(Clock at, const Triangle& triangle) override {
    return writeTriangles(at, unit::kStream, {&triangle, 1});
  }
  Clock offer(Clock at) override { return command(at, 4); }
  Clock awaitCommit(Clock at) override { return command(at, 8); }
  [[nodiscard]] bool failed() const override { return failed_; }

  /// Streams and offers a list in one transaction.
  Clock offerAll(Clock at, std::span<const Triangle> triangles) {
    return writeTriangles(at, unit::kTriangles, triangles);
  }
  /// Through debug transport: takes no time.
  void loadTexture(std::span<const Word> words) {
    bytes(words);
    if (!words.empty() && !bus_.deposit(base_ + unit::kTexture, buffer_)) failed_ = true;
  }
  /// Reads `words.size()` words of a core's output memory from word `first`.
  Clock readOutput(Clock at, unsigned core, std::uint32_t first, std::span<Word> words) {
    at = write(at, 4ULL * 11, std::array{Word{core}});
    bytes(words);
    at = transport(false, at, unit::kOutput + 4ULL * first, buffer_);
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = buffer_[4 * i] | static_cast<Word>(buffer_[4 * i + 1]) << 8 |
                 static_cast<Word>(buffer_[4 * i + 2]) << 16 |
                 static_cast<Word>(buffer_[4 * i + 3]) << 24;
    return at;
  }

 private:
  // A triangle in memory is its words in streaming order.
  static_assert(sizeof(Triangle) == unit::kTriangleBytes);
  Clock writeTriangles(Clock at, std::uint64_t address, std::span<const Triangle> triangles) {
    if constexpr (std::endian::native == std::endian::little) {
      // A write does not touch its data; TLM's pointer has no const.
      auto* const data = reinterpret_cast<const unsigned char*>(triangles.data());
      return transport(true, at, address,
                       {const_cast<unsigned char*>(data), triangles.size_bytes()});
    }
    scratch_.clear();
    for (const Triangle& t : triangles) {
      for (const Vec& v : t) scratch_.insert(scratch_.end(), {v.x, v.y, v.z});
    }
    return write(at, address, scratch_);
  }
  /// The host's state machine changes SEL in a clock of its own, just before a group of writes.
  void choose(Clock at, std::uint32_t select) {
    if (select == selected_) return;
    selected_ = select;
    write(at == 0 ? 0 : at - 1, 4ULL * 3, std::array{Word{select}});
  }
  Clock command(Clock at, Word bits) { return write(at, 4ULL, std::array{bits}); }
  void bytes(std::span<const Word> words) {
    buffer_.resize(4 * words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (unsigned b = 0; b < 4; ++b)
        buffer_[4 * i + b] = static_cast<unsigned char>(words[i] >> (8 * b));
    }
  }
  Clock write(Clock at, std::uint64_t address, std::span<const Word> words) {
    bytes(words);
    return transport(true, at, address, buffer_);
  }
  Clock transport(bool isWrite, Clock at, std::uint64_t address, std::span<unsigned char> data) {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    sc_core::sc_time delay = bus_.clock().of(at) - now;
    if (bus_.send(isWrite, base_ + address, data.data(), data.size(), delay) !=
        tlm::TLM_OK_RESPONSE)
      failed_ = true;
    return bus_.clock().at(now + delay);
  }

  common::BusMaster bus_;
  std::uint64_t base_;
  std::vector<unsigned char> buffer_;
  std::vector<Word> scratch_;
  std::uint32_t selected_ = 0;
  bool failed_ = false;
};

}  // namespace rtvp::theia
