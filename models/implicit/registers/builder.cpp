// See builder.hpp.
#include "models/implicit/registers/builder.hpp"

#include <bit>

#include "models/implicit/registers/allocator.hpp"

namespace rtvp::implicit::registers {

Source Builder::constant(std::span<const float> numbers) {
  std::vector<std::uint32_t> key;
  for (const float number : numbers) key.push_back(std::bit_cast<std::uint32_t>(number));
  const auto [at, fresh] = known_.try_emplace(std::move(key), std::uint16_t{0});
  if (fresh) {
    if (pool_.size() + numbers.size() > kMaxConstants)
      throw ProgramError("found more than " + std::to_string(kMaxConstants) +
                         " different constants, expected fewer");
    at->second = static_cast<std::uint16_t>(pool_.size());
    pool_.insert(pool_.end(), numbers.begin(), numbers.end());
  }
  return {at->second, kNoLink, 0};
}

Source Builder::component(const Source& value, unsigned n) {
  Source part = value;
  if (part.constant()) {
    part.index = static_cast<std::uint16_t>(part.index + n);
  } else {
    part.component = static_cast<std::uint8_t>(part.component + n);
  }
  return part;
}

Source Builder::append(const OpcodeInfo& op, const std::array<Source, 4>& in, std::uint16_t shape) {
  if (clauses_.size() == kMaxClauses)
    throw ProgramError("found more than " + std::to_string(kMaxClauses) +
                       " clauses, expected fewer");
  clauses_.emplace_back(op, in, shape);
  return {0, static_cast<std::uint16_t>(clauses_.size()), 0};
}

Program Builder::finish(const Source& result) {
  return Allocator().compile(clauses_, result,
                             std::make_shared<const std::vector<float>>(std::move(pool_)));
}

}  // namespace rtvp::implicit::registers
