// What rows compute, as host code: the kernels' arithmetic (kernels_body.hpp).
#include "models/theia/fast/routine_writer.hpp"

namespace rtvp::theia::fast {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

namespace {

constexpr unsigned kFraction = 17;
constexpr int kTurn = 0xC9;       ///< y, z, x
constexpr int kEvenWords = 0x88;  ///< of two vectors
constexpr int kExchange = 0xE1;   ///< y, x, z
constexpr unsigned kNegated = 64 - kFraction;
// Functions of three bits for vpternlog.
constexpr int kSumsFault = 0x24;         ///< of a, sum, b
constexpr int kDifferencesFault = 0x18;  ///< of a, difference, b
constexpr int kTurnWhere = 0x78;         ///< the first, turned where both others are set
constexpr int kChoose = 0xD8;            ///< the third chooses the second, else the first

}  // namespace

/// Leaves in front of the row that is under way.
void RoutineWriter::exitIf(CondCode condition) {
  a_.j(condition, later({Segment::kNone, plan_.inside(segment_, row_)}));
}

void RoutineWriter::requireExact(unsigned place) {
  if (state_.exact[place]) return;
  const unsigned t = fromRaw(Inst::kIdVpabsd, place, false);
  a_.vptest(x(t), constant(Constant::Large, 16));
  exitIf(CondCode::kNZ);
  state_.exact.set(place);
  taken_.reset(t);
}

void RoutineWriter::sum(unsigned d, unsigned a, unsigned b, bool subtract) {
  const unsigned p = rawOf(a), q = rawOf(b), t = take();
  const Mem signs = constant(Constant::Signs, 16);
  if (subtract) {
    a_.vpsubd(x(d), x(p), x(q));
  } else {
    a_.vpaddd(x(d), x(p), x(q));
  }
  if (wide_) {
    a_.vmovdqa(x(t), x(p));
    a_.vpternlogd(x(t), x(d), x(q), subtract ? kDifferencesFault : kSumsFault);
    a_.vpternlogd(x(d), x(t), signs, kTurnWhere);
    return;
  }
  const unsigned u = take();
  a_.vpxor(x(t), x(d), x(p));
  a_.vpxor(x(u), subtract ? x(p) : x(d), x(q));
  a_.vpand(x(t), x(t), x(u));
  a_.vpand(x(t), x(t), signs);
  a_.vpxor(x(d), x(d), x(t));
}

/// By a constant that is not negative: only one sign can be lost.
void RoutineWriter::step(unsigned d, unsigned a, Constant by, bool subtract) {
  const unsigned p = rawOf(a), t = take();
  const Mem signs = constant(Constant::Signs, 16);
  if (subtract) {
    a_.vpsubd(x(d), x(p), constant(by, 16));
    a_.vpandn(x(t), x(d), x(p));
  } else {
    a_.vpaddd(x(d), x(p), constant(by, 16));
    a_.vpandn(x(t), x(p), x(d));
  }
  a_.vpand(x(t), x(t), signs);
  a_.vpxor(x(d), x(d), x(t));
}

/// Of widened vectors. Lifted (AVX2), all 64 bits are right but for 2^46 that each is above its
/// value; else the lower 32 bits are.
void RoutineWriter::product(unsigned d, unsigned a, unsigned b, bool lifted) {
  const unsigned t = take();
  a_.vpmuldq(y(d), y(a), y(b));
  a_.vpxor(y(t), y(a), y(b));
  a_.vpsrlq(y(t), y(t), kNegated);
  if (lifted && !wide_) a_.vpor(y(t), y(t), constant(Constant::WideSign, 32));
  a_.vpaddq(y(d), y(d), y(t));
  if (lifted && wide_) {
    a_.vpsraq(y(d), y(d), kFraction);
  } else {
    a_.vpsrlq(y(d), y(d), kFraction);
  }
  taken_.reset(t);
}

void RoutineWriter::multiply(unsigned d, unsigned a, unsigned b) {
  requireExact(a);
  const unsigned p = wideOf(a), q = wideOf(b), t = take();
  product(d, p, q, false);
  a_.vextracti128(x(t), y(d), 1);
  a_.vshufps(x(d), x(d), x(t), kEvenWords);
}

/// The sign bit of the upper words, all else of the lower ones.
void RoutineWriter::select(unsigned low, unsigned high) {
  const Mem signs = constant(Constant::Signs, 16);
  if (wide_) {
    a_.vpternlogd(x(low), x(high), signs, kChoose);
    return;
  }
  a_.vpxor(x(high), x(high), x(low));
  a_.vpand(x(high), x(high), signs);
  a_.vpxor(x(low), x(low), x(high));
}

/// a times b turned, less a turned times b: the result, turned the same way.
void RoutineWriter::cross(unsigned d, unsigned a, unsigned b) {
  requireExact(a);
  const unsigned p = wideOf(a), q = wideOf(b), t = take(), u = take();
  a_.vpermq(y(t), y(q), kTurn);
  a_.vpermq(y(u), y(p), kTurn);
  product(d, p, t, true);
  product(t, u, q, true);
  a_.vpsubq(y(d), y(d), y(t));
  a_.vmovdqa(y(t), constant(Constant::Turned, 32));
  a_.vpermd(y(d), y(t), y(d));
  a_.vextracti128(x(t), y(d), 1);
  select(d, t);
}

void RoutineWriter::dot(unsigned d, unsigned a, unsigned b) {
  requireExact(a);
  const unsigned p = wideOf(a), q = wideOf(b), t = take(), u = take();
  product(d, p, q, true);
  a_.vextracti128(x(t), y(d), 1);
  a_.vpunpckhqdq(x(u), x(d), x(d));
  a_.vpaddq(x(d), x(d), x(t));
  a_.vpaddq(x(d), x(d), x(u));
  if (!wide_) a_.vpsubq(x(d), x(d), constant(Constant::Above, 16));
  a_.vpshufd(x(t), x(d), 0x55);
  a_.vpshufd(x(d), x(d), 0x00);
  select(d, t);
}

/// As the kernels' divide(), but with the operands' signs: the quotient of doubles, towards zero.
/// What is no quotient of 32 bits comes out as the sign bit alone, division by zero included; that,
/// and operands of magnitude 2^31, are not done here.
void RoutineWriter::divide(unsigned d, unsigned a, unsigned b) {
  const unsigned p = rawOf(a), q = rawOf(b), t = take(), u = take();
  const Mem signs = constant(Constant::Signs, 16);
  a_.vcvtdq2pd(y(t), x(p));
  a_.vmulpd(y(t), y(t), constant(Constant::Scale, 32));
  a_.vcvtdq2pd(y(u), x(q));
  a_.vdivpd(y(t), y(t), y(u));
  a_.vcvttpd2dq(x(d), y(t));
  a_.vpcmpeqd(x(t), x(p), signs);
  a_.vpcmpeqd(x(u), x(q), signs);
  a_.vpor(x(t), x(t), x(u));
  a_.vpcmpeqd(x(u), x(d), signs);
  a_.vpor(x(t), x(t), x(u));
  a_.vptest(x(t), constant(Constant::Lanes, 16));
  exitIf(CondCode::kNZ);
}

void RoutineWriter::setLane(unsigned d, unsigned old, unsigned lane, std::uint32_t value) {
  const unsigned p = rawOf(old);
  if (value == 0) {
    a_.vinsertps(x(d), x(p), x(p), lane << 4 | 1U << lane);
    return;
  }
  a_.mov(eax, value);
  a_.vpinsrd(x(d), x(p), eax, lane);
}

/// A lane of `d` is set, the others are those of `old`.
void RoutineWriter::keepLanes(unsigned d, unsigned old, unsigned lane, std::uint32_t value) {
  if (d == kSink) return;
  std::array<std::optional<std::uint32_t>, 3> lanes;
  for (unsigned i = 0; i < lanes.size(); ++i)
    lanes[i] = i == lane ? value : known(offsetOf(old, i));
  std::erase_if(state_.known, [d](const State::Lane& l) { return placeOf(l.offset) == d; });
  for (unsigned i = 0; i < lanes.size(); ++i) {
    if (lanes[i]) state_.known.push_back({offsetOf(d, i), *lanes[i]});
  }
}

/// Rows of one or two host instructions.
void RoutineWriter::simple(const Row& row, unsigned d) {
  const unsigned a = placeOf(row.a), b = placeOf(row.b);
  switch (row.code) {
    case Code::Zero:
      a_.vpxor(x(d), x(d), x(d));
      break;
    case Code::Mod:
      a_.vpsubd(x(d), x(rawOf(b)), constant(Constant::Ones, 16));
      a_.vpand(x(d), x(d), x(rawOf(a)));
      break;
    case Code::Frac:
      a_.vpand(x(d), x(rawOf(a)), constant(Constant::Fraction, 16));
      break;
    case Code::Neg:
      a_.vpxor(x(d), x(d), x(d));
      a_.vpsubd(x(d), x(d), x(rawOf(a)));
      break;
    case Code::ExchangeX:
    case Code::ExchangeY:
    case Code::ExchangeZ: {
      const unsigned lane =
          static_cast<unsigned>(row.code) - static_cast<unsigned>(Code::ExchangeX);
      const unsigned p = rawOf(a), q = rawOf(b);
      a_.vpblendd(x(d), x(p), x(q), 1U << lane);
      break;
    }
    case Code::Unscale:
      a_.vpsrld(x(d), x(rawOf(a)), kFraction);
      break;
    case Code::Rescale:
      a_.vpslld(x(d), x(rawOf(a)), kFraction);
      break;
    case Code::Load:
      a_.mov(eax, row.immediate);
      a_.vmovd(x(d), eax);
      a_.vpshufd(x(d), x(d), 0);
      break;
    case Code::SwizzleX:
    case Code::SwizzleY:
    case Code::SwizzleZ: {
      const unsigned lane = static_cast<unsigned>(row.code) - static_cast<unsigned>(Code::SwizzleX);
      a_.vpshufd(x(d), x(rawOf(b)), lane * 0x55);
      break;
    }
    default:  // SwizzleYXZ
      a_.vpshufd(x(d), x(rawOf(b)), kExchange);
      break;
  }
}

void RoutineWriter::row(const Row& row) {
  const unsigned place = placeOf(row.d), a = placeOf(row.a), b = placeOf(row.b);
  const auto setLane_ = [&](unsigned lane) {
    const unsigned d = take();
    setLane(d, b, lane, row.immediate);
    const std::vector<State::Lane> before = state_.known;
    becomes(place, d);
    state_.known = before;
    keepLanes(place, b, lane, row.immediate);
  };
  switch (row.code) {
    case Code::Nop:
    case Code::Jump:
    case Code::Call:
      return;
    case Code::Copy:
      return copy(place, a);
    case Code::SetX:
    case Code::Ret:
      return setLane_(0);
    case Code::SetY:
      return setLane_(1);
    case Code::SetZ:
      return setLane_(2);
    default:
      break;
  }
  const unsigned d = take();
  switch (row.code) {
    case Code::Add:
    case Code::Sub:
      sum(d, a, b, row.code == Code::Sub);
      break;
    case Code::Inc:
    case Code::Dec:
      step(d, a, Constant::Ones, row.code == Code::Dec);
      break;
    case Code::IncX:
      step(d, a, Constant::OneX, false);
      break;
    case Code::IncY:
      step(d, a, Constant::OneY, false);
      break;
    case Code::IncZ:
      step(d, a, Constant::OneZ, false);
      break;
    case Code::Mul:
      multiply(d, a, b);
      break;
    case Code::Cross:
      cross(d, a, b);
      break;
    case Code::Dot:
      dot(d, a, b);
      break;
    case Code::Div:
      divide(d, a, b);
      break;
    default:
      simple(row, d);
      break;
  }
  becomes(place, d);
  if (place == kSink) return;
  if (row.code != Code::Zero && row.code != Code::Load) return;
  for (unsigned i = 0; i < 3; ++i)
    state_.known.push_back({offsetOf(place, i), row.code == Code::Zero ? 0 : row.immediate});
}

}  // namespace rtvp::theia::fast
