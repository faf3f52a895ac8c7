// See job.hpp: what needs no memory port.
#include "models/xphmg/job.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace rtvp::xphmg {

bool Job::fail(unsigned error_code, std::uint32_t event_bits, std::uint64_t fault_address) {
  result_.errorCode = error_code;
  result_.events |= event_bits;
  result_.faultAddress = fault_address;
  return false;
}

bool Job::checkDescriptor() {
  const std::uint32_t o = desc_.opts;
  const std::uint64_t cap = state_.rtcap;
  const bool unsupported = (o & ~opts::kKnown) != 0 || (cap & rtcap::kNode4) == 0 ||
                           ((o & opts::kNode8) != 0 && (cap & rtcap::kNode8) == 0) ||
                           ((o & opts::kPackHint) != 0 && (cap & rtcap::kPackHint) == 0) ||
                           ((o & opts::kEpsCtl) != 0 && (cap & rtcap::kEpsCtl) == 0);
  if (unsupported) return fail(2, 0, address_);
  heap_ = desc_.bvhBase != 0 ? desc_.bvhBase : state_.rtbase;
  return heap_ % 64 == 0 || fail(1, events::kDmaErr, heap_);  // RT-026
}

void Job::prepareTraversal() {
  TraversalSetup setup;
  setup.precision = state_.precision;
  setup.heap = heap_;
  setup.triBase = desc_.triBuf;
  setup.node8 = (desc_.opts & opts::kNode8) != 0;
  setup.cullBack = (desc_.opts & opts::kCullBack) != 0;
  setup.anyHit = (desc_.opts & opts::kAnyHit) != 0;
  setup.literal88 = state_.literal88;
  setup.edgeInclusive = state_.edgeInclusive;
  setup.plain = state_.plain;
  setup.triangleFault = state_.triangleFault;
  if ((state_.rtcap & rtcap::kEpsCtl) != 0) {
    setup.epsilon = (desc_.opts & opts::kEpsCtl) != 0 ? csr::epsScale(state_.rtconf2)
                                                      : csr::epsDefault(state_.rtcfg);
  }
  packed_ = (desc_.opts & opts::kPackHint) != 0 && state_.precision.elementBytes() == 4;
  plainWords_ = !packed_ && state_.precision.format == Format::Fp32 &&
                state_.precision.rounding == Rounding::Rne && !state_.precision.ftz;
  traversal_ = Traversal(setup);
}

/// encode() of a normal number or zero to FP32, to nearest, by the host's own rounding. False: it
/// is neither, or not as a float.
static bool encodePlain(double value, Stickies& stickies, std::uint32_t& word) {
  const float rounded = static_cast<float>(value);
  const double magnitude = std::abs(value);
  if (value != 0 && !(magnitude >= double{std::numeric_limits<float>::min()} &&
                      std::abs(rounded) <= std::numeric_limits<float>::max()))
    return false;
  if (static_cast<double>(rounded) != value) stickies.exc |= Stickies::kInexact;
  word = std::bit_cast<std::uint32_t>(rounded);
  return true;
}

std::uint32_t Job::valueWord(double value) {
  const Precision& p = state_.precision;
  std::uint32_t word = 0;
  if (plainWords_ && encodePlain(value, result_.stickies, word)) return word;
  if (!packed_) return encode(p, p.format, value, result_.stickies);
  // D-52: rounded to FP16, then stored in the record's own format, which holds it exactly.
  const std::uint32_t half = encode(p, Format::Fp16, value, result_.stickies);
  Precision exact;
  exact.format = Format::Fp16;
  return encode(p, p.format, static_cast<double>(decode(exact, half, result_.stickies)),
                result_.stickies);
}

HitBytes Job::hitEntry(std::uint64_t tag) {
  const TraversalResult& best = traversal_.result();
  HitEntry entry;
  entry.tag = tag;
  entry.primId = best.primId;
  entry.leafIndex = best.leafIndex;
  entry.t = valueWord(best.t);
  entry.u = valueWord(best.u);
  entry.v = valueWord(best.v);
  entry.front = best.front;
  entry.format = state_.precision.format;
  entry.rayIndex = static_cast<std::uint16_t>(rays_.queue.head);
  return encodeHit(entry);
}

bool Job::failTraversal() {
  const TraversalResult& traced = traversal_.result();
  switch (traced.error) {
    case TraversalError::ReservedKind:
      return fail(2, 0, traced.faultAddress);
    case TraversalError::Bus:
      return fail(1, events::kInvMiss, traced.faultAddress);
    default:
      return fail(1, events::kDmaErr, traced.faultAddress);
  }
}

}  // namespace rtvp::xphmg
