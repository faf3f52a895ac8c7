// Every message id the platform reports through sc_report. Tests assert on these, never on text.
// Convention (style.md S24): /rtvp/<area>/<condition>. The exit status of `platform` follows from
// the area and condition: see exitStatusOf() in platform/exit_status.hpp.
#pragma once

namespace rtvp::report_ids {

// ---- TigerSHARK board
/// A lane's shared access differs from the master's in address, strobe or cycle, or lies outside an
/// epoch.
inline constexpr const char* kLockstep = "/rtvp/tigershark/lockstep";
/// A slave tried to write the shared memory (TS-005).
inline constexpr const char* kSlaveWrite = "/rtvp/tigershark/slave_write";
/// A processor stopped: undefined opcode, bus error, illegal delay slot.
inline constexpr const char* kDspFault = "/rtvp/tigershark/dsp_fault";
/// A lane drives the shared vote line high against the wire-OR.
inline constexpr const char* kContention = "/rtvp/tigershark/contention";
/// A chain word reached a node after the node's own time had passed it, or was lost in the
/// receiver.
inline constexpr const char* kChain = "/rtvp/tigershark/chain";

// ---- a C32 by itself (models/c32/unit)
/// The processor stopped: undefined opcode, bus error, illegal delay slot; or its program cannot be
/// loaded.
inline constexpr const char* kC32Fault = "/rtvp/c32/fault";

// ---- THEIA
/// A core hangs, leaves its memories or never returns, or the host broke the GPU's protocol.
inline constexpr const char* kTheiaFault = "/rtvp/theia/fault";

// ---- XPHMG hart
/// The driver program trapped or ended, which it never should.
inline constexpr const char* kHartFault = "/rtvp/xphmg/hart";

// ---- SL shading unit
/// A request that the unit cannot run: bad surface, program or texture, or a bus error.
inline constexpr const char* kSlFault = "/rtvp/sl/fault";

// ---- implicit-surface unit
/// A job that the unit cannot run: descriptor, object, tape or bus error; or it has halted.
inline constexpr const char* kImplicitFault = "/rtvp/implicit/fault";

// ---- TLM-2.0
/// A non-blocking call with a phase that the base protocol does not have there.
inline constexpr const char* kTlmPhase = "/rtvp/tlm/phase";

// ---- PCI
/// An access no device claimed (master abort), a target abort, or a transfer the device cannot do.
inline constexpr const char* kPciAbort = "/rtvp/pci/abort";

// ---- host and platform
/// The driver met something its device must not do.
inline constexpr const char* kDriver = "/rtvp/host/driver";
/// Nothing can happen any more although work is left.
inline constexpr const char* kDeadlock = "/rtvp/platform/deadlock";
/// A run limit was reached.
inline constexpr const char* kLimit = "/rtvp/platform/limit";

}  // namespace rtvp::report_ids
