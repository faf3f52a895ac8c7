// The TigerSHARK's shading firmware for one SL program: translated, assembled, ready to load.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/c32/asm/image.hpp"
#include "models/sl/c32/translate.hpp"
#include "models/sl/program.hpp"

namespace rtvp::firmware {

/// Assembly sources by name, those generated from a program left out.
const std::map<std::string, std::string>& shadingSources();

struct ShadingImage {
  c32::Image image;
  std::uint32_t entry = 0;             ///< SRAM address of the program: the parameter word
  std::vector<sl::c32::Input> inputs;  ///< words of a point behind its header
  std::string listing;
};

/// The program is translatable, but the result does not fit the board; what() says what overflows.
class ShadingImageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws sl::c32::Untranslatable or ShadingImageError.
ShadingImage buildShadingImage(const sl::Program& program);

}  // namespace rtvp::firmware
