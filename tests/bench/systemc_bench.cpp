// What SystemC's kernel and a bus transaction cost the host: nanoseconds each, processor time of
// one thread, the best of several rounds.
//
//   bench_systemc                 all cases
//   bench_systemc CASE COUNT      one, so often, once: for callgrind
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "models/common/bus_master.hpp"
#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"

namespace {

using sc_core::sc_time;
namespace common = rtvp::common;

const sc_time kStep(1, sc_core::SC_NS);
constexpr std::uint8_t kBytes = 32;  ///< of a transaction

/// A thing that can be done many times. Made before the simulation begins; only one of them does
/// something at a time.
class Case : public sc_core::sc_module {
 public:
  explicit Case(sc_core::sc_module_name name) : sc_module(name) {}
  virtual void repeat(std::uint64_t count) = 0;

 protected:
  /// Lets the process that `go_` wakes up work until it has done `count`.
  void simulate(std::uint64_t count) {
    left_ = count;
    go_.notify(sc_core::SC_ZERO_TIME);
    while (left_ != 0) sc_core::sc_start(kStep * 1000000.0);
  }
  sc_core::sc_event go_;
  std::uint64_t left_ = 0;
};

/// An event is notified and wakes up a method.
class Method : public Case {
 public:
  Method(sc_core::sc_module_name name, const sc_time& after) : Case(name), after_(after) {
    SC_HAS_PROCESS(Method);
    SC_METHOD(step);
    sensitive << go_;
    dont_initialize();
  }
  void repeat(std::uint64_t count) override { simulate(count); }

 private:
  void step() {
    if (--left_ != 0) go_.notify(after_);
  }
  sc_time after_;
};

/// A thread waits for a time.
class Waiting : public Case {
 public:
  explicit Waiting(sc_core::sc_module_name name) : Case(name) {
    SC_HAS_PROCESS(Waiting);
    SC_THREAD(work);
  }
  void repeat(std::uint64_t count) override { simulate(count); }

 private:
  void work() {
    for (;;) {
      wait(go_);
      for (; left_ != 0; --left_) wait(kStep);
    }
  }
};

/// Two threads take turns: an event is notified, and the other thread wakes up.
class Turns : public Case {
 public:
  explicit Turns(sc_core::sc_module_name name) : Case(name) {
    SC_HAS_PROCESS(Turns);
    SC_THREAD(first);
    SC_THREAD(second);
  }
  void repeat(std::uint64_t count) override { simulate(count); }

 private:
  void first() {
    for (;;) {
      wait(go_);
      while (left_ != 0) {
        --left_;
        there_.notify(sc_core::SC_ZERO_TIME);
        wait(back_);
      }
    }
  }
  void second() {
    for (;;) {
      wait(there_);
      if (left_ != 0) --left_;
      back_.notify(sc_core::SC_ZERO_TIME);
    }
  }
  sc_core::sc_event there_, back_;
};

/// A signal is written and wakes up a method, which writes it.
class Signal : public Case {
 public:
  explicit Signal(sc_core::sc_module_name name) : Case(name) {
    SC_HAS_PROCESS(Signal);
    SC_METHOD(step);
    sensitive << go_ << line_;
    dont_initialize();
  }
  void repeat(std::uint64_t count) override { simulate(count); }

 private:
  void step() {
    if (left_ != 0 && --left_ != 0) line_.write(!line_.read());
  }
  sc_core::sc_signal<bool> line_{"line"};
};

/// A b_transport straight into a target that does nothing.
class Transport : public Case {
 public:
  explicit Transport(sc_core::sc_module_name name) : Case(name) {
    isock_.bind(tsock_);
    tsock_.register_b_transport(this, &Transport::answer);
    common::prepare(payload_, tlm::TLM_READ_COMMAND, 0, bytes_.data(), unsigned{kBytes});
  }
  void repeat(std::uint64_t count) override {
    sc_time delay;
    for (; count != 0; --count) isock_->b_transport(payload_, delay);
  }

 private:
  void answer(tlm::tlm_generic_payload& payload, sc_time& delay) {
    delay += kStep;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  tlm_utils::simple_initiator_socket<Transport, 32> isock_{"isock"};
  tlm_utils::simple_target_socket<Transport, 32> tsock_{"tsock"};
  std::array<std::uint8_t, kBytes> bytes_{};
  tlm::tlm_generic_payload payload_;
};

/// A read of 32 bytes by a bus master: interconnect and memory, with all their counters.
class Access : public Case {
 public:
  Access(sc_core::sc_module_name name, bool dmi)
      : Case(name),
        bus_(common::ClockDomain(kStep * 10.0), dmi, common::BusMaster::through(isock_)) {
    isock_.bind(interconnect_.bus_tsock);
    interconnect_.attach(memory_.bus_tsock, "memory", 0x1000, 4096);
    bus_.countDirect();
  }
  void repeat(std::uint64_t count) override {
    common::Cycle at = 0, latency = 0;
    for (; count != 0; --count) {
      if (!bus_.read(0x1000 + count % 128 * kBytes, bytes_, at, latency))
        throw std::runtime_error("the memory refused a read");
      at += latency;
    }
  }

 private:
  tlm_utils::simple_initiator_socket<Access, 32> isock_{"isock"};
  common::Interconnect interconnect_{"interconnect"};
  common::Memory memory_{"memory", {4096, kStep * 60.0, kStep * 60.0}};
  common::BusMaster bus_;
  std::array<std::uint8_t, kBytes> bytes_{};
};

std::vector<std::unique_ptr<Case>> cases() {
  std::vector<std::unique_ptr<Case>> all;
  all.push_back(std::make_unique<Method>("method", kStep));
  all.push_back(std::make_unique<Method>("method_delta", sc_core::SC_ZERO_TIME));
  all.push_back(std::make_unique<Signal>("signal"));
  all.push_back(std::make_unique<Waiting>("thread"));
  all.push_back(std::make_unique<Turns>("thread_delta"));
  all.push_back(std::make_unique<Transport>("b_transport"));
  all.push_back(std::make_unique<Access>("access", false));
  all.push_back(std::make_unique<Access>("access_direct", true));
  return all;
}

double nanoseconds(Case& one) {
  constexpr std::uint64_t kCount = 300000;
  constexpr int kRounds = 9;
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const std::clock_t start = std::clock();
    one.repeat(kCount);
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC * 1e9 /
                              static_cast<double>(kCount));
  }
  return best;
}

int measure(const std::vector<std::unique_ptr<Case>>& all, int argc, char** argv) {
  if (argc == 1) {
    for (const auto& one : all) std::printf("%s %.1f\n", one->name(), nanoseconds(*one));
    return 0;
  }
  std::uint64_t count = 0;
  const std::string_view text = argc == 3 ? argv[2] : "";
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) {
    return argc == 3 && one->name() == std::string_view(argv[1]);
  });
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (found == all.end() || error != std::errc{} || end != text.data() + text.size() ||
      count == 0) {
    std::cerr << "usage: bench_systemc [CASE COUNT]; a case is one of";
    for (const auto& one : all) std::cerr << ' ' << one->name();
    std::cerr << '\n';
    return 64;
  }
  (*found)->repeat(count);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::unique_ptr<Case>> all = cases();
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    return measure(all, argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "bench_systemc: " << e.what() << '\n';
    return 1;
  }
}
