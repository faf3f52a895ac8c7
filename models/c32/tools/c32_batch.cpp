// c32-run --batch: one JSON request a line, one answer a line (design of the machine tools). Each
// request has a machine of its own: flat 16M-word RAM, no peripherals, no bus time.
#include "models/c32/tools/c32_batch.hpp"

#include <boost/json.hpp>
#include <charconv>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "models/c32/cpu.hpp"
#include "models/common/core/text.hpp"
#include "models/common/tool/failure.hpp"
#include "models/common/tool/json_lines.hpp"

namespace rtvp::c32 {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kMaxSteps = 100'000'000;
constexpr std::size_t kMaxWritten = 250'000;  ///< keeps a request far below 64 MiB
constexpr std::size_t kMaxLine = std::size_t{16} << 20;

using tool::BadRequest;

std::uint64_t parseHex(std::string_view text, std::size_t maxDigits, std::string_view what) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.empty() || text.size() > maxDigits || error != std::errc{} ||
      end != text.data() + text.size()) {
    throw BadRequest(std::string(what) + ": " + common::quotedAsIs(text) +
                     " is not a hexadecimal number of at most " + std::to_string(maxDigits) +
                     " digits");
  }
  return value;
}

/// 16M words of RAM, sparse. The XF pins show the INXF bits the request gave IOF, or what the
/// processor drives.
class FlatMemory final : public CpuPort {
 public:
  BusReply busAccess(const BusRequest& request) override {
    BusReply reply;
    reply.start = request.cycle;
    if (request.op == BusOp::Write) {
      if (written.size() >= kMaxWritten && !written.contains(request.address)) {
        reply.status = BusReply::Status::Error;
        full = true;
        return reply;
      }
      written[request.address] = request.data;
      return reply;
    }
    if (const auto w = written.find(request.address); w != written.end()) {
      reply.data = w->second;
    } else if (const auto i = initial.find(request.address); i != initial.end()) {
      reply.data = i->second;
    } else {
      reply.data = fill;
    }
    return reply;
  }
  void pinsDriven(Drive a, Drive b, Cycle /*cycle*/) override {
    xf0_ = a;
    xf1_ = b;
  }
  PinReply pinsSampled(Cycle /*cycle*/) override {
    return {true, level(xf0_, (iof & 8u) != 0), level(xf1_, (iof & 0x80u) != 0)};
  }
  void serialTransmitted(std::uint32_t /*word*/, int /*bits*/, Cycle /*arrival*/) override {}

  std::unordered_map<std::uint32_t, std::uint32_t> initial;
  std::map<std::uint32_t, std::uint32_t> written;
  std::uint32_t fill = 0;
  std::uint32_t iof = 0;
  bool full = false;

 private:
  static bool level(Drive drive, bool outside) {
    return drive == Drive::Released ? outside : drive == Drive::High;
  }
  Drive xf0_ = Drive::Released;
  Drive xf1_ = Drive::Released;
};

std::string haltReason(const Cpu& cpu, StopReason why, const FlatMemory& memory) {
  switch (why) {
    case StopReason::Idle:
      return "idle";
    case StopReason::Fault:
      return memory.full ? "more than " + std::to_string(kMaxWritten) + " words written"
                         : cpu.fault().text;
    case StopReason::Horizon:
      return "waits for XF1";
    default:
      return {};
  }
}

std::string_view text(const json::value& v, std::string_view what) {
  if (!v.is_string())
    throw BadRequest(std::string(what) + " must be a string of hexadecimal digits");
  return {v.get_string().data(), v.get_string().size()};
}

const json::object& object(const json::value& v, std::string_view what) {
  if (!v.is_object()) throw BadRequest(std::string(what) + " must be an object");
  return v.get_object();
}

