// See machine.hpp.
#include "models/c32/debug/machine.hpp"

#include <algorithm>
#include <cstdio>

#include "models/c32/float40.hpp"
#include "models/c32/memory_map.hpp"

namespace rtvp::c32 {
namespace {

// A host that boots the DSP holds the pins until the loader, some 30 cycles after the reset, has
// seen them.
constexpr Cycle kBootPinsLow = 50, kBootPinsHigh = 500;

}  // namespace

SparseMemory::SparseMemory() {
  constexpr std::size_t kWords = std::size_t{kAddressMask} + 1;
  memory_ = common::ZeroPages(kWords * (sizeof(std::uint32_t) + 1));
}

void SparseMemory::write(std::uint32_t address, std::uint32_t word) {
  words()[address & kAddressMask] = word;
  markKnown(address);
}

void SparseMemory::markKnown(std::uint32_t address) {
  states()[address & kAddressMask] |= translate::PlainMemory::kWritten;
}

Machine::Machine(const CpuConfig& config, const MachineOptions& options)
    : options_(options), pins_(options.dsps), arbiter_(options.dsps), cpu_(config, *this) {
  SharedMemory& shared = *this;
  if (options.dsps > 1) {
    neighbours_ = std::make_unique<Neighbours>(config, options.dsps, shared);
    return;
  }
  // A recorded node's bus and pins speak for themselves.
  if (!options.translate || options.node || !translate::Translator::possible()) return;
  translate::PlainMemory plain;
  // Memory that translated code may use by itself: all there, zeros at first.
  if (options.ram.empty() && options.fill == 0) {
    plain.words = memory_.words();
    plain.holeFirst = device::kFirst;
    plain.holeWords = device::kLast - device::kFirst + 1;
  }
  translator_ = std::make_unique<translate::Translator>(plain);
  cpu_.setAccelerator(translator_.get());
}

/// A word of external memory, by whomever.
void Machine::write(std::uint32_t address, std::uint32_t word) {
  if (memory_.translated(address)) translator_->forget();
  memory_.write(address, word);
}

/// SWW = 01 (internal counter), WTCNT, 32-bit data in 32-bit memory (c32.md 8.4).
void Machine::setBus(Cpu& cpu) const {
  if (!options_.wait || cpu.config().flatMemory) return;
  const std::uint32_t control = 0x000F0008u | (*options_.wait & 7u) << 5;
  for (const std::uint32_t address : {0x808060u, 0x808064u, 0x808068u}) cpu.poke(address, control);
}

void Machine::loadNode() {
  const NodeRecord& record = options_.node->record();
  for (std::size_t i = 0; i < record.memory.size(); ++i)
    memory_.write(static_cast<std::uint32_t>(i), record.memory[i]);
  options_.node->start(cpu_);
}

void Machine::load(const Image& image) {
  if (options_.node) return loadNode();
  setBus(cpu_);
  if (options_.bootPins != 0) {
    cpu_.reset(0);
    for (unsigned n = 0; n < 4; ++n) {
      if ((options_.bootPins >> n & 1u) == 0) continue;
      cpu_.setInterruptLine(n, true, kBootPinsLow);
      cpu_.setInterruptLine(n, false, kBootPinsHigh);
    }
    return;
  }
  for (const Section& s : image.sections) {
    for (std::size_t i = 0; i < s.words.size(); ++i)
      poke(s.loadAddress + static_cast<std::uint32_t>(i), s.words[i]);
  }
  for (const Section& s : image.initialised()) {
    for (std::size_t i = 0; i < s.words.size(); ++i)
      poke(s.loadAddress + static_cast<std::uint32_t>(i), s.words[i]);
  }
  cpu_.setPc(image.entry);
  if (!neighbours_) return;
  for (unsigned n = 1; n < options_.dsps; ++n) {
    Cpu& cpu = neighbours_->cpu(n);
    setBus(cpu);
    for (const Section& s : image.sections) {  // what lies in RAM each has of its own
      for (std::size_t i = 0; i < s.words.size(); ++i)
        cpu.poke(s.loadAddress + static_cast<std::uint32_t>(i), s.words[i]);
    }
  }
  neighbours_->start(image.entry);
}

const std::string& Machine::neighbourFault() const {
  static const std::string kNone;
  return neighbours_ ? neighbours_->fault() : kNone;
}

std::uint32_t Machine::neighbourFaultPc() const {
  return neighbours_ ? neighbours_->faultPc() : 0;
}

std::uint32_t Machine::peek(std::uint32_t address) const {
  address &= kAddressMask;
  if (const auto inside = cpu_.peek(address)) return *inside;
  if (address >= device::kFirst && address <= device::kLast) return 0;
  return memory_.known(address) ? memory_.read(address) : options_.fill;
}

void Machine::poke(std::uint32_t address, std::uint32_t word) {
  address &= kAddressMask;
  if (cpu_.poke(address, word)) {
    memory_.markKnown(address);
  } else {
    write(address, word);
  }
}

bool Machine::isPlainMemory(std::uint32_t address) const {
  if (address >= device::kFirst && address <= device::kLast) return false;
  if (cpu_.config().flatMemory) return true;
  const Region region = cpu_.placeAt(address & kAddressMask).region;
  return region == Region::InternalRam || region == Region::External;
}

void Machine::print(const std::string& text) const {
  if (!output) return;
  for (const char c : text) output(c);
}

/// The first DSP's exit ends the program, and any exit with a status other than 0; the others just
/// stop.
void Machine::exitBy(unsigned dsp, std::uint32_t status) {
  if (dsp != 0) neighbours_->stop(dsp);
  if ((dsp == 0 || status != 0) && !exit_) exit_ = status;
}

BusReply Machine::deviceAccess(unsigned dsp, const BusRequest& request, BusReply reply) {
  if (request.op == BusOp::Write) {
    char text[32];
    const auto word = static_cast<std::int32_t>(request.data);
    switch (request.address) {
      case device::kConsoleOut:
        print(std::string(1, static_cast<char>(request.data & 0xFF)));
        break;
      case device::kExit:
        // The store never completes: the program ends in front of it.
        exitBy(dsp, request.data);
        reply.status = BusReply::Status::Error;
        break;
      case device::kPrintSigned:
        print(std::to_string(word));
        break;
      case device::kPrintHex:
        std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(request.data));
        print(text);
        break;
      case device::kPrintFloat:
        std::snprintf(text, sizeof text, "%.9g", doubleFromSingle(request.data));
        print(text);
        break;
      default:
        reply.status = BusReply::Status::Error;
    }
    return reply;
  }
  if (request.address == device::kConsoleIn) {
    reply.data = static_cast<std::uint32_t>(input ? input() : -1);
  } else if (request.address == device::kCycles) {
    reply.data = static_cast<std::uint32_t>(request.cycle);
  } else if (request.address == device::kDspNumber) {
    reply.data = dsp;
  } else {
    reply.status = BusReply::Status::Error;
  }
  return reply;
}

