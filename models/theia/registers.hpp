// THEIA's registers as one table: names, rows, meaning, and what the bank of a row allows. The
// numbers are those of theia.md 1.1; the manual's hexadecimal column is wrong in 26 rows and not
// used.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rtvp::theia {

/// Hardware decodes address bits 6:0 only; bits 6:5 choose the bank (theia.md 1).
inline constexpr unsigned kAddressMask = 0x7F;
inline constexpr unsigned kRegisterRows = 128;
inline constexpr unsigned kBankRows = 32;

enum class Bank : std::uint8_t { Configuration, Swap, InternalLow, InternalHigh };

constexpr Bank bankOf(unsigned address) {
  return static_cast<Bank>((address >> 5) & 3U);
}

/// What the execution unit and the host may do with a row, by bank.
struct BankInfo {
  std::string_view name;
  bool exeWrite;   ///< false: the write is dropped
  bool hostWrite;  ///< true: reached by the host path, which writes row a & 31 of configuration AND
                   ///< of the shadow swap copy
  std::string_view description;
};
inline constexpr std::array<BankInfo, 4> kBanks{{
    {"configuration", false, true, "configuration RAM, one copy"},
    {"swap", true, true, "swap RAM, two copies: the cores use one while the host fills the other"},
    {"internal 64-95", true, false, "C, R and intermediate registers"},
    {"internal 96-127", true, false, "intermediate registers"},
}};

struct RegisterInfo {
  std::uint16_t address;
  std::string_view name;
  std::string_view description;
};

// clang-format off
inline constexpr auto kRegisters = std::to_array<RegisterInfo>({
    {0, "CREG_LIGHT_INFO", "y number of lights; z number of configuration packets (integer); address 0 is also VOID"},
    {1, "CREG_CAMERA_POSITION", "eye"},
    {2, "CREG_PROJECTION_WINDOW_MIN", "corner of the window where pixel (0,0) lies; z is the plane's z"},
    {3, "CREG_PROJECTION_WINDOW_MAX", "opposite corner"},
    {4, "CREG_RESOLUTION", "width, height"},
    {5, "CREG_TEXTURE_SIZE", "width, height of the texture, powers of two"},
    {6, "CREG_PIXEL_2D_INITIAL_POSITION", "first column, first row of this core"},
    {7, "CREG_PIXEL_2D_FINAL_POSITION", "exclusive end: width, last row + 1"},
    {8, "CREG_MAX_PRIMITIVES", "x number of triangles, an integer"},
    {9, "CREG_LIGHT0", "start of the light area; rows 12 to 18 are overwritten by every triangle"},
    {10, "CREG_FIRST_LIGTH", "first light (the manual's spelling)"},
    {42, "CREG_AABBMIN", "box minimum"},
    {43, "CREG_AABBMAX", "box maximum"},
    {44, "CREG_V0", "vertex 0"},
    {45, "CREG_UV0", "texture coordinates of vertex 0, 0 to 1"},
    {46, "CREG_V1", "vertex 1"},
    {47, "CREG_UV1", "texture coordinates of vertex 1"},
    {48, "CREG_V2", "vertex 2"},
    {49, "CREG_UV2", "texture coordinates of vertex 2"},
    {50, "CREG_TRI_DIFFUSE", "diffuse colour of the triangle"},
    {53, "CREG_TEX_COLOR1", "texel 1"},
    {54, "CREG_TEX_COLOR2", "texel 2"},
    {55, "CREG_TEX_COLOR3", "texel 3"},
    {56, "CREG_TEX_COLOR4", "texel 4"},
    {57, "CREG_TEX_COLOR5", "texel 5"},
    {58, "CREG_TEX_COLOR6", "texel 6"},
    {59, "CREG_TEX_COLOR7", "texel 7"},
    {64, "C1", "user constant"}, {65, "C2", "user constant"}, {66, "C3", "user constant"},
    {67, "C4", "user constant"}, {68, "C5", "user constant"}, {69, "C6", "user constant"},
    {70, "C7", "user constant"},
    {71, "R1", "user, clobbered by microcode"}, {72, "R2", "user, clobbered by microcode"},
    {73, "R3", "user, clobbered by microcode"}, {74, "R4", "user, clobbered by microcode"},
    {75, "R5", "user, clobbered by microcode"}, {76, "R6", "user, clobbered by microcode"},
    {77, "R7", "user, clobbered by microcode"}, {78, "R8", "user, clobbered by microcode"},
    {79, "R9", "user, clobbered by microcode"}, {80, "R10", "user, clobbered by microcode"},
    {81, "R11", "user, clobbered by microcode"}, {82, "R12", "user, clobbered by microcode"},
    {83, "CREG_PROJECTION_WINDOW_SCALE", "(WINDOW_MAX - WINDOW_MIN) / RESOLUTION"},
    {84, "CREG_UNORMALIZED_DIRECTION", "(PIXEL * SCALE + WINDOW_MIN) - CAMERA"},
    {85, "CREG_RAY_DIRECTION", "direction / MAG(direction)"},
    {86, "CREG_E1_LAST", "E1 of the nearest hit"},
    {87, "CREG_E2_LAST", "E2 of the nearest hit"},
    {88, "CREG_T", "CAMERA - V0"},
    {89, "CREG_P", "RAY x E2"},
    {90, "CREG_Q", "T x E1"},
    {91, "CREG_UV0_LAST", "UV0 of the nearest hit"},
    {92, "CREG_UV1_LAST", "UV1 of the nearest hit"},
    {93, "CREG_UV2_LAST", "UV2 of the nearest hit"},
    {94, "CREG_TRI_DIFFUSE_LAST", "diffuse colour of the nearest hit"},
    {95, "CREG_LAST_t", "t of the nearest hit"},
    {96, "CREG_LAST_u", "u of the nearest hit, in all lanes"},
    {97, "CREG_LAST_v", "v of the nearest hit, in all lanes"},
    {98, "CREG_COLOR_ACC", "colour accumulator"},
    {99, "CREG_t", "(t,u,v) of the triangle at hand"},
    {100, "CREG_E1", "V1 - V0"},
    {101, "CREG_E2", "V2 - V0"},
    {102, "CREG_DELTA", "P . E1"},
    {103, "CREG_u", "u of the triangle at hand"},
    {104, "CREG_v", "v of the triangle at hand"},
    {105, "CREG_H1", "(Q . E2, P . T, Q . RAY)"},
    {106, "CREG_H2", "P . T"},
    {107, "CREG_H3", "Q . RAY"},
    {108, "CREG_PIXEL_PITCH", "linear word address of the pixel in the picture, integer, in all lanes"},
    {109, "CREG_LAST_COL", "FINAL_POSITION - 1.0"},
    {110, "CREG_TEXTURE_COLOR", "colour of the pixel"},
    {111, "CREG_PIXEL_2D_POSITION", "column, row"},
    {112, "CREG_TEXWEIGHT1", "(1-fu)(1-fv)"},
    {113, "CREG_TEXWEIGHT2", "fu(1-fv)"},
    {114, "CREG_TEXWEIGHT3", "(1-fu)fv"},
    {115, "CREG_TEXWEIGHT4", "fu fv"},
    {116, "CREG_TEX_COORD1", "word addresses of two texels, integers"},
    {117, "CREG_TEX_COORD2", "word addresses of two texels, integers"},
    {118, "R99", "what a sub-routine returns"},
    {119, "CREG_ZERO", "constant 0"},
    {120, "CREG_CURRENT_OUTPUT_PIXEL", "integers (3k, 3k+1, 3k+2) for pixel k of this core"},
    {121, "CREG_3", "integers (3, 3, 3)"},
    {122, "CREG_012", "integers (0, 1, 2)"},
    {123, "CREG_PRIMITIVE_COUNT", "triangles left for this pixel"},
    {124, "CREG_HIT", "not 0: a triangle was hit"},
    {128, "OREG_PIXEL_COLOR", "conventional destination of OMWRITE; decodes to row 0, writes are dropped"},
    {129, "OREG_TEX_COORD1", "G1a only; decodes to row 1"},
    {130, "OREG_TEX_COORD2", "G1a only; decodes to row 2"},
    {131, "OREG_ADDR_O", "G1a output address; decodes to row 3"},
});
// clang-format on

