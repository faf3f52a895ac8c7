// XPHMG on the hart: RT.BBOX and RT.TRI, lane replication (RSV), predicates (PMASK), the submit and
// fence instructions, and all CSRs of the family (xphmg.md 6, 8, 9.5, 10, 16.3). Plain C++; the RT
// unit it works with is behind HartUnit.
//
// Decided here, where the text is silent: a trap ends replication (SVSTATE.EN := 0), so that a
// handler's own instructions run once; SVFAULTI keeps the lane. While replication is on, no
// interrupt is taken: an interrupt between a prefix and its instruction would replicate the
// handler.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "models/xphmg/csr_file.hpp"
#include "models/xphmg/hart/hart.hpp"
#include "models/xphmg/inline_op.hpp"
#include "models/xphmg/memory_port.hpp"

namespace rtvp::xphmg {

/// The RT unit that a hart's instructions reach (unit 0): its registers by CSR number, its queue,
/// and memory as inline operations see it.
class HartUnit {
 public:
  virtual ~HartUnit() = default;
  /// CSR numbers of the unit (0x7C0-0x7F7, 0x8A0-0x8AB), with the side effects of a page access.
  virtual std::uint64_t readCsr(unsigned number) = 0;
  virtual void writeCsr(unsigned number, std::uint64_t value) = 0;
  /// The registers behind them, for what inline operations sample and leave.
  virtual CsrFile& csrs() = 0;
  /// XSUBMIT.RT: the new ticket; 0: refused, LAST_EC is set. `stall`: cycles the hart is held, also
  /// by a full queue.
  virtual std::uint64_t submit(std::uint64_t descriptor, std::uint64_t& stall) = 0;
  [[nodiscard]] virtual std::uint64_t lastTicket() const = 0;
  [[nodiscard]] virtual std::uint64_t doneTicket() const = 0;
  /// XFENCE.SIGNAL: posts the token once everything submitted so far has completed.
  virtual void signalToken(unsigned token) = 0;
  /// XFENCE.WAIT on a token: consumes one post. False: there is none yet.
  virtual bool consumeToken(unsigned token) = 0;
  /// Memory of one inline operation: charged, tagged and visible like the unit's own accesses.
  virtual MemoryPort& beginInline() = 0;
  /// Cycles that the accesses and tests since beginInline() took.
  virtual std::uint64_t endInline() = 0;
};

struct ExtensionOptions {
  unsigned mask_banks = 4;  ///< PMASK banks, 1 to 4; bank 0 is always all ones
  bool replication = true;  ///< RSV is built; otherwise its prefixes and CSRs trap
};

class HartExtension final : public rv64::VendorExtension {
 public:
  HartExtension(HartUnit& unit, ExtensionOptions options) : unit_(unit), options_(options) {}

  void reset();
  /// For checkpoints, between two instructions.
  void state(common::StateArchive& a);

  [[nodiscard]] bool ownsCsr(unsigned number) const override;
  std::optional<std::uint64_t> readCsr(rv64::Hart& hart, unsigned number) override;
  bool writeCsr(rv64::Hart& hart, unsigned number, std::uint64_t value) override;
  void execute(rv64::Hart& hart, const rv64::Decoded& instruction) override;
  bool intercept(rv64::Hart& hart, const rv64::Decoded& instruction) override;
  void trapped(rv64::Hart& hart) override;
  [[nodiscard]] std::string disassemble(std::uint32_t word) const override;

  /// Predicate bank contents; bank 0 reads all ones.
  [[nodiscard]] std::uint32_t bank(unsigned number) const {
    return number == 0 ? ~std::uint32_t{0} : banks_[number & 3U];
  }
  [[nodiscard]] bool p0() const { return p0_; }

  static constexpr unsigned kMaxLanes = 32;  ///< VLMAX (16.3)

 private:
  /// SVSTATE taken apart.
  struct Replication {
    bool on = false;
    bool one_shot = false;
    unsigned lanes = 1;
    unsigned block = 0;
    unsigned bank = 0;
  };
  /// SVSRCA, SVSRCB, SVDST: register number of lane 0 and the step to the next lane's.
  struct Stepping {
    unsigned base = 0;
    unsigned code = 0;
    [[nodiscard]] unsigned step() const { return code == 3 ? 4 : code; }
    [[nodiscard]] unsigned at(unsigned lane) const { return base + lane * step(); }
  };
  struct RtInstruction {
    RtOp op;
    std::uint32_t imm;
    unsigned registers;  ///< of the result group
    InlineState state;
  };

  void illegal(rv64::Hart& hart, const rv64::Decoded& d, unsigned error_code);
  void executeRt(rv64::Hart& hart, const rv64::Decoded& d, RtOp op);
  bool runLane(rv64::Hart& hart, const rv64::Decoded& d, const RtInstruction& rt, unsigned lane,
               unsigned rs1, unsigned rd);
  bool laneFaults(rv64::Hart& hart, const rv64::Decoded& d, const RtInstruction& rt,
                  const InlineResult& result, unsigned lane);
  void zeroGroup(rv64::Hart& hart, unsigned rd, unsigned registers) const;
  void prefix(rv64::Hart& hart, const rv64::Decoded& d, unsigned funct3, std::uint32_t imm);
  void setVectorLength(rv64::Hart& hart, const rv64::Decoded& d, std::uint32_t imm);
  void vectorStep(rv64::Hart& hart, const rv64::Decoded& d, std::uint32_t imm);
  void custom3(rv64::Hart& hart, const rv64::Decoded& d);
  void submit(rv64::Hart& hart, const rv64::Decoded& d, std::uint32_t imm);
  void wait(rv64::Hart& hart, const rv64::Decoded& d, std::uint32_t imm);
  void signal(rv64::Hart& hart, const rv64::Decoded& d, std::uint32_t imm);
  void pipe(rv64::Hart& hart, const rv64::Decoded& d, std::uint32_t imm);
  void mask(rv64::Hart& hart, const rv64::Decoded& d, std::uint32_t imm);
  void replicate(rv64::Hart& hart, const rv64::Decoded& d);
  [[nodiscard]] bool legalLanes(const rv64::Decoded& d, unsigned registers, bool is_rt) const;
  void affectedDone(rv64::Hart& hart);
  void updateIntercept(rv64::Hart& hart) const;
  [[nodiscard]] bool lanePredicate(unsigned lane) const {
    return ((bank(replication_.bank) >> lane) & 1U) != 0;
  }
  [[nodiscard]] bool zeroing() const;
  [[nodiscard]] std::uint64_t svstate() const;
  void setSvstate(std::uint64_t value);

  HartUnit& unit_;
  ExtensionOptions options_;
  Replication replication_;
  Stepping source_a_, source_b_, destination_;
  std::uint64_t fault_lane_ = 0;
  std::array<std::uint32_t, 4> banks_{};
  bool p0_ = false;
  std::optional<FpControl> fp_control_;  ///< of the next instruction
};

}  // namespace rtvp::xphmg
