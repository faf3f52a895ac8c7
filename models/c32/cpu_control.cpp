// Program control (4.4.4), stores, stack, interlocked instructions (9.2) and power control.
#include "models/c32/cpu_compute.hpp"

namespace rtvp::c32 {

using Handler = Execute::Handler;
using Path = Execute::Path;

struct Control {
  /// The instruction takes `cycles` instead of one.
  static void cost(Cpu& cpu, Cycle cycles) {
    cpu.end_ += cycles - 1;
    cpu.extraCycles_ += cycles - 1;
  }

  /// Where a branch goes: a register, PC plus displacement (the +1 or +3 is in it), or an address.
  static std::uint32_t target(const Cpu& cpu, const MicroOp& op) {
    if (op.low.access == Access::Register) return cpu.reg_[op.low.reg] & kAddressMask;
    const std::uint32_t base = op.low.access == Access::Relative ? cpu.pc_ : 0;
    return (base + static_cast<std::uint32_t>(op.low.value)) & kAddressMask;
  }

  static void delay(Cpu& cpu, bool taken, std::uint32_t where) {
    cpu.flow_.delaySlots = 4;  // this instruction counts the first one down
    cpu.delayTaken_ = taken;
    cpu.delayTarget_ = where;
  }

  static bool br(Cpu& cpu, const MicroOp& op) {
    cpu.nextPc_ = target(cpu, op);
    cost(cpu, kBranchCycles);
    return true;
  }
  static bool brd(Cpu& cpu, const MicroOp& op) {
    delay(cpu, true, target(cpu, op));
    return true;
  }
  static void branchIf(Cpu& cpu, const MicroOp& op, bool taken) {
    if (taken) {
      cpu.nextPc_ = target(cpu, op);
      cost(cpu, kBranchCycles);
    } else {
      cost(cpu, std::max(1u, cpu.config_.bcondUntakenCycles));
    }
  }
  static bool bcond(Cpu& cpu, const MicroOp& op) {
    branchIf(cpu, op, conditionHolds(op.cond, cpu.reg_[reg::ST]));
    return true;
  }
  static bool bcondD(Cpu& cpu, const MicroOp& op) {
    delay(cpu, conditionHolds(op.cond, cpu.reg_[reg::ST]), target(cpu, op));
    return true;
  }
  /// ARn - 1, 24 bits; true if the branch is taken: condition holds and the new value is not
  /// negative.
  static bool decrement(Cpu& cpu, const MicroOp& op) {
    const std::uint32_t ar = cpu.reg_[op.reg];
    const std::uint32_t counted = (ar - 1) & kAddressMask;
    cpu.reg_[op.reg] = Execute::keepHigh(ar, counted);
    return conditionHolds(op.cond, cpu.reg_[reg::ST]) && (counted >> 23) == 0;
  }
  static bool dbcond(Cpu& cpu, const MicroOp& op) {
    branchIf(cpu, op, decrement(cpu, op));
    return true;
  }
  static bool dbcondD(Cpu& cpu, const MicroOp& op) {
    const bool taken = decrement(cpu, op);
    delay(cpu, taken, target(cpu, op));
    return true;
  }

  // --- stack ---