void setRegisters(Cpu& cpu, FlatMemory& memory, const json::object& registers) {
  for (const auto& [key, value] : registers) {
    const std::string name(key);
    const int number = registerNumber(name);
    if (number < 0) throw BadRequest("regs: no register " + common::quotedAsIs(name));
    const auto n = static_cast<unsigned>(number);
    const std::uint64_t bits = parseHex(text(value, name), n < 8 ? 10 : 8, name);
    if (n < 8) {
      cpu.setExtended(n, {static_cast<std::int8_t>(bits >> 32), static_cast<std::uint32_t>(bits)});
    } else {
      cpu.setRegister(n, static_cast<std::uint32_t>(bits));
    }
  }
  memory.iof = cpu.registerValue(reg::IOF);
}

json::object registersOf(const Cpu& cpu) {
  json::object out;
  for (unsigned n = 0; n < reg::kCount; ++n) {
    const std::string_view name = registerName(static_cast<std::uint8_t>(n));
    if (n < 8) {
      const Float40 x = cpu.extended(n);
      out[name] = common::hexDigits(
          static_cast<std::uint64_t>(static_cast<std::uint8_t>(x.exponent)) << 32 | x.mantissa, 10);
    } else {
      out[name] = common::hexDigits(cpu.registerValue(n), 8);
    }
  }
  out["PC"] = common::hexDigits(cpu.pc(), 6);
  return out;
}

json::object memoryOf(const FlatMemory& memory) {
  json::object out;
  for (const auto& [address, word] : memory.written)
    out[common::hexDigits(address, 6)] = common::hexDigits(word, 8);
  return out;
}

std::uint64_t stepsOf(const json::value& v) {
  const std::int64_t steps = v.is_int64() ? v.get_int64() : -1;
  if (steps < 0 || static_cast<std::uint64_t>(steps) > kMaxSteps) {
    throw BadRequest("steps must be a whole number from 0 to " + std::to_string(kMaxSteps));
  }
  return static_cast<std::uint64_t>(steps);
}

json::object answer(const std::string& line, const CpuConfig& config) {
  boost::system::error_code error;
  const json::value request = json::parse(line, error);
  if (error) throw BadRequest("not JSON: " + error.message());
  FlatMemory memory;
  Cpu cpu(config, memory);
  cpu.setPc(0);
  std::uint64_t steps = 1;
  for (const auto& [key, value] : object(request, "the request")) {
    if (key == "pc") {
      cpu.setPc(static_cast<std::uint32_t>(parseHex(text(value, "pc"), 6, "pc")));
    } else if (key == "regs") {
      setRegisters(cpu, memory, object(value, "regs"));
    } else if (key == "mem") {
      for (const auto& [address, word] : object(value, "mem")) {
        memory.initial[static_cast<std::uint32_t>(parseHex(address, 6, "mem"))] =
            static_cast<std::uint32_t>(parseHex(text(word, "mem"), 8, "mem"));
      }
    } else if (key == "fill") {
      memory.fill = static_cast<std::uint32_t>(parseHex(text(value, "fill"), 8, "fill"));
    } else if (key == "steps") {
      steps = stepsOf(value);
    } else {
      throw BadRequest("unknown key " + common::quotedAsIs(key));
    }
  }
  // A waiting LDFI, LDII or SIGI passes time without executing anything: the horizon bounds it.
  const StopReason why = cpu.run(cpu.cycle() + 128 * (steps + 1), steps);
  const std::string halt = haltReason(cpu, why, memory);
  json::object out;
  out["regs"] = registersOf(cpu);
  out["mem"] = memoryOf(memory);
  out["cycles"] = cpu.cycle();
  if (halt.empty()) {
    out["halt"] = nullptr;
  } else {
    out["halt"] = halt;
  }
  return out;
}

}  // namespace

int runBatch(const CpuConfig& config) {
  tool::answerLines(
      std::cin, std::cout, kMaxLine, "line longer than 16 MiB",
      [&config](const std::string& line) { return json::serialize(answer(line, config)); });
  return tool::status::kDone;
}

}  // namespace rtvp::c32