constexpr bool registersAreOrdered() {
  for (std::size_t i = 1; i < kRegisters.size(); ++i) {
    if (kRegisters[i - 1].address >= kRegisters[i].address) return false;
  }
  return true;
}
static_assert(registersAreOrdered());

/// Address of a register by its name; a name that is not in the table does not compile.
consteval std::uint16_t reg(std::string_view name) {
  for (const RegisterInfo& info : kRegisters) {
    if (info.name == name) return info.address;
  }
  throw "no such register";
}

/// Address by name, `VOID` included.
std::optional<std::uint16_t> findRegister(std::string_view name);
/// Name of a register address, "#n" for an address without one.
std::string registerName(unsigned address);

// ---- entry table (theia.md 3.1) ----
struct EntryInfo {
  std::string_view name;  ///< label ENTRYPOINT_ADRR_<name>
  std::uint16_t romRow;   ///< G1c's address: part of the machine's interface
  std::uint16_t romWords;
  std::string_view description;
};
enum class Entry : std::uint8_t {
  Initial,
  Cppu,
  Rgu,
  Aabbiu,
  Biu,
  Psu,
  Psu2,
  Tcc,
  Npg,
  UserConstants,
  PixelShader,
  Main,
  Count
};
inline constexpr unsigned kEntries = static_cast<unsigned>(Entry::Count);
inline constexpr std::array<EntryInfo, kEntries> kEntryTable{{
    {"INITIAL", 0, 37, "once after configuration"},
    {"CPPU", 69, 4, "once: constants"},
    {"RGU", 73, 8, "per pixel: ray"},
    {"AABBIU", 97, 88, "box test"},
    {"BIU", 185, 41, "per triangle: intersection"},
    {"PSU", 268, 16, "per pixel: lights, no texture"},
    {"PSU2", 284, 28, "per pixel: texture"},
    {"TCC", 226, 42, "texture addresses and weights"},
    {"NPG", 81, 16, "next pixel"},
    {"USERCONSTANTS", 312, 2, "once: user constants"},
    {"PIXELSHADER", 314, 0, "per pixel: user; G1c calls row 314 whatever the slot says"},
    {"MAIN", 37, 32, "per triangle"},
}};
inline constexpr const EntryInfo& entry(Entry e) {
  return kEntryTable[static_cast<unsigned>(e)];
}

/// Code addresses: bit 15 chooses the user instruction RAM.
inline constexpr std::uint16_t kUserCode = 0x8000;
/// First row of user code, after the entry table.
inline constexpr unsigned kUserFirstRow = kEntries;

}  // namespace rtvp::theia