  static bool push(Cpu& cpu, const MicroOp& op, std::uint32_t word, bool isFloat = false) {
    const std::uint32_t stack = cpu.reg_[reg::SP] + 1;
    const std::uint32_t address = stack & kAddressMask;
    if (Execute::inRam(cpu, address)) [[likely]] {
      cpu.reg_[reg::SP] = stack;
      Execute::storeRam(cpu, op, address, word);
      return true;
    }
    cpu.depart(op);
    Execute::setEarly(cpu, reg::SP, stack);
    return cpu.slowWrite(address, isFloat, word);
  }
  template <bool Float>
  static bool pop(Cpu& cpu, const MicroOp& op, std::uint32_t& word) {
    const std::uint32_t address = cpu.reg_[reg::SP] & kAddressMask;
    if (Execute::inRam(cpu, address)) [[likely]] {
      word = Execute::loadRam(cpu, address);
    } else {
      cpu.depart(op);
      if (!cpu.readOutside(Float, address, word)) return false;
    }
    --cpu.reg_[reg::SP];
    return true;
  }
  static bool pushRegister(Cpu& cpu, const MicroOp& op) {
    // PUSH SP stores the pointer it has already moved: SP changes in the decode stage.
    return push(cpu, op, op.reg == reg::SP ? cpu.reg_[reg::SP] + 1 : cpu.reg_[op.reg]);
  }
  static bool pushFloat(Cpu& cpu, const MicroOp& op) {
    return push(cpu, op, singleFromExtended(Execute::extended(cpu, op.reg)), true);
  }
  static bool popRegister(Cpu& cpu, const MicroOp& op) {
    std::uint32_t word = 0;
    if (!pop<false>(cpu, op, word)) return false;
    Compute::place<operations::Ldi>(cpu, op.reg, logical(word));
    return true;
  }
  static bool popFloat(Cpu& cpu, const MicroOp& op) {
    std::uint32_t word = 0;
    if (!pop<true>(cpu, op, word)) return false;
    const Float40 value = extendedFromSingle(word);
    Compute::run<operations::Ldf>(cpu, op.reg, value, value);
    return true;
  }

  static bool call(Cpu& cpu, const MicroOp& op) {
    const std::uint32_t where = target(cpu, op);
    if (!push(cpu, op, cpu.nextPc_)) return false;
    cpu.nextPc_ = where;
    cost(cpu, kBranchCycles);
    return true;
  }
  static bool callCond(Cpu& cpu, const MicroOp& op) {
    if (!conditionHolds(op.cond, cpu.reg_[reg::ST])) return true;
    const std::uint32_t where = target(cpu, op);
    if (!push(cpu, op, cpu.nextPc_)) return false;
    cpu.nextPc_ = where;
    cost(cpu, std::max(1u, cpu.config_.callCondCycles));
    return true;
  }
  static bool trapCond(Cpu& cpu, const MicroOp& op) {
    if (!conditionHolds(op.cond, cpu.reg_[reg::ST])) return true;
    const std::uint32_t vectorAddress =
        ((cpu.reg_[reg::IF] >> 16 << 8) + 0x20u + static_cast<std::uint32_t>(op.low.value)) &
        kAddressMask;
    std::uint32_t vector = 0;
    if (!cpu.slowRead(BusOp::VectorFetch, vectorAddress, false, vector)) return false;
    if (!push(cpu, op, cpu.nextPc_)) return false;
    cpu.reg_[reg::ST] &= ~kGIE;
    cpu.updateAttention();
    cpu.nextPc_ = vector & kAddressMask;
    cost(cpu, kTrapCycles);
    return true;
  }
  static bool returnFrom(Cpu& cpu, const MicroOp& op) {
    if (!conditionHolds(op.cond, cpu.reg_[reg::ST])) return true;
    std::uint32_t where = 0;
    if (!pop<false>(cpu, op, where)) return false;
    cpu.nextPc_ = where & kAddressMask;
    cost(cpu, kBranchCycles);
    return true;
  }
  static bool returnFromInterrupt(Cpu& cpu, const MicroOp& op) {
    if (!conditionHolds(op.cond, cpu.reg_[reg::ST])) return true;
    if (!returnFrom(cpu, op)) return false;
    cpu.reg_[reg::ST] |= kGIE;
    cpu.updateAttention();
    return true;
  }
  static bool swi(Cpu& cpu, const MicroOp& /*op*/) {
    return cpu.raise(Fault::Kind::SoftwareInterrupt);
  }

  // --- repeat (4.6) ---

