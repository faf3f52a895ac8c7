// The TMS320C32 instruction set as data types: operations, registers, conditions, operand kinds and
// the decoded form of an instruction word. The table itself is isa_table.hpp; decoder, encoder,
// disassembler, assembler, manual and processor models all read it from there. Source of every
// fact: TMS320C3x reference (c32.md) section 4 to 6.
#pragma once

#include <cstdint>
#include <string_view>

namespace rtvp::c32 {

inline constexpr std::uint32_t kAddressMask = 0xFFFFFF;

/// One name per row of kInstructions. Parallel pairs are FIRST_SECOND in the order of c32.md 4.4.5
/// and 4.4.6.
enum class Op : std::uint8_t {
  // general, 4.4.1
  ABSF,
  ABSI,
  ADDC,
  ADDF,
  ADDI,
  AND,
  ANDN,
  ASH,
  CMPF,
  CMPI,
  FIX,
  FLOAT,
  IDLE,
  IDLE2,
  LDE,
  LDF,
  LDFI,
  LDI,
  LDII,
  LDM,
  LSH,
  MPYF,
  MPYI,
  NEGB,
  NEGF,
  NEGI,
  NOP,
  NORM,
  NOT,
  POP,
  POPF,
  PUSH,
  PUSHF,
  OR,
  MAXSPEED,
  LOPOWER,
  RND,
  ROL,
  ROLC,
  ROR,
  RORC,
  RPTS,
  STF,
  STFI,
  STI,
  STII,
  SIGI,
  SUBB,
  SUBC,
  SUBF,
  SUBI,
  SUBRB,
  SUBRF,
  SUBRI,
  TSTB,
  XOR,
  IACK,
  // three-operand, 4.4.2
  ADDC3,
  ADDF3,
  ADDI3,
  AND3,
  ANDN3,
  ASH3,
  CMPF3,
  CMPI3,
  LSH3,
  MPYF3,
  MPYI3,
  OR3,
  SUBB3,
  SUBF3,
  SUBI3,
  TSTB3,
  XOR3,
  // conditional loads, 4.4.3
  LDFcond,
  LDIcond,
  // program control, 4.4.4
  BR,
  BRD,
  CALL,
  RPTB,
  SWI,
  Bcond,
  BcondD,
  DBcond,
  DBcondD,
  CALLcond,
  TRAPcond,
  RETIcond,
  RETScond,
  // multiply with add or subtract, 4.4.5
  MPYF3_ADDF3,
  MPYF3_SUBF3,
  MPYI3_ADDI3,
  MPYI3_SUBI3,
  // with store, load-load, store-store, 4.4.6
  STF_STF,
  STI_STI,
  LDF_LDF,
  LDI_LDI,
  ABSF_STF,
  ABSI_STI,
  ADDF3_STF,
  ADDI3_STI,
  AND3_STI,
  ASH3_STI,
  FIX_STI,
  FLOAT_STF,
  LDF_STF,
  LDI_STI,
  LSH3_STI,
  MPYF3_STF,
  MPYI3_STI,
  NEGF_STF,
  NEGI_STI,
  NOT_STI,
  OR3_STI,
  SUBF3_STF,
  SUBI3_STI,
  XOR3_STI,
  kCount,
};

/// Register numbers of c32.md 1.1: the 5-bit code in every register field.
namespace reg {
enum : std::uint8_t {
  R0,
  R1,
  R2,
  R3,
  R4,
  R5,
  R6,
  R7,
  AR0,
  AR1,
  AR2,
  AR3,
  AR4,
  AR5,
  AR6,
  AR7,
  DP,
  IR0,
  IR1,
  BK,
  SP,
  ST,
  IE,
  IF,
  IOF,
  RS,
  RE,
  RC,
  kCount,
};
}  // namespace reg

/// Condition codes of c32.md section 5; 0x0B and 0x15 up are undefined.
enum class Cond : std::uint8_t {
  U = 0x00,
  LO = 0x01,
  LS = 0x02,
  HI = 0x03,
  HS = 0x04,
  EQ = 0x05,
  NE = 0x06,
  LT = 0x07,
  LE = 0x08,
  GT = 0x09,
  GE = 0x0A,
  NV = 0x0C,
  V = 0x0D,
  NUF = 0x0E,
  UF = 0x0F,
  NLV = 0x10,
  LV = 0x11,
  NLUF = 0x12,
  LUF = 0x13,
  ZUF = 0x14,
};

/// How the fields of a word are laid out and how its operands are written.
enum class Format : std::uint8_t {
  General,       ///< base | G<<21 | dst<<16 | src              OP src,dst
  Store,         ///< same fields, register stored to memory     OP src,dst
  Rotate,        ///< base | dst<<16                             OP dst
  Stack,         ///< base | register<<16                        OP register
  Whole,         ///< no field                                   OP
  Nop,           ///< base | G<<21 | src, register 0 if absent   OP [src]
  Source,        ///< base | G<<21 | src                         OP src
  Three,         ///< base | T<<21 | dst<<16 | src1<<8 | src2    OP src2,src1,dst
  ThreeCompare,  ///< base | T<<21 | src1<<8 | src2              OP src2,src1
  CondLoad,      ///< base | cond<<23 | G<<21 | dst<<16 | src    OPcond src,dst
  Absolute,      ///< base | 24-bit address                      OP addr
  Branch,        ///< base | r<<25 | cond<<16 | reg or rel       OPcond reg|label
  DecBranch,     ///< base | r<<25 | n<<22 | cond<<16 | reg/rel  OPcond ARn,reg|label
  Trap,          ///< base | cond<<16 | N                        OPcond N
  Return,        ///< base | cond<<16                            OPcond
  MultiplyAdd,   ///< base | P<<24 | d1<<23 | d2<<22 | src1<<19 | src2<<16 | src3<<8 | src4
  Op2Store,      ///< base | dst1<<22 | src3<<16 | dst2<<8 | src2
  Op3Store,      ///< base | dst1<<22 | src1<<19 | src3<<16 | dst2<<8 | src2
  LoadLoad,      ///< base | dst2<<22 | dst1<<19 | src1<<8 | src2
  StoreStore,    ///< base | src2<<22 | src1<<16 | dst1<<8 | dst2
};

/// Type of the 16-bit immediate (c32.md 6.4): the instruction decides, not the spelling of the
/// constant.
enum class Immediate : std::uint8_t { None, Signed, Unsigned, Float };

/// Which registers an operand may name.
enum class RegClass : std::uint8_t {
  None,
  Extended,  ///< R0-R7 only (float)
  Any,       ///< any register 0-27
};

/// Flag-effect classes of c32.md 4.3. They apply when the destination is R0-R7; to *Always classes
/// in any case.
enum class Flags : std::uint8_t {
  NONE,
  IA,
  IM,
  LOG,
  LSHF,
  ASHF,
  ROT,
  FA,
  FAB,
  FLT,
  NRM,
  RND,
  LD,
  PMA
};

/// Source modes a general form allows, G field order (bit n of the mask = G value n).
namespace mode {
inline constexpr std::uint8_t kRegister = 1, kDirect = 2, kIndirect = 4, kImmediate = 8;
inline constexpr std::uint8_t kMemory = kDirect | kIndirect, kNoImmediate = kRegister | kMemory;
inline constexpr std::uint8_t kAll = kNoImmediate | kImmediate;
}  // namespace mode

/// One row of the instruction table.
struct OpInfo {
  Op op = Op::kCount;
  std::string_view
      mnemonic;  ///< upper case; conditional ones without the condition; "MPYF3||ADDF3" for pairs
  std::uint32_t base = 0;  ///< the word with all variable fields zero
  std::uint32_t mask = 0;  ///< bits that must equal base
  Format format = Format::Whole;
  Immediate immediate = Immediate::None;
  std::uint8_t modes = 0;  ///< mode:: bits a general form allows
  RegClass source =
      RegClass::None;  ///< register class of source operands (for a store: the register stored)
  RegClass destination = RegClass::None;  ///< register class of the destination register
  Flags flags = Flags::NONE;
  bool flagsAlways = false;  ///< compares and TSTB: flags change whatever the register
  std::uint8_t cycles = 1;   ///< H1 cycles without conflicts or wait states (taken branch)
  bool writesRegister =
      false;             ///< the instruction's register field is a destination that is written
  bool control = false;  ///< forbidden in the three delay slots and as last word of a repeat block
  bool delayed = false;  ///< three delay slots follow
  bool conditional = false;  ///< mnemonic takes a condition
  bool interlocked = false;
  bool registerFirst =
      false;  ///< Op3Store: the first written operand is src1, the register (SUBx3, ASH3, LSH3)
  Op first = Op::kCount;  ///< halves of a parallel pair
  Op second = Op::kCount;
  std::string_view operation{};  ///< one line, for the manual
};

/// Where an operand sits in the word; decides which of two updates of the same ARn remains
/// (c32.md 4.4.2, 4.4.6).
enum class Field : std::uint8_t { None, Low /* bits 7-0 or 15-0 */, High /* bits 15-8 */ };

struct Operand {
  enum class Kind : std::uint8_t {
    None,
    Register,   ///< number
    Direct,     ///< value = 16-bit offset in page DP
    Indirect,   ///< number = n of ARn (0-7), mode (5 bits), value = displacement
    Immediate,  ///< value; signed ones sign-extended, unsigned zero-extended, floats the 16-bit
                ///< pattern; TRAP's N
    Absolute,   ///< value = 24-bit address
    Relative,   ///< value = signed 16-bit displacement, sign-extended
  };
  Kind kind = Kind::None;
  Field field = Field::None;
  std::uint8_t number = 0;
  std::uint8_t mode = 0;
  std::uint32_t value = 0;

