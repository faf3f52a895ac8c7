// System instructions, CSR accesses, fences, and what belongs to the vendor.
#include "models/xphmg/hart/execute.hpp"

namespace rtvp::rv64 {

void Execute::illegal(Hart& h, const Decoded& d) {
  h.trap(Cause::IllegalInstruction, d.word);
}

/// kKind: 1 write, 2 set, 3 clear. Set and clear with x0 or 0 do not write; write with rd = x0 does
/// not read.
template <unsigned kKind, bool kImmediate>
void Execute::csr(Hart& h, const Decoded& d) {
  const auto number = static_cast<unsigned>(d.imm);
  const std::uint64_t operand = kImmediate ? d.rs1 : h.x_[d.rs1];
  const bool reads = kKind != 1 || d.rd != 0;
  const bool writes = kKind == 1 || d.rs1 != 0;
  std::uint64_t old = 0;
  if (reads) {
    const std::optional<std::uint64_t> value = h.readCsr(number);
    if (!value) return illegal(h, d);
    old = *value;
  }
  if (writes) {
    const std::uint64_t value = kKind == 1 ? operand : kKind == 2 ? old | operand : old & ~operand;
    if (!h.writeCsr(number, value)) return illegal(h, d);
  }
  set(h, d.rd, reads ? old : h.x_[d.rd]);
}

void Execute::vendor(Hart& h, const Decoded& d) {
  if (h.extension_ == nullptr) return illegal(h, d);
  const Decoded instruction = d;  // a store of the extension may forget decoded instructions
  const Hart::OutsideCall outside(h);
  h.extension_->execute(h, instruction);
}

Execute::Handler Execute::system(Op op) {
  constexpr std::uint64_t kMIE = 1U << 3U;
  constexpr std::uint64_t kMPIE = 1U << 7U;
  switch (op) {
    case Op::FENCE:
      return [](Hart&, const Decoded&) {};
    case Op::FENCE_I:
      return [](Hart& h, const Decoded&) { h.flushDecoded(); };
    case Op::ECALL:
      return [](Hart& h, const Decoded&) { h.trap(Cause::EcallFromM, 0); };
    case Op::EBREAK:
      return [](Hart& h, const Decoded&) { h.trap(Cause::Breakpoint, h.pc_); };
    case Op::MRET:
      return [](Hart& h, const Decoded&) {
        const bool enabled = (h.mstatus_ & kMPIE) != 0;
        h.mstatus_ = (h.mstatus_ & ~kMIE) | kMPIE | (enabled ? kMIE : 0);
        h.next_ = h.mepc_;
        h.attention();
      };
    case Op::WFI:
      return [](Hart& h, const Decoded&) {
        h.waiting_ = true;
        h.attention();
      };
    case Op::CSRRW:
      return &csr<1, false>;
    case Op::CSRRS:
      return &csr<2, false>;
    case Op::CSRRC:
      return &csr<3, false>;
    case Op::CSRRWI:
      return &csr<1, true>;
    case Op::CSRRSI:
      return &csr<2, true>;
    case Op::CSRRCI:
      return &csr<3, true>;
    case Op::CUSTOM_0:
    case Op::CUSTOM_3:
      return &vendor;
    default:
      return nullptr;
  }
}

Execute::Handler Execute::find(Op op) {
  for (const auto group :
       {&integer, &multiply, &memory, &atomic, &floating, &floatingConversion, &system}) {
    if (const Handler handler = group(op)) return handler;
  }
  return &illegal;
}

}  // namespace rtvp::rv64