  static bool rptb(Cpu& cpu, const MicroOp& op) {
    cpu.reg_[reg::RS] = cpu.nextPc_;
    cpu.reg_[reg::RE] = static_cast<std::uint32_t>(op.low.value);
    cpu.reg_[reg::ST] |= kRM;
    cpu.updateRepeatEnd();
    cost(cpu, kBranchCycles);
    return true;
  }
  static bool rpts(Cpu& cpu, const MicroOp& op) {
    std::uint32_t count = static_cast<std::uint32_t>(op.low.value);
    if (op.low.access == Access::Register) {
      count = cpu.reg_[op.low.reg];
    } else if (isMemory(op.low.access) &&
               !Execute::load<false>(cpu, Execute::generateAny(cpu, op.low), count)) {
      return false;
    }
    cpu.reg_[reg::RC] = count;
    cpu.reg_[reg::RS] = cpu.reg_[reg::RE] = cpu.nextPc_;
    cpu.reg_[reg::ST] |= kRM;
    cpu.single_ = true;
    cpu.singleOp_ = nullptr;
    cpu.updateRepeatEnd();
    cost(cpu, kBranchCycles);
    return true;
  }

  // --- stores and odd reads ---

  template <bool Float, Access A, Path P = Path::Quick>
  static bool store(Cpu& cpu, const MicroOp& op) {
    const auto word = [&] {
      return Float ? singleFromExtended(Execute::extended(cpu, op.reg)) : cpu.reg_[op.reg];
    };
    const bool done = P == Path::Quick ? Execute::quickWrite<A>(cpu, op.low, word)
                                       : Execute::write<Float, A>(cpu, op, op.low, word);
    if (!done) [[unlikely]]
      return Execute::otherwise<P, store<Float, A, Path::Whole>>(cpu, op);
    return Execute::next<P>(cpu, op);
  }
  template <bool Float>
  static bool storeAny(Cpu& cpu, const MicroOp& op) {
    return op.low.access == Access::Direct ? store<Float, Access::Direct, Path::Whole>(cpu, op)
                                           : store<Float, Access::Indirect, Path::Whole>(cpu, op);
  }
  template <bool Float>
  static Handler storeFor(const Instruction& i) {
    if (i.a.kind == Operand::Kind::Direct) return store<Float, Access::Direct>;
    return Execute::choose<store<Float, Access::Indirect>,
                           store<Float, Access::Indirect, Path::Whole>>(i);
  }
  template <bool Memory>
  static bool nop(Cpu& cpu, const MicroOp& op) {
    std::uint32_t ignored = 0;
    if constexpr (Memory) {
      if (!Execute::quickRead<Access::Indirect>(cpu, op, op.low, ignored)) [[unlikely]]
        return Execute::apart<readAndForget>(cpu, op);
    }
    return Execute::next(cpu, op);
  }
  static bool readAndForget(Cpu& cpu, const MicroOp& op) {
    std::uint32_t ignored = 0;
    return Execute::readAny<false>(cpu, op, ignored);
  }
  static Handler nopFor(const Instruction& i) {
    if (i.a.kind != Operand::Kind::Indirect) return nop<false>;
    return Execute::choose<nop<true>, readAndForget>(i);
  }
  static bool iack(Cpu& cpu, const MicroOp& op) {
    std::uint32_t ignored = 0;
    return cpu.slowRead(BusOp::Iack, Execute::generateAny(cpu, op.low), false, ignored);
  }

  // --- interlocked (9.2) ---

  static void driveRequest(Cpu& cpu, bool high) {
    const std::uint32_t iof = cpu.reg_[reg::IOF];
    if (cpu.config_.requestShowsInOutxf0) {
      cpu.writeIof(high ? iof | 4u : iof & ~4u);
    } else if ((iof & 2u) != 0) {
      cpu.drivePins(high ? Drive::High : Drive::Low, cpu.xf1_);
    }
  }
  /// How an interlocked instruction's wait ended.
  enum class Wait : std::uint8_t { Acknowledged, Stopped, Interrupted };

  /// An interrupt may break a waiting LDFI, LDII or SIGI (9.2).
  static bool interrupted(const Cpu& cpu) {
    return cpu.config_.interlockInterruptible && cpu.interruptible() && cpu.interruptPending() &&
           cpu.flow_.delaySlots == 0 && !cpu.single_;
  }

