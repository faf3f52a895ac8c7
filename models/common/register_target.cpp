// See register_target.hpp.
#include "models/common/register_target.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace rtvp::common {
namespace {

constexpr auto kOk = tlm::TLM_OK_RESPONSE;

/// Where byte `byte` of a register lies in its value.
constexpr unsigned shiftOf(std::uint64_t byte) {
  return static_cast<unsigned>(8 * byte);
}

// Four bytes at once, as nearly all accesses are: compilers make one load or store of it.
std::uint32_t loadWord(const unsigned char* p) {
  return p[0] | static_cast<std::uint32_t>(p[1]) << 8 | static_cast<std::uint32_t>(p[2]) << 16 |
         static_cast<std::uint32_t>(p[3]) << 24;
}
void storeWord(unsigned char* p, std::uint64_t word) {
  p[0] = static_cast<unsigned char>(word);
  p[1] = static_cast<unsigned char>(word >> 8);
  p[2] = static_cast<unsigned char>(word >> 16);
  p[3] = static_cast<unsigned char>(word >> 24);
}

}  // namespace

RegisterTarget::RegisterTarget(const RegisterBlock& block, RegisterBehaviour& behaviour)
    : block_(block), behaviour_(behaviour), decoder_(block.table) {
  const bool fits =
      block.table.empty() || block.table.back().offset + block.table.back().width <= block.bytes;
  if (!fits) throw std::invalid_argument("register block is shorter than its table");
  if (!std::has_single_bit(block.smallest) || !std::has_single_bit(block.largest) ||
      block.smallest > block.largest)
    throw std::invalid_argument("register block has odd access sizes");
}

RegisterTarget::Bytes RegisterTarget::bytesOf(const tlm::tlm_generic_payload& payload,
                                              std::uint64_t base) {
  // An address below the base wraps to one that no block reaches.
  return {payload.get_address() - base, payload.get_data_length(), payload.get_data_ptr(),
          payload.get_byte_enable_ptr(), std::max(1U, payload.get_byte_enable_length())};
}

tlm::tlm_response_status RegisterTarget::refusal(const tlm::tlm_generic_payload& payload,
                                                 const Bytes& bytes) const {
  const std::uint64_t count = bytes.count;
  if (count == 0 || payload.get_streaming_width() < count) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (bytes.enables != nullptr && payload.get_byte_enable_length() == 0)
    return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const bool sized = block_.smallest > 1;
  if (sized) {
    for (std::uint64_t i = 0; i < count; ++i)
      if (!bytes.enabled(i)) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    if (count < block_.smallest || count > block_.largest || !std::has_single_bit(count))
      return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  if (!inside(bytes.offset, count) || (sized && bytes.offset % count != 0))
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  return kOk;
}

/// Four bytes of a register from its byte `first`, all enabled: nearly all accesses.
inline bool RegisterTarget::actOnWord(std::size_t row, std::uint64_t first, unsigned char* data,
                                      bool write) {
  const std::uint64_t mask = std::uint64_t{0xFFFF'FFFF} << shiftOf(first);
  if (write)
    return behaviour_.writeRegister(row, std::uint64_t{loadWord(data)} << shiftOf(first), mask);
  const std::optional<std::uint64_t> read = behaviour_.readRegister(row, mask);
  if (read) storeWord(data, *read >> shiftOf(first));
  return read.has_value();
}

/// The `count` bytes from `from`, all of one register.
bool RegisterTarget::actOnBytes(std::size_t row, const Bytes& bytes, std::uint64_t from,
                                std::uint64_t count, bool write) {
  const std::uint64_t first = bytes.offset + from - block_.table[row].offset;
  unsigned char* const data = bytes.data + from;
  std::uint64_t mask = 0, value = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!bytes.enabled(from + i)) continue;
    mask |= std::uint64_t{0xFF} << shiftOf(first + i);
    value |= std::uint64_t{data[i]} << shiftOf(first + i);
  }
  if (mask == 0) return true;
  if (write) return behaviour_.writeRegister(row, value, mask);
  const std::optional<std::uint64_t> read = behaviour_.readRegister(row, mask);
  if (!read) return false;
  for (std::uint64_t i = 0; i < count; ++i)
    if (bytes.enabled(from + i)) data[i] = static_cast<unsigned char>(*read >> shiftOf(first + i));
  return true;
}

bool RegisterTarget::act(const Bytes& bytes, bool write) {
  for (std::uint64_t at = 0; at < bytes.count;) {
    const std::uint64_t offset = bytes.offset + at;
    const std::size_t row = decoder_.find(offset);
    if (row == RegisterDecoder::kNone) {
      if (!write && bytes.enabled(at)) bytes.data[at] = 0;
      ++at;
      continue;
    }
    const RegisterDescriptor& reg = block_.table[row];
    const std::uint64_t count = std::min(bytes.count - at, reg.offset + reg.width - offset);
    const bool word = count == 4 && bytes.enables == nullptr;
    const bool acted = word ? actOnWord(row, offset - reg.offset, bytes.data + at, write)
                            : actOnBytes(row, bytes, at, count, write);
    if (!acted) return false;
    at += count;
  }
  return true;
}

tlm::tlm_response_status RegisterTarget::access(const tlm::tlm_generic_payload& payload,
                                                std::uint64_t base) {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return kOk;
  const Bytes bytes = bytesOf(payload, base);
  const tlm::tlm_response_status refused = refusal(payload, bytes);
  if (refused != kOk) return refused;
  return act(bytes, payload.is_write()) ? kOk : tlm::TLM_GENERIC_ERROR_RESPONSE;
}

tlm::tlm_response_status RegisterTarget::accessDword(const tlm::tlm_generic_payload& payload,
                                                     std::uint64_t base) {
  Bytes bytes = bytesOf(payload, base);
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND || bytes.count == 0) return kOk;
  bytes.count = std::min<std::uint64_t>(bytes.count, 4 - bytes.offset % 4);
  if (!inside(bytes.offset, bytes.count)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  return act(bytes, payload.is_write()) ? kOk : tlm::TLM_GENERIC_ERROR_RESPONSE;
}

unsigned RegisterTarget::debug(const tlm::tlm_generic_payload& payload, std::uint64_t base) {
  const Bytes bytes = bytesOf(payload, base);
  if (!payload.is_read() || !inside(bytes.offset, bytes.count)) return 0;
  for (std::uint64_t at = 0; at < bytes.count; ++at) {
    const std::size_t row = decoder_.find(bytes.offset + at);
    const bool hole = row == RegisterDecoder::kNone;
    const std::uint64_t value = hole ? 0 : behaviour_.peekRegister(row);
    const std::uint64_t byte = hole ? 0 : bytes.offset + at - block_.table[row].offset;
    bytes.data[at] = static_cast<unsigned char>(value >> shiftOf(byte));
  }
  return static_cast<unsigned>(bytes.count);
}

}  // namespace rtvp::common
