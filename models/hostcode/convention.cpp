#include "models/hostcode/convention.hpp"

#include <algorithm>
#include <array>

namespace rtvp::hostcode {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

namespace {

constexpr std::int32_t kPad = 8;  // bytes

}  // namespace

bool hostHas(std::initializer_list<asmjit::CpuFeatures::X86::Id> features) {
  if (asmjit::Environment::host().arch() != asmjit::Arch::kX64) return false;
  const auto& host = asmjit::CpuInfo::host().features();
  return std::all_of(features.begin(), features.end(), [&](auto id) { return host.has(id); });
}

std::span<const Gp> callersRegisters() {
  static const std::array<Gp, 6> kRegisters{rbx, rbp, r12, r13, r14, r15};
  return kRegisters;
}

/// The return address and an odd number of registers are a multiple of 16 bytes.
Saved::Saved(std::span<const Gp> registers, Inside inside)
    : registers_(registers), pads_(inside == Inside::Calls && registers.size() % 2 == 0) {}

void Saved::enter(Assembler& a) const {
  for (const Gp& r : registers_) a.push(r);
  if (pads_) a.sub(rsp, kPad);
}

void Saved::leave(Assembler& a) const {
  if (pads_) a.add(rsp, kPad);
  for (auto r = registers_.rbegin(); r != registers_.rend(); ++r) a.pop(*r);
}

}  // namespace rtvp::hostcode
