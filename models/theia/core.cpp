// The core's state and its plain executor, the oracle of the fast one (core_fast.cpp).
#include "models/theia/core.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace rtvp::theia {
namespace {

constexpr std::size_t kTextureCause = static_cast<std::size_t>(Spent::Texture);

}  // namespace

void Rom::set(unsigned row, Instruction instruction) {
  if (row >= kUserCode) throw std::invalid_argument("a ROM row lies below 8000h");
  if (row >= words.size()) {
    words.resize(row + 1U);
    present.resize(row + 1U);
  }
  words[row] = instruction;
  present[row] = true;
}

std::string Fault::describe() const {
  char head[128];
  std::snprintf(head, sizeof head, "core %u, PC %04Xh (%s row %u), pixel %llu, clock %llu: ", core,
                pc, (pc & kUserCode) != 0 ? "user" : "ROM", pc & 0x7FFFU,
                static_cast<unsigned long long>(pixel), static_cast<unsigned long long>(clock));
  return head + text;
}

Core::Core(const CoreConfig& config, const Rom& rom, unsigned index)
    : config_(config), rom_(&rom), kernels_(&fast::kernels(config.isa)) {
  if (!common::isaUsable(config.isa))
    throw std::invalid_argument("theia: this host has no " +
                                std::string(common::isaName(config.isa)));
  if (config.instructionWords < kEntries || config.instructionWords > 4096)
    throw std::invalid_argument("theia: instruction RAM has 12 to 4096 rows");
  if (config.alu.exactDivideClocks < 4 || config.alu.exactDivideClocks > 70)
    throw std::invalid_argument("theia: the older divider takes 4 to 70 clocks");
  ram_.resize(config.instructionWords);
  ram_loaded_.resize(config.instructionWords);
  output_.resize(config.outputWords);
  fault_.core = index;
}

void Core::hostWriteRegister(unsigned address, const Vec& value) {
  const unsigned row = address & 31U;
  put(row, value);
  put(active_ == 0 ? kSwapOne + row : 32 + row, value);
}

bool Core::hostWriteInstruction(unsigned row, Instruction instruction) {
  if (row >= ram_.size()) return false;
  ram_[row] = instruction;
  ram_loaded_[row] = true;
  makeStale();
  return true;
}

void Core::startEntry(Entry e) {
  const auto slot = static_cast<unsigned>(e);
  if (!ram_loaded_[slot]) {
    startAt(static_cast<std::uint16_t>(kUserCode | slot));
    fail(Fault::Kind::InstructionMemory,
         "entry table slot " + std::string(entry(e).name) + " was never loaded");
    return;
  }
  startAt(static_cast<std::uint16_t>(ram_[slot].word));
}

void Core::setHalts(std::vector<std::uint16_t> addresses) {
  if (addresses == halts_) return;
  halts_ = std::move(addresses);
  makeStale();
}

void Core::keepAccount() {
  accounting_ = true;
  visits_.resize(rom_->size() + 1 + ram_.size() + 1);
}

/// A row that the plain executor has executed. Periods that the table does not have are charged
/// apart.
void Core::countRow(const OpInfo& info, unsigned period) {
  const int slot = slotOf(pc_);
  if (slot >= 0) ++visits_[static_cast<std::size_t>(slot)];
  if (info.op == Op::RETURN || period == info.period) return;
  const bool divides = info.op == Op::DIV;
  charged_[pc_].clocks[static_cast<std::size_t>(divides ? Spent::Divider : Spent::Executing)] +=
      Clock{period} - info.period;  // may be less: unsigned sums come out right
}

CoreAccount Core::account() const {
  CoreAccount all = charged_;
  std::vector<std::uint64_t> visits = visits_;
  addRuns(visits);
  for (std::size_t slot = 0; slot < visits.size(); ++slot) {
    if (visits[slot] == 0) continue;
    const std::uint16_t address = addressOf(slot);
    RowAccount& row = all[address];
    row.executions += visits[slot];
    const OpInfo* const info = instruction(address).info();
    // RETURN ends the routine: its clocks are the control unit's.
    if (info == nullptr || info->op == Op::RETURN) continue;
    const Spent cause = info->op == Op::DIV ? Spent::Divider : Spent::Executing;
    row.clocks[static_cast<std::size_t>(cause)] += visits[slot] * info->period;
  }
  return all;
}

bool Core::halts(std::uint16_t address) const {
  return std::find(halts_.begin(), halts_.end(), address) != halts_.end();
}

bool Core::loaded(std::uint16_t address) const {
  const unsigned row = address & 0x7FFFU;
  if ((address & kUserCode) != 0) return row < ram_.size() && ram_loaded_[row];
  return row < rom_->size() && rom_->present[row];
}

Instruction Core::instruction(std::uint16_t address) const {
  if (!loaded(address)) return {};
  const unsigned row = address & 0x7FFFU;
  return (address & kUserCode) != 0 ? ram_[row] : rom_->words[row];
}

