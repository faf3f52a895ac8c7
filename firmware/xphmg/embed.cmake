# Writes INPUT's bytes (none if INPUT is empty) as the C++ array behind xphmgQueueDriver() to OUTPUT.
set(bytes "")
set(body "return {};")
if(INPUT)
  file(READ ${INPUT} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes
         "${bytes}")
  set(bytes "namespace {\nconstexpr std::uint8_t kImage[] = {\n${bytes}};\n}  // namespace\n\n")
  set(body "return kImage;")
endif()
file(WRITE ${OUTPUT} "// Generated from queue_driver.elf.\n#include \"firmware/xphmg_firmware.hpp\"\n\nnamespace rtvp {\n\n${bytes}\
std::span<const std::uint8_t> xphmgQueueDriver() { ${body} }\n\n}  // namespace rtvp\n")