  friend bool operator==(const Operand&, const Operand&) = default;
};

/// The 5-bit indirect mode (c32.md 6.2) taken apart.
struct IndirectMode {
  enum class Index : std::uint8_t { Displacement, Ir0, Ir1, None };
  Index index = Index::None;
  bool subtract = false;     ///< step is negative
  bool useModified = false;  ///< the address is ARn +- step; otherwise ARn
  bool update = false;       ///< ARn receives ARn +- step
  bool circular = false;
  bool bitReversed = false;
};
inline constexpr std::uint8_t kModePlain = 0x18;        ///< *ARn
inline constexpr std::uint8_t kModeBitReversed = 0x19;  ///< *ARn++(IR0)B

constexpr IndirectMode indirectMode(std::uint8_t mode) {
  IndirectMode m;
  if (mode == kModePlain) return m;
  if (mode == kModeBitReversed) {
    m.index = IndirectMode::Index::Ir0;
    m.update = m.bitReversed = true;
    return m;
  }
  m.index = static_cast<IndirectMode::Index>(mode >> 3);
  const int low = mode & 7;
  m.subtract = (low & 1) != 0;
  m.useModified = low < 4;
  m.update = low >= 2;
  m.circular = low >= 6;
  return m;
}

/// A decoded word. Operands are in written order, so that for every two-source operation the result
/// is `b OP a` ("SUBI3 a,b,dst" = b - a, "ASH3 a,b,dst" = b shifted by a), also inside parallel
/// pairs.
///
/// | format            | a                      | b         | reg              | c         | d |
/// reg2          | | General, CondLoad | src                    |           | destination      | |
/// |               | | Store             | memory destination     |           | register stored  |
/// |           |               | | Rotate, Stack     |                        |           | the
/// register     |           |           |               | | Nop, Source       | src |           |
/// RPTS: RC         |           |           |               | | Three(Compare)    | src2 | src1 |
/// destination      |           |           |               | | Absolute, Trap    | Absolute /
/// Immediate   |           |                  |           |           |               | | Branch |
/// Register or Relative   |           |                  |           |           |               |
/// | DecBranch         | Register or Relative   |           | AR0-AR7 (8-15)   |           | | | |
/// MultiplyAdd       | factor                 | factor    | R0 or R1         | add/sub 1 | add/sub
/// 2 | R2 or R3      | | Op2Store          | src                    |           | destination |
/// memory    |           | stored        | | Op3Store          | first written          | second |
/// destination      | memory    |           | stored        | | LoadLoad          | first load's
/// src       |           | its destination  | second    |           | its dest.     | | StoreStore
/// | first store's memory   |           | register stored  | second    |           | stored |
///
/// MultiplyAdd: the second half's result is d - c or d + c. LoadLoad and StoreStore: "first" is the
/// first written.
struct Instruction {
  Op op = Op::kCount;
  Cond cond = Cond::U;
  std::uint8_t reg = 0;
  std::uint8_t reg2 = 0;
  std::uint8_t parallel = 0;  ///< P field of MultiplyAdd
  Operand a, b, c, d;
  std::uint32_t word = 0;

  friend bool operator==(const Instruction&, const Instruction&) = default;
};

/// Upper-case name of register `number` (0-27); empty for others.
std::string_view registerName(std::uint8_t number);
/// Number of the register called `name` (any case, F0-F7 = R0-R7), or -1.
int registerNumber(std::string_view name);
/// Preferred name of a condition; empty for an undefined code.
std::string_view condName(Cond cond);
/// Code of the condition called `name` (upper case, synonyms included), or -1.
int condCode(std::string_view name);
constexpr bool condDefined(std::uint32_t code) {
  return code <= 0x14 && code != 0x0B;
}

}  // namespace rtvp::c32
