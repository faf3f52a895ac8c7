// xphmg-run --batch: an offload job on memory given as bytes.
#include "models/xphmg/job.hpp"
#include "models/xphmg/tools/batch_request.hpp"

namespace rtvp::xphmg::batch {
namespace {

constexpr std::uint64_t kMaxRead = std::uint64_t{16} << 20U;

std::vector<std::uint8_t> bytesOf(const json::value& value) {
  if (!value.is_string()) throw BadRequest("mem: expected bytes as a string of hex digits");
  const std::string_view text = value.get_string();
  if (text.size() % 2 != 0) throw BadRequest("mem: expected two hex digits a byte");
  std::vector<std::uint8_t> bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(tool::parseHex(text.substr(2 * i, 2), 2, true, "mem"));
  }
  return bytes;
}

/// The pair [address, x] of "mem" and "read".
const json::array& pairOf(const json::value& value, const char* what) {
  if (!value.is_array() || value.get_array().size() != 2)
    throw BadRequest(std::string(what) + ": expected pairs");
  return value.get_array();
}

void placeMemory(const json::object& request, RangeMemory& memory) {
  for (const json::value& item : arrayKey(request, "mem")) {
    const json::array& pair = pairOf(item, "mem");
    memory.add(hexOf(pair[0], "mem: address"), bytesOf(pair[1]));
  }
}

void setRegisters(const json::object& request, JobState& state) {
  const json::value* const csr = request.if_contains("csr");
  if (csr == nullptr) return;
  if (!csr->is_object()) throw BadRequest("csr: expected an object");
  for (const auto& item : csr->get_object()) {
    const std::string name(item.key());
    const std::uint64_t value = hexOf(item.value(), "csr: " + name.substr(0, 40));
    if (name == "RTBASE") {
      state.rtbase = value;
    } else if (name == "RTQ_RAY") {
      state.rtqRay = value;
    } else if (name == "RTQ_HIT") {
      state.rtqHit = value;
    } else if (name == "RTQ_MISS") {
      state.rtqMiss = value;
    } else if (name == "EPS_SCALE") {
      state.rtconf2 = value & 0xFFU;
    } else if (name == "EPS_DFLT") {
      state.rtcfg = (value & 0xFFU) << 8U;
    } else {
      throw BadRequest("csr: unknown register " + common::quotedAsIs(name));
    }
  }
}

json::array readBack(const json::object& request, RangeMemory& memory) {
  json::array out;
  if (!request.contains("read")) return out;
  for (const json::value& item : arrayKey(request, "read")) {
    const json::array& pair = pairOf(item, "read");
    const std::uint64_t address = hexOf(pair[0], "read: address");
    const std::uint64_t length = pair[1].is_int64() && pair[1].get_int64() >= 0
                                     ? static_cast<std::uint64_t>(pair[1].get_int64())
                                     : kMaxRead + 1;
    if (length > kMaxRead) throw BadRequest("read: expected a length from 0 to 16777216");
    const std::uint8_t* const bytes =
        length == 0 ? nullptr
                    : memory.read(AccessKind::Ray, address, static_cast<unsigned>(length));
    if (bytes == nullptr && length != 0)
      throw BadRequest("read: " + common::hexDigits(address, 16) + " is outside of mem");
    std::string text;
    text.reserve(2 * length);
    for (std::uint64_t i = 0; i < length; ++i) text += common::hexDigits(bytes[i], 2);
    out.push_back(json::array{pair[0], json::string(text)});
  }
  return out;
}

}  // namespace

json::object answerOffload(const json::object& request) {
  CapPrecision cap = precisionOf(request);
  RangeMemory memory;
  placeMemory(request, memory);
  JobState state;
  setRegisters(request, state);
  const json::value* const desc = request.if_contains("desc");
  if (desc == nullptr) throw BadRequest("desc: expected a descriptor address");
  Stickies at_submit;
  state.precision = cap.rtPrecision(at_submit);
  Job job(state, hexOf(*desc, "desc"));
  const JobResult& result = job.run(memory);
  cap.retire(at_submit);
  cap.retire(result.stickies);
  json::object answer{{"ticket", 1}, {"ec", result.errorCode}};
  answer["mem"] = readBack(request, memory);
  addStickies(answer, cap);
  answer["events"] = common::hexDigits(result.events, 2);
  answer["rays"] = result.rays;
  answer["tiles"] = result.tiles;
  answer["triangles"] = result.triangles;
  return answer;
}

}  // namespace rtvp::xphmg::batch