  /// The clock moves to interlockAt_; what follows is no longer this attempt's.
  static bool leaveWait(Cpu& cpu, StopReason why) {
    const Cycle now = std::max(cpu.interlockAt_, cpu.cycle_);
    cpu.stats_.interlockWait += now - cpu.cycle_;
    cpu.cycle_ = now;
    cpu.stop_ = why;
    return false;
  }

  /// First cycle after `reply` was sampled at which something may have changed.
  static Cycle nextLook(const Cpu& cpu, const PinReply& reply) {
    const Cycle stable = reply.validUntil == kNever ? kNever : reply.validUntil + 1;
    const Cycle next = std::max(cpu.interlockAt_ + 1, stable);
    return cpu.nextEvent_ > cpu.interlockAt_ ? std::min(next, cpu.nextEvent_)
                                             : cpu.interlockAt_ + 1;
  }

  /// XF0 low, then wait for XF1 low. The wait survives the end of a run: the clock moves on with
  /// it. `stall` are the cycles waited in this attempt; the caller counts them when the instruction
  /// completes.
  static Wait acknowledge(Cpu& cpu, Cycle& stall) {
    if (cpu.interlock_ == 0) {
      driveRequest(cpu, false);
      cpu.interlock_ = 1;
      cpu.interlockAt_ = cpu.exec_;
    }
    while (cpu.interlock_ == 1) {
      const PinReply reply = cpu.port_.pinsSampled(cpu.interlockAt_);
      if (!reply.ready) {
        cpu.pending_ = {Pending::Kind::Pins, {}, cpu.interlockAt_};
        cpu.stop_ = StopReason::Blocked;
        return Wait::Stopped;
      }
      if (!reply.xf1) {
        cpu.interlock_ = 2;
        break;
      }
      if (cpu.nextEvent_ <= cpu.interlockAt_ && !cpu.advancePeripherals(cpu.interlockAt_)) {
        return Wait::Stopped;
      }
      if (interrupted(cpu)) {
        stall = std::max(cpu.interlockAt_, cpu.exec_) - cpu.exec_;
        return Wait::Interrupted;
      }
      const Cycle next = nextLook(cpu, reply);
      if (next == kNever && cpu.horizon_ == kNever) {  // nobody will ever answer
        cpu.pending_ = {Pending::Kind::Pins, {}, cpu.interlockAt_};
        cpu.stop_ = StopReason::Blocked;
        return Wait::Stopped;
      }
      cpu.interlockAt_ = std::min(next, std::max(cpu.horizon_, cpu.interlockAt_ + 1));
      if (cpu.interlockAt_ >= cpu.horizon_) {
        leaveWait(cpu, StopReason::Horizon);
        return Wait::Stopped;
      }
    }
    stall = cpu.interlockAt_ > cpu.exec_ ? cpu.interlockAt_ - cpu.exec_ : 0;
    cpu.exec_ += stall;
    cpu.end_ = std::max(cpu.end_, cpu.exec_ + 1);
    return Wait::Acknowledged;
  }
  static void acknowledged(Cpu& cpu, Cycle stall) {
    cpu.stats_.interlockWait += stall;
    cpu.interlock_ = 0;
  }
  /// The instruction is over without its effect; the interrupt is taken before the next one.
  static bool broken(Cpu& cpu, Cycle stall) {
    cpu.exec_ += stall;
    cpu.end_ = std::max(cpu.end_, cpu.exec_ + 1);
    acknowledged(cpu, stall);
    return true;
  }

