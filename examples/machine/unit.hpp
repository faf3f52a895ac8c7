// The device: tests every ray against every triangle. It fetches both from main memory as bus
// master, writes hits back and raises its interrupt line.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <systemc>
#include <vector>

#include "models/common/statistics.hpp"
#include "models/common/trace.hpp"

namespace brute {
namespace common = rtvp::common;
using sc_core::SC_ZERO_TIME, sc_core::sc_time, sc_core::sc_time_stamp;

/// Registers, 32 bits each, at byte offset 4 * number. Writing CONTROL starts a batch; its end
/// raises the interrupt line; writing STATUS lowers it and must come before the next start.
enum Register : std::uint8_t { Id, Control, Status, Rays, RayCount, Triangles, Count, Hits };
inline constexpr std::uint32_t kId = 0x42525431;  // "BRT1"

/// Records in main memory: 32-bit words, binary32.
struct Ray {
  float origin[3], direction[3], tmax;
};
struct Triangle {
  float a[3], b[3], c[3];
};
struct Hit {
  std::uint32_t triangle;  ///< its number, or kNone
  float t, u, v;           ///< distance; weights of b and c
};
inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

/// Moeller and Trumbore's test; both sides, edges included; of equal distances the first counts.
inline void test(const Ray& ray, const Triangle& triangle, std::uint32_t number, Hit& hit) {
  const auto& [o, d, tmax] = ray;
  const auto& [a, b, c] = triangle;
  const float p[] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const float q[] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  const float s[] = {o[0] - a[0], o[1] - a[1], o[2] - a[2]};
  const auto triple = [](const float* x, const float* y, const float* z) {  // x . (y x z)
    return x[0] * (y[1] * z[2] - y[2] * z[1]) + x[1] * (y[2] * z[0] - y[0] * z[2]) +
           x[2] * (y[0] * z[1] - y[1] * z[0]);
  };
  const float determinant = triple(p, d, q);  // 0: no comparison below holds
  const float u = triple(s, d, q) / determinant;
  const float v = triple(d, s, p) / determinant;
  const float t = triple(q, s, p) / determinant;
  const float limit = hit.triangle == kNone ? tmax : hit.t;
  if (u >= 0 && v >= 0 && u + v <= 1 && t > 0 && t < limit) hit = {number, t, u, v};
}

inline constexpr const char* kBusFault = "/brute/bus";  ///< a transfer was refused: status 3

/// A batch: triangles and rays into memory on the chip, one clock a ray and triangle, then the
/// hits. A transfer takes a clock a word beside what the bus takes.
class Unit : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Unit, 32> host_tsock;
  tlm_utils::simple_initiator_socket<Unit, 32> bus_isock;
  sc_core::sc_out<bool> irq_o;

  /// `breakAt`: this transfer goes to address 0; 0: none.
  Unit(const sc_core::sc_module_name& name, const sc_time& period, std::int64_t breakAt)
      : sc_module(name), period_(period), breakAt_(breakAt) {
    host_tsock.register_b_transport(this, &Unit::transport);
    SC_HAS_PROCESS(Unit);
    SC_THREAD(work);
  }

  void report(common::StatGroup& stats) const {
    const std::uint64_t total = sc_time_stamp().value() / period_.value();
    stats.count("cycles", "cycles", "clocks of the unit", total);
    stats.count("cycles_test", "cycles", "testing a ray against a triangle", testing_);
    stats.count("cycles_memory", "cycles", "moving rays, triangles and hits", moving_);
    stats.count("cycles_idle", "cycles", "no batch", total - testing_ - moving_);
  }
  void declare(const common::TraceScope& scope) {
    busy_ = scope.wire("busy", "a batch is under way");
  }

 private:
  /// Whole registers only. A target never waits: it adds to the delay and sets the status.
  void transport(tlm::tlm_generic_payload& payload, sc_time& delay) {
    const std::uint64_t at = payload.get_address();
    const bool good = at % 4 == 0 && payload.get_data_length() == 4 && at < sizeof registers_;
    payload.set_response_status(good ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (!good) return;
    delay += period_;
    std::uint32_t& word = registers_[at / 4];
    if (payload.is_read()) return void(std::memcpy(payload.get_data_ptr(), &word, 4));
    if (at != 4 * Id) std::memcpy(&word, payload.get_data_ptr(), 4);
    if (at == 4 * Control) start_.notify(SC_ZERO_TIME);
    if (at == 4 * Status) acknowledge_.notify(SC_ZERO_TIME);
  }

  void work() {
    while (true) {
      wait(start_);
      busy_.set(sc_time_stamp().value(), 1);
      std::vector<Triangle> triangles(registers_[Count]);
      std::vector<Ray> rays(registers_[RayCount]);
      std::vector<Hit> hits(rays.size(), Hit{kNone, 0, 0, 0});
      move(tlm::TLM_READ_COMMAND, registers_[Triangles], triangles);
      move(tlm::TLM_READ_COMMAND, registers_[Rays], rays);
      for (std::size_t r = 0; r < rays.size(); ++r)
        for (std::uint32_t i = 0; i < triangles.size(); ++i)
          test(rays[r], triangles[i], i, hits[r]);
      spend(rays.size() * triangles.size(), testing_);
      move(tlm::TLM_WRITE_COMMAND, registers_[Hits], hits);
      busy_.set(sc_time_stamp().value(), 0);
      irq_o.write(true);
      wait(acknowledge_);
      irq_o.write(false);
    }
  }

  template <typename Record>
  void move(tlm::tlm_command command, std::uint64_t address, std::vector<Record>& records) {
    const auto bytes = static_cast<unsigned>(records.size() * sizeof(Record));
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(++transfers_ == breakAt_ ? 0 : address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(records.data()));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    sc_time delay;
    bus_isock->b_transport(payload, delay);
    if (!payload.is_response_ok())
      SC_REPORT_ERROR(kBusFault, payload.get_response_string().c_str());
    spend((delay.value() + period_.value() - 1) / period_.value() + bytes / 4, moving_);
  }

  void spend(std::uint64_t cycles, std::uint64_t& sum) {
    sum += cycles;
    wait(sc_time::from_value(cycles * period_.value()));
  }
  sc_time period_;
  std::int64_t breakAt_, transfers_ = 0;
  std::uint32_t registers_[8] = {kId};
  sc_core::sc_event start_, acknowledge_;
  std::uint64_t testing_ = 0, moving_ = 0;  // cycles
  common::TraceSignal busy_;
};

}  // namespace brute
