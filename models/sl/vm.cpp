// See vm.hpp.
#include "models/sl/vm.hpp"

#include <bit>
#include <cmath>

#include "models/sl/math.hpp"

namespace rtvp::sl {

Counters& Counters::operator+=(const Counters& o) {
  runs += o.runs;
  instructions += o.instructions;
  over_budget += o.over_budget;
  non_finite_lanes += o.non_finite_lanes;
  traces += o.traces;
  lookups += o.lookups;
  return *this;
}

Vec3 finiteColour(const Vec3& v0, Counters& counters) {
  Vec3 out = v0;
  for (unsigned lane = 0; lane < 3; ++lane) {
    if (std::isfinite(out[lane])) continue;
    out[lane] = 0;
    ++counters.non_finite_lanes;
  }
  return out;
}

bool traceLeaves(const Vec3& origin, const Vec3& direction) {
  const Vec3 unit = norm(direction);
  return isFinite(origin) && isFinite(unit) && !(unit == Vec3{});
}

void Vm::start(const Registers& registers, std::uint32_t seed) {
  registers_ = registers;
  registers_.vector(reg::v0) = {};
  registers_.scalar(reg::v1) = 0;
  pc_ = 0;
  instructions_ = 0;
  random_ = seed == 0 ? 1 : seed;
  state_ = Stop::None;
}

bool Vm::resume(const Registers& registers, std::uint32_t pc, std::uint32_t instructions,
                std::uint32_t random) {
  state_ = Stop::Done;
  if (pc >= program_->size() || (*program_)[pc].form != Form::Trace || instructions >= kBudget) {
    return false;
  }
  registers_ = registers;
  pc_ = pc;
  instructions_ = instructions;
  random_ = random == 0 ? 1 : random;
  state_ = Stop::Trace;
  return true;
}

void Vm::carry(const Registers& registers, std::uint64_t which, std::uint32_t pc,
               std::uint32_t instructions, std::uint32_t random, Stop state) {
  for (; which != 0; which &= which - 1) {
    const auto id = static_cast<unsigned>(std::countr_zero(which));
    if (isVector(id)) {
      registers_.vector(id) = registers.vector(id);
    } else {
      registers_.scalar(id) = registers.scalar(id);
    }
  }
  pc_ = pc;
  instructions_ = instructions;
  random_ = random;
  state_ = state;
}

Stop Vm::run() {
  while (state_ == Stop::None) step();
  return state_;
}

Stop Vm::run(Environment& world, std::size_t point) {
  while (true) {
    switch (run()) {
      case Stop::Trace:
        finishTrace(world.trace(point, traceOrigin(), traceDirection()));
        break;
      case Stop::Lookup:
        finishLookup(world.lookup(point, lookupSlot(), lookupS(), lookupT()));
        break;
      default:
        return state_;
    }
  }
}

Stop Vm::step() {
  if (state_ != Stop::None) return state_;
  execute((*program_)[pc_]);
  return state_;
}

/// After a complete instruction: the end, the budget, or more.
Stop Vm::boundary() {
  if (state_ == Stop::Done) return state_;
  if (pc_ == program_->size()) {
    state_ = Stop::Done;
  } else if (instructions_ == kBudget) {
    registers_.vector(reg::v0) = {};
    state_ = Stop::Budget;
  } else {
    state_ = Stop::None;
  }
  return state_;
}

void Vm::finish(const Vec3& value) {
  registers_.vector((*program_)[pc_].destination) = value;
  ++pc_;
  ++instructions_;
  boundary();
}

const Vec3& Vm::traceOrigin() const {
  return registers_.vector((*program_)[pc_].a);
}
const Vec3& Vm::traceDirection() const {
  return registers_.vector((*program_)[pc_].b);
}
unsigned Vm::lookupSlot() const {
  return (*program_)[pc_].a - static_cast<unsigned>(reg::t0);
}
float Vm::lookupS() const {
  return registers_.vector((*program_)[pc_].b).x;
}
float Vm::lookupT() const {
  return registers_.vector((*program_)[pc_].b).y;
}

namespace {

/// Instructions with a vector result from vectors.
Vec3 vectorResult(const Instruction& in, const Registers& r) {
  const Vec3& a = r.vector(in.a);
  const auto b = [&]() -> const Vec3& { return r.vector(in.b); };
  const auto k = [&] { return r.scalar(in.b); };
  switch (in.form) {
    case Form::AddV:
      return {a.x + b().x, a.y + b().y, a.z + b().z};
    case Form::SubV:
      return {a.x - b().x, a.y - b().y, a.z - b().z};
    case Form::Cross:
      return cross(a, b());
    case Form::Scale:
      return {a.x * k(), a.y * k(), a.z * k()};
    case Form::DivV:
      return {a.x / k(), a.y / k(), a.z / k()};
    case Form::Norm:
      return norm(a);
    default:
      return a;  // mov
  }
}

/// Instructions with a scalar result from scalars.
float scalarResult(const Instruction& in, const Registers& r) {
  const float a = r.scalar(in.a);
  const auto b = [&] { return r.scalar(in.b); };
  switch (in.form) {
    case Form::AddS:
      return a + b();
    case Form::SubS:
      return a - b();
    case Form::MulS:
      return a * b();
    case Form::DivS:
      return a / b();
    case Form::Clamp: {
      const float d = r.scalar(in.destination);
      return d < a ? a : d > b() ? b() : d;
    }
    case Form::Floor:
      return std::floor(a);
    case Form::Ceil:
      return std::ceil(a);
    case Form::Pow:
      return power(a, b());
    case Form::Exp:
      return exponential(a);
    case Form::Turb1:
      return turb(a);
    default:
      return a;  // mov
  }
}

}  // namespace

void Vm::execute(const Instruction& in) {
  Registers& r = registers_;
  std::uint32_t next = pc_ + 1;
  switch (in.form) {
    case Form::Nop:
      break;
    case Form::Ret:
      state_ = Stop::Done;
      break;
    case Form::Rnd:
      random_ = stepRandom(random_);
      r.scalar(in.destination) = randomValue(random_);
      break;
    case Form::Turb3:
      r.scalar(in.destination) = turb(r.vector(in.a));
      break;
    case Form::Movc:
      r.scalar(in.destination) = r.vector(in.a)[in.lane];
      break;
    case Form::Lc:
      r.vector(in.destination)[in.lane] = r.scalar(in.a);
      break;
    case Form::Li:
      r.scalar(in.destination) = in.literal();
      break;
    case Form::Liv:
      r.vector(in.destination)[in.lane] = in.literal();
      break;
    case Form::Dp3:
      r.scalar(in.destination) = dot(r.vector(in.a), r.vector(in.b));
      break;
    case Form::Jmp:
      next = program_->target(pc_);
      break;
    case Form::Blt:
      if (r.scalar(in.a) < r.scalar(in.b)) next = program_->target(pc_);
      break;
    case Form::Trace:
      if (traceLeaves(r.vector(in.a), r.vector(in.b))) {
        state_ = Stop::Trace;
        return;
      }
      r.vector(in.destination) = {};
      break;
    case Form::Lookup:
      state_ = Stop::Lookup;
      return;
    case Form::MovV:
    case Form::AddV:
    case Form::SubV:
    case Form::Cross:
    case Form::Scale:
    case Form::DivV:
    case Form::Norm:
      r.vector(in.destination) = vectorResult(in, r);
      break;
    case Form::MovS:
    case Form::Turb1:
    case Form::AddS:
    case Form::SubS:
    case Form::MulS:
    case Form::DivS:
    case Form::Clamp:
    case Form::Floor:
    case Form::Ceil:
    case Form::Pow:
    case Form::Exp:
      r.scalar(in.destination) = scalarResult(in, r);
      break;
  }
  pc_ = next;
  ++instructions_;
  boundary();
}

}  // namespace rtvp::sl
