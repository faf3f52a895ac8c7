// The S5933's three register blocks as RegisterTarget sees them. What they do is in S5933Core.
#pragma once

#include "models/common/register_target.hpp"
#include "models/tigershark/s5933_core.hpp"

namespace rtvp::tigershark::s5933 {

/// PCI configuration space.
class ConfigBlock final : public common::RegisterBehaviour {
 public:
  explicit ConfigBlock(S5933Core& core) : core_(core) {}
  std::uint64_t peekRegister(std::size_t row) override {
    return core_.configRead(kConfigRegisters[row].offset);
  }
  bool writeRegister(std::size_t row, std::uint64_t value, std::uint64_t bytes) override {
    core_.configWrite(kConfigRegisters[row].offset, static_cast<std::uint32_t>(value),
                      static_cast<std::uint32_t>(bytes));
    return true;
  }

 private:
  S5933Core& core_;
};

/// Operation registers from the PCI side. A refusal is a retry on the bus.
class PciBlock final : public common::RegisterBehaviour {
 public:
  explicit PciBlock(S5933Core& core) : core_(core) {}
  std::uint64_t peekRegister(std::size_t row) override {
    return core_.pciPeek(kPciRegisters[row].offset);
  }
  std::optional<std::uint64_t> readRegister(std::size_t row, std::uint64_t bytes) override {
    return core_.pciRead(kPciRegisters[row].offset, static_cast<std::uint32_t>(bytes));
  }
  bool writeRegister(std::size_t row, std::uint64_t value, std::uint64_t bytes) override {
    return core_.pciWrite(kPciRegisters[row].offset, static_cast<std::uint32_t>(value),
                          static_cast<std::uint32_t>(bytes));
  }

 private:
  S5933Core& core_;
};

/// Operation registers from the add-on side.
class AddonBlock final : public common::RegisterBehaviour {
 public:
  explicit AddonBlock(S5933Core& core) : core_(core) {}
  std::uint64_t peekRegister(std::size_t row) override {
    return core_.addonPeek(kAddonRegisters[row].offset);
  }
  std::optional<std::uint64_t> readRegister(std::size_t row, std::uint64_t bytes) override {
    std::uint32_t value = 0;
    core_.addonRead(kAddonRegisters[row].offset, static_cast<std::uint32_t>(bytes), value);
    return value;
  }
  bool writeRegister(std::size_t row, std::uint64_t value, std::uint64_t bytes) override {
    return core_.addonWrite(kAddonRegisters[row].offset, static_cast<std::uint32_t>(value),
                            static_cast<std::uint32_t>(bytes));
  }

 private:
  S5933Core& core_;
};

}  // namespace rtvp::tigershark::s5933