BusReply Machine::nodeAccess(const BusRequest& request) {
  NodeBoard& node = *options_.node;
  const bool write = request.op == BusOp::Write;
  BusReply reply;
  const auto begin = node.begin(request.cycle);
  if (!begin) {
    reply.status = BusReply::Status::Blocked;
    return reply;
  }
  reply.start = *begin;
  reply.externalWait = node.record().place.waitStates;
  if (request.strobe != Strobe::Strb0 || !node.answers(request.address, write)) {
    reply.status = BusReply::Status::Error;
  } else if (write) {
    memory_.write(request.address, request.data);
  } else {
    reply.data = memory_.read(request.address);
  }
  return reply;
}

BusReply Machine::busAccess(const BusRequest& request) {
  if (options_.node) return nodeAccess(request);
  if (neighbours_) {
    neighbours_->advance(request.cycle);
    if (exit_ || !neighbours_->fault().empty()) {  // the session tells why
      BusReply ended;
      ended.status = BusReply::Status::Error;
      return ended;
    }
  }
  return sharedAccess(0, request, cpu_);
}

/// One access of any DSP, in time order: it waits until the memory is free, and holds it for its
/// own cycles.
BusReply Machine::sharedAccess(unsigned dsp, const BusRequest& request, const Cpu& cpu) {
  BusReply reply;
  reply.start = request.cycle;
  const bool write = request.op == BusOp::Write;
  if (neighbours_ && !cpu.config().flatMemory) {
    reply.start = std::max(request.cycle, busFree_);
    Cycle cycles = write ? cpu.config().externalWriteCycles : 1;
    if (request.strobe == Strobe::IoStrb) cycles = cpu.config().ioStrobeCycles;
    busFree_ = reply.start + cycles + cpu.busControl(request.strobe).waits(0);
  }
  const std::uint32_t address = request.address;
  if (address >= device::kFirst && address <= device::kLast)
    return deviceAccess(dsp, request, reply);
  const bool exists = options_.ram.empty() ||
                      std::any_of(options_.ram.begin(), options_.ram.end(),
                                  [&](const AddressRange& r) { return r.contains(address); });
  if (!exists) {
    reply.status = BusReply::Status::Error;
  } else if (write) {
    this->write(address, request.data);
  } else {
    reply.neverWritten = !memory_.known(address);
    reply.data = reply.neverWritten ? options_.fill : memory_.read(address);
  }
  return reply;
}

