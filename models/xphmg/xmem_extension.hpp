// What rides on every transaction of an XPHMG_RT unit: its XMEM tags, what the access is for and
// whose it is. A bus monitor reads it; no target needs it.
#pragma once

#include <cstdint>
#include <tlm>

#include "models/xphmg/memory_port.hpp"
#include "models/xphmg/xmem.hpp"

namespace rtvp::xphmg {

/// Owned by the unit; not for keeping beyond the transaction.
struct XmemExtension : tlm::tlm_extension<XmemExtension> {
  XmemTags tags;
  AccessKind kind = AccessKind::Tile;
  bool lineFill = false;     ///< LMEM reads a whole line for this access
  std::uint64_t ticket = 0;  ///< of the job; 0: an inline instruction
  unsigned unit = 0;

  tlm::tlm_extension_base* clone() const override { return new XmemExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const XmemExtension&>(other);
  }
};

}  // namespace rtvp::xphmg