  template <bool Float>
  static bool loadInterlocked(Cpu& cpu, const MicroOp& op) {
    const std::uint32_t address = Execute::generateAny(cpu, op.low);
    Cycle stall = 0;
    std::uint32_t word = 0;
    const Wait wait = acknowledge(cpu, stall);
    if (wait == Wait::Interrupted) return broken(cpu, stall);
    if (wait == Wait::Stopped || !Execute::load<Float>(cpu, address, word)) return false;
    acknowledged(cpu, stall);
    if constexpr (Float) {
      const Float40 value = extendedFromSingle(word);
      Compute::run<operations::Ldf>(cpu, op.reg, value, value);
    } else {
      Compute::place<operations::Ldi>(cpu, op.reg, logical(word));
    }
    return true;
  }
  static bool storeIntegerInterlocked(Cpu& cpu, const MicroOp& op) {
    if (!storeAny<false>(cpu, op)) return false;
    driveRequest(cpu, true);
    return true;
  }
  static bool storeFloatInterlocked(Cpu& cpu, const MicroOp& op) {
    if (!storeAny<true>(cpu, op)) return false;
    driveRequest(cpu, true);
    return true;
  }
  static bool sigi(Cpu& cpu, const MicroOp& /*op*/) {
    Cycle stall = 0;
    const Wait wait = acknowledge(cpu, stall);
    if (wait == Wait::Interrupted) return broken(cpu, stall);
    if (wait == Wait::Stopped) return false;
    acknowledged(cpu, stall);
    driveRequest(cpu, true);
    return true;
  }

  // --- power ---

  template <bool Deep>
  static bool sleep(Cpu& cpu, const MicroOp& /*op*/) {
    cpu.reg_[reg::ST] |= kGIE;
    cpu.idle_ = Deep ? Cpu::Idle::Idle2 : Cpu::Idle::Idle;
    if (Deep) cpu.peripherals_.freeze(true, cpu.end_);
    cpu.updateAttention();
    return true;
  }
  template <Cycle Divider>
  static bool clock(Cpu& cpu, const MicroOp& /*op*/) {
    cpu.clockDivider_ = Divider;
    cpu.peripherals_.setClockDivider(Divider, cpu.exec_);
    cpu.flow_.slowClock = Divider != 1;
    return true;
  }

  static bool undefined(Cpu& cpu, const MicroOp& /*op*/) {
    return cpu.raise(Fault::Kind::UndefinedOpcode);
  }
};

Handler Execute::control(const Instruction& i) {
  switch (i.op) {
    case Op::BR:
      return Control::br;
    case Op::BRD:
      return Execute::chained<Control::brd>;
    case Op::CALL:
      return Control::call;
    case Op::RPTB:
      return Control::rptb;
    case Op::RPTS:
      return Control::rpts;
    case Op::SWI:
      return Control::swi;
    case Op::Bcond:
      return Control::bcond;
    case Op::BcondD:
      return Execute::chained<Control::bcondD>;
    case Op::DBcond:
      return Control::dbcond;
    case Op::DBcondD:
      return Execute::chained<Control::dbcondD>;
    case Op::CALLcond:
      return Control::callCond;
    case Op::TRAPcond:
      return Control::trapCond;
    case Op::RETIcond:
      return Control::returnFromInterrupt;
    case Op::RETScond:
      return Control::returnFrom;
    case Op::PUSH:
      return Execute::chained<Control::pushRegister>;
    case Op::PUSHF:
      return Execute::chained<Control::pushFloat>;
    case Op::POP:
      return Execute::chained<Control::popRegister>;
    case Op::POPF:
      return Execute::chained<Control::popFloat>;
    case Op::STI:
      return Control::storeFor<false>(i);
    case Op::STF:
      return Control::storeFor<true>(i);
    case Op::STII:
      return Control::storeIntegerInterlocked;
    case Op::STFI:
      return Control::storeFloatInterlocked;
    case Op::LDII:
      return Control::loadInterlocked<false>;
    case Op::LDFI:
      return Control::loadInterlocked<true>;
    case Op::SIGI:
      return Control::sigi;
    case Op::NOP:
      return Control::nopFor(i);
    case Op::IACK:
      return Control::iack;
    case Op::IDLE:
      return Control::sleep<false>;
    case Op::IDLE2:
      return Control::sleep<true>;
    case Op::LOPOWER:
      return Control::clock<kLowPowerDivider>;
    case Op::MAXSPEED:
      return Control::clock<1>;
    default:
      return Control::undefined;
  }
}

}  // namespace rtvp::c32
