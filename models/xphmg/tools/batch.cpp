// xphmg-run --batch: RT.BBOX and RT.TRI on operands given as words, executed by the same code as
// the instructions.
#include <algorithm>
#include <istream>
#include <ostream>

#include "models/xphmg/inline_op.hpp"
#include "models/xphmg/tools/batch_request.hpp"
#include "models/xphmg/tools/runner.hpp"

namespace rtvp::xphmg {
namespace batch {
namespace {

constexpr std::size_t kMaxLine = std::size_t{64} << 20U;
constexpr std::size_t kMaxTriangles = 32;
// Where a request's operands lie.
constexpr std::uint64_t kRayAt = 0x1000, kTileAt = 0x2000, kRangeAt = 0x3000, kTrianglesAt = 0x4000;

/// Words packed as elements of `width` bytes.
std::vector<std::uint8_t> elements(const std::vector<std::uint32_t>& words, unsigned width) {
  std::vector<std::uint8_t> bytes(words.size() * width);
  for (std::size_t i = 0; i < words.size(); ++i)
    storeElement(bytes.data() + i * width, width, words[i]);
  return bytes;
}

/// A request for a single operation: its state, and memory with its operands.
struct Operation {
  explicit Operation(const json::object& request) : cap(precisionOf(request)) {
    Stickies ignored;
    state.precision = cap.rtPrecision(ignored);
    width = state.precision.elementBytes();
    digits = 2 * width;
    imm12 = static_cast<std::uint32_t>(integerKey(request, "flags", 0, 0, 15));
  }
  void placeRay(const json::object& request, std::size_t count) {
    const json::value* const ray = request.if_contains("ray");
    if (ray == nullptr) throw BadRequest("ray: expected an array of words");
    memory.add(kRayAt, elements(wordsOf(*ray, count, digits, "ray"), width));
  }
  CapPrecision cap;
  InlineState state;
  RangeMemory memory;
  unsigned width = 0, digits = 0;
  std::uint32_t imm12 = 0;
};

/// Up to eight boxes as one or two tiles. Returns RTNODE.
std::uint64_t placeTiles(const json::object& request, Operation& op) {
  const json::array& boxes = arrayKey(request, "boxes");
  if (boxes.size() > kNode8Children) throw BadRequest("boxes: expected at most 8 entries");
  const TileLayout layout = tileLayout(op.width);
  const bool node8 = boxes.size() > kTileChildren;
  std::vector<std::uint8_t> bytes(std::size_t{layout.stride} * (node8 ? 2 : 1));
  for (std::size_t half = 0; half < (node8 ? 2U : 1U); ++half) {
    Tile tile;
    for (std::size_t c = 0; c < kTileChildren; ++c) {
      const std::size_t n = half * kTileChildren + c;
      if (n >= boxes.size() || boxes[n].is_null()) continue;
      const auto words = wordsOf(boxes[n], 6, op.digits, "boxes: entry " + std::to_string(n));
      tile.child[c].kind = ChildKind::Leaf;
      std::copy(words.begin(), words.end(), tile.child[c].box.begin());
    }
    encodeTile(tile, op.width, layout, bytes.data() + half * layout.stride);
  }
  op.memory.add(kTileAt, bytes);
  const std::int64_t sel = integerKey(request, "sel", -1, -1, 7);
  std::uint64_t node = kTileAt | (node8 ? csr::kNodeNode8 : 0);
  if (sel >= 0) node |= csr::kNodeSelEn | static_cast<std::uint64_t>(sel) << 2U;
  return node;
}

void placeTriangles(const json::object& request, Operation& op) {
  const json::array& triangles = arrayKey(request, "tris");
  if (triangles.size() > kMaxTriangles) throw BadRequest("tris: expected at most 32 entries");
  TriRange range;
  range.first = static_cast<std::uint32_t>(integerKey(request, "first", 0, 0, 0xFFFFFFFF));
  range.count = static_cast<std::uint32_t>(triangles.size());
  // Entry `first` of the buffer lies at kTrianglesAt, whatever `first` is.
  range.base = kTrianglesAt - triangleAddress(0, range.first, 0, op.width);
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const auto one = elements(
        wordsOf(triangles[i], kTriangleElements, op.digits, "tris: entry " + std::to_string(i)),
        op.width);
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  op.memory.add(kTrianglesAt, bytes);
  std::vector<std::uint8_t> header(kTriRangeBytes);
  encodeTriRange(range, header.data());
  op.memory.add(kRangeAt, header);
}

/// The keys both operations end with.
void addResult(json::object& answer, const char* const (&names)[3], std::size_t values,
               Operation& op, const InlineResult& result) {
  if (result.status != InlineStatus::Done) throw BadRequest("the operation trapped");
  const bool written = (op.imm12 & imm::kPredOnly) == 0;
  const unsigned digits = 2U * formatInfo(result.valueFormat).bytes;
  for (std::size_t i = 0; i < values; ++i) {
    if (written) {
      answer[names[i]] = common::hexDigits(result.values[i], digits);
    } else {
      answer[names[i]] = nullptr;
    }
  }
  json::array rd;
  for (unsigned i = 0; i < result.registers; ++i)
    rd.emplace_back(common::hexDigits(result.rd[i], 16));
  answer["rd"] = std::move(rd);
  op.cap.retire(result.stickies);
  addStickies(answer, op.cap);
}

}  // namespace

json::object answerBbox(const json::object& request) {
  Operation op(request);
  op.placeRay(request, (op.imm12 & imm::kWGuard) != 0 ? kRayElements + 1 : kRayElements);
  op.state.rtnode = placeTiles(request, op);
  const InlineResult result = executeBbox(op.state, op.imm12, kRayAt, 0, op.memory);
  json::object answer{{"hit", result.mask}, {"child", result.child}, {"p0", result.hit ? 1 : 0}};
  addResult(answer, {"tnear", "tfar", ""}, 2, op, result);
  return answer;
}

json::object answerTri(const json::object& request) {
  Operation op(request);
  op.placeRay(request, kRayElements);
  placeTriangles(request, op);
  op.state.rttri = kRangeAt;
  op.state.rtconf2 = static_cast<std::uint64_t>(integerKey(request, "eps_scale", 0, 0, 255));
  op.state.rtcfg = static_cast<std::uint64_t>(integerKey(request, "eps_dflt", 0, 0, 255)) << 8U;
  const InlineResult result = executeTri(op.state, op.imm12, kRayAt, 0, op.memory);
  json::object answer{{"hit", result.mask},
                      {"prim", result.prim},
                      {"front", result.front ? 1 : 0},
                      {"p0", result.hit ? 1 : 0}};
  addResult(answer, {"t", "u", "v"}, 3, op, result);
  return answer;
}

}  // namespace batch

void runBatch(std::istream& in, std::ostream& out) {
  tool::answerJsonLines(in, out, batch::kMaxLine, [](const batch::json::object& request) {
    const batch::json::value* const op = request.if_contains("op");
    if (op != nullptr && op->is_string()) {
      if (op->get_string() == "bbox") return batch::answerBbox(request);
      if (op->get_string() == "tri") return batch::answerTri(request);
      if (op->get_string() == "offload") return batch::answerOffload(request);
    }
    throw tool::BadRequest("op: expected bbox, tri or offload");
  });
}

}  // namespace rtvp::xphmg