Vec Core::readRegister(unsigned address) const {
  return at(place(address, active_));
}
void Core::writeRegister(unsigned address, const Vec& value) {
  if (bankOf(address) != Bank::Configuration) put(place(address, active_), value);
}
void Core::pokeRegister(unsigned address, const Vec& value) {
  put(place(address, active_), value);
}
Vec Core::shadowRegister(unsigned address) const {
  return at(place(address, active_ ^ 1U));
}

void Core::raise(Fault::Kind kind, std::string text) {
  fail(kind, std::move(text));
}
void Core::clearFault() {
  const unsigned own = fault_.core;
  fault_ = {};
  fault_.core = own;
  previous_destination_ = -1;
}
Stop Core::fail(Fault::Kind kind, std::string text) {
  if (!fault_) {
    fault_.kind = kind;
    fault_.pc = pc_;
    fault_.pixel = pixel_;
    fault_.text = std::move(text);
  }
  return Stop::Faulted;
}

Vec Core::operand(std::uint16_t address) const {
  return address == previous_destination_ ? previous_result_ : readRegister(address);
}

std::uint16_t Core::callTarget(std::uint16_t target) const {
  constexpr auto kSlot = static_cast<unsigned>(Entry::PixelShader);
  if (config_.honourPixelShaderSlot && target == kEntryTable[kSlot].romRow && ram_loaded_[kSlot])
    return static_cast<std::uint16_t>(ram_[kSlot].word);
  return target;
}

Stop Core::step() {
  if (fault_) return Stop::Faulted;
  if (!loaded(pc_)) {
    return fail(Fault::Kind::InstructionMemory,
                "the code pointer left the loaded instruction memory");
  }
  const Instruction in = instruction(pc_);
  const OpInfo* const info = in.info();
  if (info == nullptr || info->hangs(config_.alu.strictIsa)) {
    char text[64];
    std::snprintf(text, sizeof text, "opcode %02Xh %.*s hangs the core", in.opcode(),
                  info == nullptr ? 0 : static_cast<int>(info->mnemonic.size()),
                  info == nullptr ? "" : info->mnemonic.data());
    return fail(Fault::Kind::HangingOpcode, text);
  }
  if (++loop_.executed > config_.instructionLimit) {
    return fail(Fault::Kind::EndlessRoutine,
                "no RETURN within " + std::to_string(config_.instructionLimit) + " instructions");
  }
  return execute(in, *info);
}

Stop Core::execute(Instruction in, const OpInfo& info) {
  ++statistics_.opcodes[info.code()];
  const std::uint16_t d = in.destination();
  const bool type_two = in.typeTwo();
  const Vec a = type_two ? Vec{in.immediate(), 0, 0} : operand(in.source1());
  const bool old_destination =
      type_two || (info.op == Op::MULP && config_.alu.strictIsa);  // 2.8: what the manual says
  const Vec b = operand(old_destination ? d : in.source2());
  if (info.op == Op::RETURN) {
    flag_ = (in.immediate() & 1U) != 0;
    remember(d, a);
    if (accounting_) countRow(info, 0);
    return Stop::Returned;
  }
  const unsigned period = periodOf(info, a, b, config_.alu);
  if (accounting_) countRow(info, period);
  if (info.op == Op::DIV) statistics_.dividerClocks += period;
  const auto next = static_cast<std::uint16_t>(pc_ + 1);
  if (info.op == Op::TMREAD) {
    texture_address_ = a;
    texture_destination_ = d;
    return Stop::TextureRead;
  }
  loop_.clocks += period;
  if (info.op == Op::OMWRITE && writeOutput(a, b) == Stop::Faulted) return Stop::Faulted;
  const bool taken = info.jumps() && jumpTaken(info.op, a, b, config_.alu);
  const Vec result =
      info.op == Op::LEA ? Vec{next, next, next} : compute(info.op, a, b, config_.alu);
  if (info.writes()) writeRegister(d, result);
  remember(d, result);
  if (info.op == Op::CALL) returnTo(next);
  pc_ = taken                ? (info.op == Op::CALL ? callTarget(d) : d)
        : info.op == Op::RET ? return_address_
                             : next;
  return Stop::None;
}

Stop Core::writeOutput(const Vec& address, const Vec& value) {
  const std::size_t size = output_.size();
  if (address.x >= size || address.y >= size || address.z >= size) {
    char text[96];
    std::snprintf(text, sizeof text, "OMWRITE to words %u, %u, %u of %zu", address.x, address.y,
                  address.z, size);
    return fail(Fault::Kind::OutputAddress, text);
  }
  output_[address.x] = value.x;
  output_[address.y] = value.y;
  output_[address.z] = value.z;
  statistics_.outputWrites += 3;
  return Stop::None;
}

void Core::finishTextureRead(const Vec& value, unsigned period) {
  loop_.clocks += period;
  statistics_.textureClocks += period;
  if (accounting_) charged_[pc_].clocks[kTextureCause] += period - kTextureReadPeriod;
  writeRegister(texture_destination_, value);
  remember(texture_destination_, value);
  ++pc_;
}

Stop Core::runPlain() {
  for (;;) {
    if (!fault_ && halts(pc_)) return Stop::Place;
    const Stop stop = step();
    if (stop != Stop::None) return stop;
  }
}

}  // namespace rtvp::theia
