// See inline_op.hpp.
#include "models/xphmg/inline_op.hpp"

namespace rtvp::xphmg {
namespace {

bool isPacked(std::uint32_t imm12, const InlineState& state) {
  const bool by_default =
      (state.rtcap & rtcap::kPackHint) != 0 && (state.rtcfg & csr::kCfgPackHint) != 0;  // RT-008
  return (imm12 & imm::kPackHint) != 0 || by_default;
}

InlineResult failed(InlineStatus status, std::uint64_t address, unsigned error_code = 0) {
  InlineResult result;
  result.status = status;
  result.address = address;
  result.errorCode = error_code;
  return result;
}

/// The record's bytes, copied: a port's pointer lives until its next call only.
struct Record {
  std::array<std::uint8_t, 36> bytes{};
  InlineStatus status = InlineStatus::Done;
};

Record readRecord(const Precision& precision, std::uint64_t address, bool w_guard,
                  MemoryPort& port) {
  Record record;
  const unsigned width = precision.elementBytes();
  if (address % width != 0) {
    record.status = InlineStatus::Misaligned;
    return record;
  }
  const unsigned size = (kRayElements + (w_guard ? 1U : 0U)) * width;
  const std::uint8_t* const bytes = port.read(AccessKind::Ray, address, size);
  if (bytes == nullptr) {
    record.status = InlineStatus::Bus;
  } else {
    std::memcpy(record.bytes.data(), bytes, size);
  }
  return record;
}

/// RTNODE or RTTRI of a lane: itself, or the lane's entry of the table it points at.
bool laneWord(std::uint64_t& word, std::uint64_t table_bit, std::uint64_t address_mask,
              unsigned lane, MemoryPort& port, std::uint64_t& fault) {
  if ((word & table_bit) == 0) return true;
  fault = (word & address_mask) + std::uint64_t{8} * lane;
  const std::uint8_t* const bytes = port.read(AccessKind::LaneTable, fault, 8);
  if (bytes == nullptr) return false;
  word = loadU64(bytes);
  return true;
}

std::uint64_t word64(std::uint32_t word) {
  return word;
}

/// Rounds `count` results, or fills in what a miss leaves (D-40, D-51).
void fillValues(const Precision& precision, const std::array<double, 3>& exact, unsigned count,
                bool nan_consumed, bool packed, InlineResult& result) {
  result.valueFormat = valueFormat(precision, packed);
  if (formatInfo(result.valueFormat).bytes < 4) result.stickies.stat |= Stickies::kDowncastTaken;
  for (unsigned i = 0; i < count; ++i) {
    if (result.hit) {
      result.values[i] = encode(precision, result.valueFormat, exact[i], result.stickies);
    } else if (nan_consumed) {
      result.values[i] = nanPolicyWord(precision, result.valueFormat, result.stickies);
    }
  }
}

void layOutBbox(bool packed, InlineResult& r) {
  const std::uint64_t hit = r.hit ? 1U : 0U;
  if (packed) {
    r.registers = 1;
    r.rd[0] = word64(r.values[0]) | word64(r.values[1]) << 16U | word64(r.mask) << 32U |
              word64(r.child) << 40U | hit << 48U;
    return;
  }
  r.registers = 3;
  r.rd = {hit | word64(r.mask) << 8U | word64(r.child) << 16U, r.values[0], r.values[1], 0};
}

void layOutTri(bool packed, InlineResult& r) {
  const std::uint64_t hit = r.hit ? 1U : 0U, front = r.front ? 1U : 0U;
  if (packed) {
    r.registers = 1;
    r.rd[0] = word64(r.values[0]) | word64(r.values[1]) << 16U | word64(r.values[2]) << 32U |
              hit << 48U | front << 49U;
    return;
  }
  r.registers = 4;
  r.rd = {hit | front << 1U | word64(r.prim) << 32U, r.values[0], r.values[1], r.values[2]};
}

/// The up to eight children a BBOX looks at.
struct Children {
  std::array<TileChild, kNode8Children> child{};
  unsigned count = kTileChildren;
};

InlineStatus readChildren(const InlineState& state, std::uint64_t node, MemoryPort& port,
                          Children& children, std::uint64_t& fault) {
  const TileLayout layout = tileLayout(state.precision.elementBytes(), state.literal88);
  const bool node8 = (node & csr::kNodeNode8) != 0;
  children.count = node8 ? kNode8Children : kTileChildren;
  for (unsigned half = 0; half < children.count / kTileChildren; ++half) {
    fault = (node & csr::kNodeAddress) + std::uint64_t{half} * layout.stride;
    const std::uint8_t* const bytes = port.read(AccessKind::Tile, fault, layout.stride);
    if (bytes == nullptr) return InlineStatus::Bus;
    const Tile tile = decodeTile(bytes, state.precision.elementBytes(), layout);
    for (unsigned c = 0; c < kTileChildren; ++c) {
      if (tile.child[c].kind == ChildKind::Reserved) return InlineStatus::Illegal;  // D-06
      children.child[std::size_t{half} * kTileChildren + c] = tile.child[c];
    }
  }
  return InlineStatus::Done;
}

/// Slab test of all selected children; fills hit, mask and child. Returns the nearest one's slab.
SlabResult testChildren(const InlineState& state, std::uint64_t node, const Ray& ray,
                        const Children& children, bool& nan_consumed, InlineResult& result) {
  const SlabRay slab(ray);
  SlabResult nearest;
  for (unsigned c = 0; c < children.count; ++c) {
    if (children.child[c].kind == ChildKind::Empty) continue;
    if ((node & csr::kNodeSelEn) != 0 && csr::nodeSel(node) != c) continue;
    ++result.boxesTested;
    const Box box = decodeBox(state.precision, children.child[c].box, result.stickies);
    nan_consumed = nan_consumed || box.nan;
    const SlabResult found = intersectBox(slab, box, result.stickies);
    if (!found.hit) continue;
    if (!result.hit || found.tn < nearest.tn) {
      nearest = found;
      result.child = c;
    }
    result.hit = true;
    result.mask |= 1U << c;
  }
  return nearest;
}

}  // namespace

Format valueFormat(const Precision& precision, bool packed) {
  return packed && precision.elementBytes() == 4 ? Format::Fp16 : precision.format;
}

unsigned checkInline(RtOp op, std::uint32_t imm12, const InlineState& state) {
  if ((imm12 & ~imm::kKnown) != 0) return 1;
  if ((imm12 & imm::kPackHint) != 0 && (state.rtcap & rtcap::kPackHint) == 0) return 2;
  if (op == RtOp::Bbox) return (state.rtcap & rtcap::kNode4) == 0 ? 2 : 0;
  return (imm12 & imm::kEpsCtl) != 0 && (state.rtcap & rtcap::kEpsCtl) == 0 ? 2 : 0;
}

unsigned resultRegisters(RtOp op, std::uint32_t imm12, const InlineState& state) {
  if ((imm12 & imm::kPredOnly) != 0) return 0;
  if (isPacked(imm12, state)) return 1;
  return op == RtOp::Bbox ? 3 : 4;
}

InlineResult executeBbox(const InlineState& state, std::uint32_t imm12, std::uint64_t ray_address,
                         unsigned lane, MemoryPort& port) {
  if (const unsigned ec = checkInline(RtOp::Bbox, imm12, state); ec != 0)
    return failed(InlineStatus::Illegal, 0, ec);
  const bool w_guard = (imm12 & imm::kWGuard) != 0;
  const Record record = readRecord(state.precision, ray_address, w_guard, port);
  if (record.status != InlineStatus::Done) return failed(record.status, ray_address);
  std::uint64_t node = state.rtnode, fault = 0;
  if (!laneWord(node, csr::kNodeLaneTable, csr::kNodeAddress, lane, port, fault))
    return failed(InlineStatus::Bus, fault);
  if ((node & csr::kNodeNode8) != 0 && (state.rtcap & rtcap::kNode8) == 0)
    return failed(InlineStatus::Illegal, 0, 2);
  Children children;
  const InlineStatus read = readChildren(state, node, port, children, fault);
  if (read != InlineStatus::Done) return failed(read, fault, read == InlineStatus::Illegal ? 2 : 0);

  InlineResult result;
  const Ray ray = decodeRay(state.precision, record.bytes.data(), w_guard, result.stickies);
  bool nan_consumed = ray.nan;
  SlabResult nearest;
  if (!ray.ends()) nearest = testChildren(state, node, ray, children, nan_consumed, result);
  const bool clamp = (imm12 & imm::kTClamp) != 0;
  const bool packed = isPacked(imm12, state);
  // A masked write rounds like a written one: PRED_ONLY and rd = x0 change no sticky (D-51).
  fillValues(state.precision,
             {clamp ? nearest.tn : nearest.slabNear, clamp ? nearest.tf : nearest.slabFar, 0}, 2,
             nan_consumed, packed, result);
  layOutBbox(packed, result);
  if ((imm12 & imm::kPredOnly) != 0) result.registers = 0;
  return result;
}

InlineResult executeTri(const InlineState& state, std::uint32_t imm12, std::uint64_t ray_address,
                        unsigned lane, MemoryPort& port) {
  if (const unsigned ec = checkInline(RtOp::Tri, imm12, state); ec != 0)
    return failed(InlineStatus::Illegal, 0, ec);
  const Record record = readRecord(state.precision, ray_address, false, port);
  if (record.status != InlineStatus::Done) return failed(record.status, ray_address);
  std::uint64_t range_word = state.rttri, fault = 0;
  if (!laneWord(range_word, csr::kTriLaneTable, csr::kTriAddress, lane, port, fault))
    return failed(InlineStatus::Bus, fault);
  fault = range_word & csr::kTriAddress;
  const std::uint8_t* const range_bytes = port.read(AccessKind::TriRange, fault, kTriRangeBytes);
  if (range_bytes == nullptr) return failed(InlineStatus::Bus, fault);
  const TriRange range = decodeTriRange(range_bytes);

  InlineResult result;
  const Ray ray = decodeRay(state.precision, record.bytes.data(), false, result.stickies);
  const ShearRay shear(ray);
  const bool eps_cap = (state.rtcap & rtcap::kEpsCtl) != 0;
  const unsigned k =
      (imm12 & imm::kEpsCtl) != 0 ? csr::epsScale(state.rtconf2) : csr::epsDefault(state.rtcfg);
  TriOptions options{(imm12 & imm::kCullBack) != 0, state.edgeInclusive, 0};
  if (!ray.nan) options.tlo = lowerBound(ray.tmin, eps_cap ? k : 0);
  const bool consumes = !ray.ends() && !shear.zeroDirection;
  const unsigned width = state.precision.elementBytes();
  const std::uint64_t base = range.base != 0 ? range.base : state.rtbase;  // D-24
  bool nan_consumed = ray.nan;
  TriResult best;
  for (std::uint32_t i = 0; i < range.count; ++i) {
    const std::uint64_t address = triangleAddress(base, range.first, i, width);
    const std::uint8_t* const bytes =
        port.read(AccessKind::Triangle, address, triangleBytes(width));
    if (bytes == nullptr) {
      InlineResult bus = failed(InlineStatus::Bus, address);
      return bus;
    }
    ++result.trianglesTested;
    if (!consumes) continue;
    const Triangle triangle = decodeTriangle(state.precision, bytes, result.stickies);
    nan_consumed = nan_consumed || triangle.nan;
    const TriResult found = intersectTriangle(shear, triangle, options, result.stickies);
    if (!found.hit) continue;
    if (i < 32) result.mask |= 1U << i;
    const std::uint32_t prim = range.first + i;
    if (!result.hit || found.t < best.t || (found.t == best.t && prim < result.prim)) {
      best = found;
      result.prim = prim;
    }
    result.hit = true;
  }
  result.front = best.front;
  const bool packed = isPacked(imm12, state);
  fillValues(state.precision, {best.t, best.u, best.v}, 3, nan_consumed, packed, result);
  layOutTri(packed, result);
  if ((imm12 & imm::kPredOnly) != 0) result.registers = 0;
  return result;
}

}  // namespace rtvp::xphmg
