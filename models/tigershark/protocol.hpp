// Everything host driver, firmware and board must agree on: SRAM layout, database records, chain
// messages and the PLD's register map (pld_registers.hpp). Source: board.md 2.3 and 4.5, design.md
// section 10. The assembler's view of these constants (firmware/tigershark/protocol.inc) is
// generated from kFirmwareConstants, so there is one source of truth.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "models/tigershark/pld_registers.hpp"

namespace rtvp::tigershark {

// ---- SRAM, word addresses -----------------------------------------------------------------------
inline constexpr std::uint32_t kResetVector = 0x000000;  ///< address of the boot code
inline constexpr std::uint32_t kParamDatabase =
    0x000001;  ///< word address of the first record of the page
inline constexpr std::uint32_t kParamNodes = 0x000002;  ///< DSPs on the board, as the host believes
inline constexpr std::uint32_t kMasterMark =
    0x000003;  ///< node 0 writes kMasterMarkValue here (TS-022)
inline constexpr std::uint32_t kMasterMarkValue = 0x5A5A0000;
inline constexpr std::uint32_t kFirmwareBase =
    0x000040;  ///< firmware image; the page area follows it
inline constexpr std::uint32_t kDefaultSramWords = 128 * 1024;

// ---- database records
// ------------------------------------------------------------------------------------------ Floats
// are TI single words. A page is a preorder walk of a tree of boxes, ending in a terminator. The
// first word of a record is its header: bits 31:30 the type, bits 29:0 the element number (0 for
// boxes and the terminator).
enum class RecordType : std::uint32_t { Triangle = 0, Sphere = 1, Box = 2, End = 3 };
inline constexpr int kRecordTypeShift = 30;
inline constexpr std::uint32_t kElementMask = 0x3FFFFFFF;
/// header, v1 (x y z), e1 = v2 - v1, e2 = v3 - v1
inline constexpr std::uint32_t kTriangleWords = 10;
/// header, centre (x y z), radius squared
inline constexpr std::uint32_t kSphereWords = 5;
/// header, lo.x hi.x lo.y hi.y lo.z hi.z, skip link (word address of the record after the box's
/// contents)
inline constexpr std::uint32_t kBoxWords = 8;
/// The word behind a terminator is read and ignored: it must be populated memory.
inline constexpr std::uint32_t kEndWords = 1;

// ---- chain messages (board.md 2.3) --------------------------------------------------------------
enum class Message : std::uint32_t {
  Token = 1,      ///< payload: next free id
  Ray = 2,        ///< payload: P, D, tmax (7 words)
  Result = 3,     ///< payload: t, element (all ones = none)
  Go = 4,         ///< no payload; to all
  End = 5,        ///< no payload; to all: stop for good
  Reset = 6,      ///< no payload; to all: forget the node id and wait for a token
  ShadowRay = 7,  ///< as Ray; any hit with t < tmax will do
  Point = 8,      ///< shading firmware: start values of the program's registers
};
inline constexpr int kMessageTypeShift = 28;
inline constexpr int kMessageNodeShift = 16;
inline constexpr std::uint32_t kAllNodes = 0xFFF;
inline constexpr std::uint32_t kRayWords = 8;     ///< header included
inline constexpr std::uint32_t kResultWords = 3;  ///< header included
/// Shading firmware's Result: header, v0 (x y z), then bit 31 = stopped at the budget, bits 30:0
/// the run's length in units of two H1 cycles.
inline constexpr std::uint32_t kColourWords = 5;
inline constexpr std::uint32_t kColourOverBudget = 0x80000000;
inline constexpr std::uint32_t kNoHit = 0xFFFFFFFF;

constexpr std::uint32_t messageHeader(Message type, std::uint32_t node, std::uint32_t sequence) {
  return static_cast<std::uint32_t>(type) << kMessageTypeShift |
         (node & 0xFFF) << kMessageNodeShift | (sequence & 0xFFFF);
}

// ---- the assembler's view -----------------------------------------------------------------------
struct FirmwareConstant {
  std::string_view name;
  std::uint32_t value;
  std::string_view comment;
};
inline constexpr std::array kFirmwareConstants = {
    FirmwareConstant{"PARAM_DATABASE", kParamDatabase,
                     "SRAM word: address of the page's first record"},
    FirmwareConstant{"PARAM_NODES", kParamNodes, "SRAM word: number of nodes"},
    FirmwareConstant{"MASTER_MARK", kMasterMark, "SRAM word that node 0 writes"},
    FirmwareConstant{"MASTER_MARK_HI", kMasterMarkValue >> 16,
                     "upper half of the mark; lower half is 0"},
    FirmwareConstant{"FIRMWARE_BASE", kFirmwareBase, "load address of the image"},
    FirmwareConstant{"REC_TYPE_SHIFT", kRecordTypeShift, "header >> this = record type"},
    FirmwareConstant{"REC_TRIANGLE", 0, "record types"},
    FirmwareConstant{"REC_SPHERE", 1, ""},
    FirmwareConstant{"REC_BOX", 2, ""},
    FirmwareConstant{"REC_END", 3, ""},
    FirmwareConstant{"TRIANGLE_WORDS", kTriangleWords, "words a record, header included"},
    FirmwareConstant{"SPHERE_WORDS", kSphereWords, ""},
    FirmwareConstant{"BOX_WORDS", kBoxWords, ""},
    FirmwareConstant{"MSG_TYPE_SHIFT", kMessageTypeShift, "header >> this = message type"},
    FirmwareConstant{"MSG_NODE_SHIFT", kMessageNodeShift, "header >> this & 0FFFh = node"},
    FirmwareConstant{"MSG_TOKEN", 1, "message types"},
    FirmwareConstant{"MSG_RAY", 2, ""},
    FirmwareConstant{"MSG_RESULT", 3, ""},
    FirmwareConstant{"MSG_GO", 4, ""},
    FirmwareConstant{"MSG_END", 5, ""},
    FirmwareConstant{"MSG_RESET", 6, ""},
    FirmwareConstant{"MSG_SHADOW", 7, ""},
    FirmwareConstant{"MSG_POINT", 8, ""},
    FirmwareConstant{"RAY_WORDS", kRayWords, "words a message, header included"},
    FirmwareConstant{"RESULT_WORDS", kResultWords, ""},
    FirmwareConstant{"COLOUR_WORDS", kColourWords, "result of the shading firmware"},
};

}  // namespace rtvp::tigershark
