// The instruction table of the hart: RV64IMAFDC with Zicsr and Zifencei (RISC-V unprivileged ISA,
// 20191213, chapter 24), and the two major opcodes that a vendor extension may take. Decoder,
// executor, disassembler and documentation are all made from these rows; compressed instructions
// are expanded to them first (compressed.hpp).
#pragma once

// X(operation, mnemonic, match, mask, format, extension, meaning)
// clang-format off
#define RTVP_RV64_INSTRUCTIONS(X) \
  X(LUI, "lui", 0x00000037, 0x0000007F, U, I, "rd = imm << 12")                                                      \
  X(AUIPC, "auipc", 0x00000017, 0x0000007F, U, I, "rd = pc + (imm << 12)")                                           \
  X(JAL, "jal", 0x0000006F, 0x0000007F, J, I, "rd = next pc; pc += offset")                                          \
  X(JALR, "jalr", 0x00000067, 0x0000707F, JumpI, I, "rd = next pc; pc = (rs1 + offset) & ~1")                        \
  X(BEQ, "beq", 0x00000063, 0x0000707F, B, I, "branch if rs1 == rs2")                                                \
  X(BNE, "bne", 0x00001063, 0x0000707F, B, I, "branch if rs1 != rs2")                                                \
  X(BLT, "blt", 0x00004063, 0x0000707F, B, I, "branch if rs1 < rs2")                                                 \
  X(BGE, "bge", 0x00005063, 0x0000707F, B, I, "branch if rs1 >= rs2")                                                \
  X(BLTU, "bltu", 0x00006063, 0x0000707F, B, I, "branch if rs1 < rs2, unsigned")                                     \
  X(BGEU, "bgeu", 0x00007063, 0x0000707F, B, I, "branch if rs1 >= rs2, unsigned")                                    \
  X(LB, "lb", 0x00000003, 0x0000707F, Load, I, "load byte, sign-extended")                                           \
  X(LH, "lh", 0x00001003, 0x0000707F, Load, I, "load half word, sign-extended")                                      \
  X(LW, "lw", 0x00002003, 0x0000707F, Load, I, "load word, sign-extended")                                           \
  X(LD, "ld", 0x00003003, 0x0000707F, Load, I, "load double word")                                                   \
  X(LBU, "lbu", 0x00004003, 0x0000707F, Load, I, "load byte, zero-extended")                                         \
  X(LHU, "lhu", 0x00005003, 0x0000707F, Load, I, "load half word, zero-extended")                                    \
  X(LWU, "lwu", 0x00006003, 0x0000707F, Load, I, "load word, zero-extended")                                         \
  X(SB, "sb", 0x00000023, 0x0000707F, Store, I, "store byte")                                                        \
  X(SH, "sh", 0x00001023, 0x0000707F, Store, I, "store half word")                                                   \
  X(SW, "sw", 0x00002023, 0x0000707F, Store, I, "store word")                                                        \
  X(SD, "sd", 0x00003023, 0x0000707F, Store, I, "store double word")                                                 \
  X(ADDI, "addi", 0x00000013, 0x0000707F, I, I, "rd = rs1 + imm")                                                    \
  X(SLTI, "slti", 0x00002013, 0x0000707F, I, I, "rd = rs1 < imm")                                                    \
  X(SLTIU, "sltiu", 0x00003013, 0x0000707F, I, I, "rd = rs1 < imm, unsigned")                                        \
  X(XORI, "xori", 0x00004013, 0x0000707F, I, I, "rd = rs1 ^ imm")                                                    \
  X(ORI, "ori", 0x00006013, 0x0000707F, I, I, "rd = rs1 | imm")                                                      \
  X(ANDI, "andi", 0x00007013, 0x0000707F, I, I, "rd = rs1 & imm")                                                    \
  X(SLLI, "slli", 0x00001013, 0xFC00707F, Shift, I, "rd = rs1 << shamt")                                             \
  X(SRLI, "srli", 0x00005013, 0xFC00707F, Shift, I, "rd = rs1 >> shamt, zeros in")                                   \
  X(SRAI, "srai", 0x40005013, 0xFC00707F, Shift, I, "rd = rs1 >> shamt, sign in")                                    \
  X(ADD, "add", 0x00000033, 0xFE00707F, R, I, "rd = rs1 + rs2")                                                      \
  X(SUB, "sub", 0x40000033, 0xFE00707F, R, I, "rd = rs1 - rs2")                                                      \
  X(SLL, "sll", 0x00001033, 0xFE00707F, R, I, "rd = rs1 << rs2[5:0]")                                                \
  X(SLT, "slt", 0x00002033, 0xFE00707F, R, I, "rd = rs1 < rs2")                                                      \
  X(SLTU, "sltu", 0x00003033, 0xFE00707F, R, I, "rd = rs1 < rs2, unsigned")                                          \
  X(XOR, "xor", 0x00004033, 0xFE00707F, R, I, "rd = rs1 ^ rs2")                                                      \
  X(SRL, "srl", 0x00005033, 0xFE00707F, R, I, "rd = rs1 >> rs2[5:0], zeros in")                                      \
  X(SRA, "sra", 0x40005033, 0xFE00707F, R, I, "rd = rs1 >> rs2[5:0], sign in")                                       \
  X(OR, "or", 0x00006033, 0xFE00707F, R, I, "rd = rs1 | rs2")                                                        \
  X(AND, "and", 0x00007033, 0xFE00707F, R, I, "rd = rs1 & rs2")                                                      \
  X(ADDIW, "addiw", 0x0000001B, 0x0000707F, I, I, "rd = sext32(rs1 + imm)")                                          \
  X(SLLIW, "slliw", 0x0000101B, 0xFE00707F, ShiftW, I, "rd = sext32(rs1 << shamt)")                                  \
  X(SRLIW, "srliw", 0x0000501B, 0xFE00707F, ShiftW, I, "rd = sext32(rs1[31:0] >> shamt), zeros in")                  \
  X(SRAIW, "sraiw", 0x4000501B, 0xFE00707F, ShiftW, I, "rd = sext32(rs1[31:0] >> shamt), sign in")                   \
  X(ADDW, "addw", 0x0000003B, 0xFE00707F, R, I, "rd = sext32(rs1 + rs2)")                                            \
  X(SUBW, "subw", 0x4000003B, 0xFE00707F, R, I, "rd = sext32(rs1 - rs2)")                                            \
  X(SLLW, "sllw", 0x0000103B, 0xFE00707F, R, I, "rd = sext32(rs1 << rs2[4:0])")                                      \
  X(SRLW, "srlw", 0x0000503B, 0xFE00707F, R, I, "rd = sext32(rs1[31:0] >> rs2[4:0], zeros in)")                      \
  X(SRAW, "sraw", 0x4000503B, 0xFE00707F, R, I, "rd = sext32(rs1[31:0] >> rs2[4:0], sign in)")                       \
  X(FENCE, "fence", 0x0000000F, 0x0000707F, Fence, I, "order memory accesses")                                       \
  X(FENCE_I, "fence.i", 0x0000100F, 0x0000707F, None, Zifencei, "instruction fetches see earlier stores")            \
  X(ECALL, "ecall", 0x00000073, 0xFFFFFFFF, None, I, "environment call trap")                                        \
  X(EBREAK, "ebreak", 0x00100073, 0xFFFFFFFF, None, I, "breakpoint trap")                                            \
  X(MRET, "mret", 0x30200073, 0xFFFFFFFF, None, I, "return from a machine-mode trap")                                \
  X(WFI, "wfi", 0x10500073, 0xFFFFFFFF, None, I, "wait for an interrupt")                                            \
  X(CSRRW, "csrrw", 0x00001073, 0x0000707F, Csr, Zicsr, "rd = CSR; write rs1")                                       \
  X(CSRRS, "csrrs", 0x00002073, 0x0000707F, Csr, Zicsr, "rd = CSR; set the bits of rs1")                             \
  X(CSRRC, "csrrc", 0x00003073, 0x0000707F, Csr, Zicsr, "rd = CSR; clear the bits of rs1")                           \
  X(CSRRWI, "csrrwi", 0x00005073, 0x0000707F, CsrI, Zicsr, "rd = CSR; write uimm")                                   \
  X(CSRRSI, "csrrsi", 0x00006073, 0x0000707F, CsrI, Zicsr, "rd = CSR; set the bits of uimm")                         \
  X(CSRRCI, "csrrci", 0x00007073, 0x0000707F, CsrI, Zicsr, "rd = CSR; clear the bits of uimm")                       \
  X(MUL, "mul", 0x02000033, 0xFE00707F, R, M, "rd = low 64 bits of rs1 * rs2")                                       \
  X(MULH, "mulh", 0x02001033, 0xFE00707F, R, M, "rd = high 64 bits, signed x signed")                                \
  X(MULHSU, "mulhsu", 0x02002033, 0xFE00707F, R, M, "rd = high 64 bits, signed x unsigned")                          \
  X(MULHU, "mulhu", 0x02003033, 0xFE00707F, R, M, "rd = high 64 bits, unsigned x unsigned")                          \
  X(DIV, "div", 0x02004033, 0xFE00707F, R, M, "rd = rs1 / rs2, toward zero")                                         \
  X(DIVU, "divu", 0x02005033, 0xFE00707F, R, M, "rd = rs1 / rs2, unsigned")                                          \
  X(REM, "rem", 0x02006033, 0xFE00707F, R, M, "rd = remainder with the sign of rs1")                                 \
  X(REMU, "remu", 0x02007033, 0xFE00707F, R, M, "rd = remainder, unsigned")                                          \
  X(MULW, "mulw", 0x0200003B, 0xFE00707F, R, M, "rd = sext32: low 32 bits of rs1 * rs2")                             \
  X(DIVW, "divw", 0x0200403B, 0xFE00707F, R, M, "rd = sext32: rs1 / rs2 of the low words")                           \
  X(DIVUW, "divuw", 0x0200503B, 0xFE00707F, R, M, "rd = sext32: the same, unsigned")                                 \
  X(REMW, "remw", 0x0200603B, 0xFE00707F, R, M, "rd = sext32: remainder of the low words")                           \
  X(REMUW, "remuw", 0x0200703B, 0xFE00707F, R, M, "rd = sext32: the same, unsigned")                                 \
  X(LR_W, "lr.w", 0x1000202F, 0xF9F0707F, Lr, A, "load and reserve, word")                                           \
  X(SC_W, "sc.w", 0x1800202F, 0xF800707F, Amo, A, "store if the reservation holds; rd = 0 on success, word")         \
  X(AMOSWAP_W, "amoswap.w", 0x0800202F, 0xF800707F, Amo, A, "atomic swap of a word")                                 \
  X(AMOADD_W, "amoadd.w", 0x0000202F, 0xF800707F, Amo, A, "atomic add of a word")                                    \
  X(AMOXOR_W, "amoxor.w", 0x2000202F, 0xF800707F, Amo, A, "atomic exclusive or of a word")                           \
  X(AMOAND_W, "amoand.w", 0x6000202F, 0xF800707F, Amo, A, "atomic and of a word")                                    \
  X(AMOOR_W, "amoor.w", 0x4000202F, 0xF800707F, Amo, A, "atomic or of a word")                                       \
  X(AMOMIN_W, "amomin.w", 0x8000202F, 0xF800707F, Amo, A, "atomic signed minimum of a word")                         \
  X(AMOMAX_W, "amomax.w", 0xA000202F, 0xF800707F, Amo, A, "atomic signed maximum of a word")                         \
  X(AMOMINU_W, "amominu.w", 0xC000202F, 0xF800707F, Amo, A, "atomic unsigned minimum of a word")                     \
  X(AMOMAXU_W, "amomaxu.w", 0xE000202F, 0xF800707F, Amo, A, "atomic unsigned maximum of a word")                     \
  X(LR_D, "lr.d", 0x1000302F, 0xF9F0707F, Lr, A, "load and reserve, double word")                                    \
  X(SC_D, "sc.d", 0x1800302F, 0xF800707F, Amo, A, "store if the reservation holds; rd = 0 on success, double word")  \
  X(AMOSWAP_D, "amoswap.d", 0x0800302F, 0xF800707F, Amo, A, "atomic swap of a double word")                          \
  X(AMOADD_D, "amoadd.d", 0x0000302F, 0xF800707F, Amo, A, "atomic add of a double word")                             \
  X(AMOXOR_D, "amoxor.d", 0x2000302F, 0xF800707F, Amo, A, "atomic exclusive or of a double word")                    \
  X(AMOAND_D, "amoand.d", 0x6000302F, 0xF800707F, Amo, A, "atomic and of a double word")                             \
  X(AMOOR_D, "amoor.d", 0x4000302F, 0xF800707F, Amo, A, "atomic or of a double word")                                \
  X(AMOMIN_D, "amomin.d", 0x8000302F, 0xF800707F, Amo, A, "atomic signed minimum of a double word")                  \
  X(AMOMAX_D, "amomax.d", 0xA000302F, 0xF800707F, Amo, A, "atomic signed maximum of a double word")                  \
  X(AMOMINU_D, "amominu.d", 0xC000302F, 0xF800707F, Amo, A, "atomic unsigned minimum of a double word")              \
  X(AMOMAXU_D, "amomaxu.d", 0xE000302F, 0xF800707F, Amo, A, "atomic unsigned maximum of a double word")              \
  X(FLW, "flw", 0x00002007, 0x0000707F, FLoad, F, "load, NaN-boxed")                                                 \
  X(FSW, "fsw", 0x00002027, 0x0000707F, FStore, F, "store the low bits")                                             \
  X(FMADD_S, "fmadd.s", 0x00000043, 0x0600007F, R4, F, "rd = rs1 * rs2 + rs3, one rounding")                         \
  X(FMSUB_S, "fmsub.s", 0x00000047, 0x0600007F, R4, F, "rd = rs1 * rs2 - rs3, one rounding")                         \
  X(FNMSUB_S, "fnmsub.s", 0x0000004B, 0x0600007F, R4, F, "rd = -(rs1 * rs2) + rs3, one rounding")                    \
  X(FNMADD_S, "fnmadd.s", 0x0000004F, 0x0600007F, R4, F, "rd = -(rs1 * rs2) - rs3, one rounding")                    \
  X(FADD_S, "fadd.s", 0x00000053, 0xFE00007F, FRm, F, "rd = rs1 + rs2")                                              \
  X(FSUB_S, "fsub.s", 0x08000053, 0xFE00007F, FRm, F, "rd = rs1 - rs2")                                              \
  X(FMUL_S, "fmul.s", 0x10000053, 0xFE00007F, FRm, F, "rd = rs1 * rs2")                                              \
  X(FDIV_S, "fdiv.s", 0x18000053, 0xFE00007F, FRm, F, "rd = rs1 / rs2")                                              \
  X(FSQRT_S, "fsqrt.s", 0x58000053, 0xFFF0007F, F1Rm, F, "rd = square root of rs1")                                  \
  X(FSGNJ_S, "fsgnj.s", 0x20000053, 0xFE00707F, F, F, "rd = rs1 with the sign of rs2")                               \
  X(FSGNJN_S, "fsgnjn.s", 0x20001053, 0xFE00707F, F, F, "rd = rs1 with the opposite sign of rs2")                    \
  X(FSGNJX_S, "fsgnjx.s", 0x20002053, 0xFE00707F, F, F, "rd = rs1 with the product of the signs")                    \
  X(FMIN_S, "fmin.s", 0x28000053, 0xFE00707F, F, F, "rd = smaller number")                                           \
  X(FMAX_S, "fmax.s", 0x28001053, 0xFE00707F, F, F, "rd = larger number")                                            \
  X(FEQ_S, "feq.s", 0xA0002053, 0xFE00707F, FCmp, F, "rd = rs1 == rs2, quiet")                                       \
  X(FLT_S, "flt.s", 0xA0001053, 0xFE00707F, FCmp, F, "rd = rs1 < rs2, signalling")                                   \
  X(FLE_S, "fle.s", 0xA0000053, 0xFE00707F, FCmp, F, "rd = rs1 <= rs2, signalling")                                  \
  X(FCLASS_S, "fclass.s", 0xE0001053, 0xFFF0707F, FToX, F, "rd = class of rs1, one bit of ten")                      \
  X(FCVT_W_S, "fcvt.w.s", 0xC0000053, 0xFFF0007F, FToXRm, F, "rd = rs1 as a signed word, saturating")                \
  X(FCVT_WU_S, "fcvt.wu.s", 0xC0100053, 0xFFF0007F, FToXRm, F, "rd = rs1 as a unsigned word, saturating")            \
  X(FCVT_L_S, "fcvt.l.s", 0xC0200053, 0xFFF0007F, FToXRm, F, "rd = rs1 as a signed double word, saturating")         \
  X(FCVT_LU_S, "fcvt.lu.s", 0xC0300053, 0xFFF0007F, FToXRm, F, "rd = rs1 as a unsigned double word, saturating")     \
  X(FCVT_S_W, "fcvt.s.w", 0xD0000053, 0xFFF0007F, XToFRm, F, "rd = signed word rs1 as a number")                     \
  X(FCVT_S_WU, "fcvt.s.wu", 0xD0100053, 0xFFF0007F, XToFRm, F, "rd = unsigned word rs1 as a number")                 \
  X(FCVT_S_L, "fcvt.s.l", 0xD0200053, 0xFFF0007F, XToFRm, F, "rd = signed double word rs1 as a number")              \
  X(FCVT_S_LU, "fcvt.s.lu", 0xD0300053, 0xFFF0007F, XToFRm, F, "rd = unsigned double word rs1 as a number")          \
  X(FMV_X_W, "fmv.x.w", 0xE0000053, 0xFFF0707F, FToX, F, "rd = sext32 of the bits of rs1")                           \
  X(FMV_W_X, "fmv.w.x", 0xF0000053, 0xFFF0707F, XToF, F, "rd = the low word of rs1, NaN-boxed")                      \
  X(FLD, "fld", 0x00003007, 0x0000707F, FLoad, D, "load")                                                            \
  X(FSD, "fsd", 0x00003027, 0x0000707F, FStore, D, "store the low bits")                                             \
  X(FMADD_D, "fmadd.d", 0x02000043, 0x0600007F, R4, D, "rd = rs1 * rs2 + rs3, one rounding")                         \
  X(FMSUB_D, "fmsub.d", 0x02000047, 0x0600007F, R4, D, "rd = rs1 * rs2 - rs3, one rounding")                         \
  X(FNMSUB_D, "fnmsub.d", 0x0200004B, 0x0600007F, R4, D, "rd = -(rs1 * rs2) + rs3, one rounding")                    \
  X(FNMADD_D, "fnmadd.d", 0x0200004F, 0x0600007F, R4, D, "rd = -(rs1 * rs2) - rs3, one rounding")                    \
  X(FADD_D, "fadd.d", 0x02000053, 0xFE00007F, FRm, D, "rd = rs1 + rs2")                                              \
  X(FSUB_D, "fsub.d", 0x0A000053, 0xFE00007F, FRm, D, "rd = rs1 - rs2")                                              \
  X(FMUL_D, "fmul.d", 0x12000053, 0xFE00007F, FRm, D, "rd = rs1 * rs2")                                              \
  X(FDIV_D, "fdiv.d", 0x1A000053, 0xFE00007F, FRm, D, "rd = rs1 / rs2")                                              \
  X(FSQRT_D, "fsqrt.d", 0x5A000053, 0xFFF0007F, F1Rm, D, "rd = square root of rs1")                                  \
  X(FSGNJ_D, "fsgnj.d", 0x22000053, 0xFE00707F, F, D, "rd = rs1 with the sign of rs2")                               \
  X(FSGNJN_D, "fsgnjn.d", 0x22001053, 0xFE00707F, F, D, "rd = rs1 with the opposite sign of rs2")                    \
  X(FSGNJX_D, "fsgnjx.d", 0x22002053, 0xFE00707F, F, D, "rd = rs1 with the product of the signs")                    \
  X(FMIN_D, "fmin.d", 0x2A000053, 0xFE00707F, F, D, "rd = smaller number")                                           \
  X(FMAX_D, "fmax.d", 0x2A001053, 0xFE00707F, F, D, "rd = larger number")                                            \
  X(FEQ_D, "feq.d", 0xA2002053, 0xFE00707F, FCmp, D, "rd = rs1 == rs2, quiet")                                       \
  X(FLT_D, "flt.d", 0xA2001053, 0xFE00707F, FCmp, D, "rd = rs1 < rs2, signalling")                                   \
  X(FLE_D, "fle.d", 0xA2000053, 0xFE00707F, FCmp, D, "rd = rs1 <= rs2, signalling")                                  \
  X(FCLASS_D, "fclass.d", 0xE2001053, 0xFFF0707F, FToX, D, "rd = class of rs1, one bit of ten")                      \
  X(FCVT_W_D, "fcvt.w.d", 0xC2000053, 0xFFF0007F, FToXRm, D, "rd = rs1 as a signed word, saturating")                \
  X(FCVT_WU_D, "fcvt.wu.d", 0xC2100053, 0xFFF0007F, FToXRm, D, "rd = rs1 as a unsigned word, saturating")            \
  X(FCVT_L_D, "fcvt.l.d", 0xC2200053, 0xFFF0007F, FToXRm, D, "rd = rs1 as a signed double word, saturating")         \
  X(FCVT_LU_D, "fcvt.lu.d", 0xC2300053, 0xFFF0007F, FToXRm, D, "rd = rs1 as a unsigned double word, saturating")     \
  X(FCVT_D_W, "fcvt.d.w", 0xD2000053, 0xFFF0007F, XToFRm, D, "rd = signed word rs1 as a number")                     \
  X(FCVT_D_WU, "fcvt.d.wu", 0xD2100053, 0xFFF0007F, XToFRm, D, "rd = unsigned word rs1 as a number")                 \
  X(FCVT_D_L, "fcvt.d.l", 0xD2200053, 0xFFF0007F, XToFRm, D, "rd = signed double word rs1 as a number")              \
  X(FCVT_D_LU, "fcvt.d.lu", 0xD2300053, 0xFFF0007F, XToFRm, D, "rd = unsigned double word rs1 as a number")          \
  X(FMV_X_D, "fmv.x.d", 0xE2000053, 0xFFF0707F, FToX, D, "rd = the bits of rs1")                                     \
  X(FMV_D_X, "fmv.d.x", 0xF2000053, 0xFFF0707F, XToF, D, "rd = the bits of rs1")                                     \
  X(FCVT_S_D, "fcvt.s.d", 0x40100053, 0xFFF0007F, F1Rm, D, "rd = rs1 rounded to single precision")                   \
  X(FCVT_D_S, "fcvt.d.s", 0x42000053, 0xFFF0007F, F1Rm, D, "rd = rs1, exactly")                                      \
  X(CUSTOM_0, "custom.0", 0x0000000B, 0x0000007F, Custom, Vendor, "handed to the vendor extension")                  \
  X(CUSTOM_3, "custom.3", 0x0000007B, 0x0000007F, Custom, Vendor, "handed to the vendor extension")
// clang-format on