void Machine::pinsDriven(Drive xf0, Drive xf1, Cycle cycle) {
  if (options_.node) return options_.node->pinsDriven(xf0, xf1, cycle);
  sharedDrive(0, xf0, xf1, cycle);
}

void Machine::sharedDrive(unsigned dsp, Drive xf0, Drive xf1, Cycle cycle) {
  if ((xf0 == Drive::Low) != (pins_[dsp].xf0 == Drive::Low))
    arbiter_.request(dsp, xf0 == Drive::Low, cycle);
  pins_[dsp] = {xf0, xf1};
}

PinReply Machine::pinsSampled(Cycle cycle) {
  if (options_.node) return options_.node->pinsSampled(cycle);
  if (neighbours_) neighbours_->advance(cycle);
  return sharedPins(0, cycle);
}

PinReply Machine::sharedPins(unsigned dsp, Cycle cycle) {
  const bool granted = arbiter_.granted(dsp, cycle) && options_.xf1Acknowledges;
  const Pins& pins = pins_[dsp];
  const bool xf1 = pins.xf1 == Drive::Released ? !granted : pins.xf1 == Drive::High;
  return {true, pins.xf0 != Drive::Low, xf1};
}

void Machine::serialTransmitted(std::uint32_t /*word*/, int /*bits*/, Cycle /*arrival*/) {}

void Machine::serialFrameSent(const SerialFrame& frame) {
  if (options_.node) options_.node->transmitted(frame.word, frame.arrival);
  if (serialOutput) serialOutput(frame);
  if (options_.serialLoopback) cpu_.deliverSerial(frame);
}

void Machine::serialAcknowledged(Cycle arrival) {
  if (options_.serialLoopback) cpu_.acknowledgeSerial(arrival);
}

/// The device at DR begins when somebody listens.
void Machine::serialReceiverEnabled(bool enabled, Cycle cycle) {
  if (!enabled || serialSent_ == options_.serialWords.size()) return;
  const std::uint64_t hz = cpu_.config().serialBitClockHz;
  if (hz == 0) return;
  const BitClock clock{cpu_.config().h1Hz, hz};
  const std::uint32_t control = cpu_.peek(serial::kGlobal).value_or(0);
  const unsigned bits = 8 * (1 + (control >> 20 & 3u));
  std::uint64_t edge = clock.edgeFrom(cycle + 1) + 1;
  for (const std::uint32_t word : options_.serialWords[serialSent_++]) {
    SerialFrame f;
    f.word = bits == 32 ? word : word & ((1u << bits) - 1u);
    f.bits = static_cast<int>(bits);
    f.arrival = clock.cycleOf(edge + bits + kSerialExtraBits);
    f.bitNumerator = clock.cyclesNumerator;
    f.bitDenominator = clock.cyclesDenominator;
    f.variable = (control & serial::kRVAREN) != 0;
    f.clockLow = (control & serial::kCLKRP) != 0;
    f.dataLow = (control & serial::kDRP) != 0;
    f.syncLow = (control & serial::kFSRP) != 0;
    cpu_.deliverSerial(f);
    edge += bits + 1 + options_.serialGap;
  }
}

}  // namespace rtvp::c32
