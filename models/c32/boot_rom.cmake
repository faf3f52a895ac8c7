# Turns the word listing of the assembled boot ROM into a C++ source file.
# cmake -DWORDS=listing -DOUTPUT=file.cpp -P boot_rom.cmake
file(STRINGS ${WORDS} words REGEX "^[0-9a-f]+$")
list(LENGTH words count)
if(count LESS 64 OR count GREATER 4096)
  message(FATAL_ERROR "boot ROM of ${count} words: 64 to 4096 expected")
endif()
list(TRANSFORM words PREPEND "    0x")
list(JOIN words ",\n" body)
file(WRITE ${OUTPUT} "// Generated from boot_rom.asm.
#include \"models/c32/boot_rom.hpp\"

namespace rtvp::c32 {

const std::array<std::uint32_t, kBootRomWords>& bootRom() {
  static constexpr std::array<std::uint32_t, kBootRomWords> kWords{
${body}};
  return kWords;
}

}  // namespace rtvp::c32
")
