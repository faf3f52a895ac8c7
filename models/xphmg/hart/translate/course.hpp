// Where translated blocks of instructions begin and end. Internal to the hart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/xphmg/hart/isa.hpp"

namespace rtvp::rv64 {

/// What an instruction does to the course of a block.
enum class Course : std::uint8_t {
  On,      ///< goes on behind it
  Branch,  ///< goes on behind it or somewhere else
  Jump,    ///< goes on somewhere else
  Aside,   ///< is the interpreter's
};

namespace detail {

constexpr Course courseOfRow(Op op, Format format, Extension extension) {
  switch (op) {
    case Op::JAL:
    case Op::JALR:
      return Course::Jump;
    case Op::FCVT_WU_S:
    case Op::FCVT_LU_S:
    case Op::FCVT_S_LU:
    case Op::FCVT_WU_D:
    case Op::FCVT_LU_D:
    case Op::FCVT_D_LU:
    case Op::FCLASS_S:
    case Op::FCLASS_D:
      return Course::Aside;
    default:
      break;
  }
  if (format == Format::B) return Course::Branch;
  switch (extension) {
    case Extension::I:
      return format == Format::None ? Course::Aside : Course::On;
    case Extension::M:
    case Extension::F:
    case Extension::D:
      return Course::On;
    default:
      return Course::Aside;
  }
}

inline constexpr std::array<Course, static_cast<std::size_t>(Op::Count)> kCourses{
    Course::Aside,  // Illegal
#define RTVP_ROW(op, name, match, mask, format, extension, meaning) \
  courseOfRow(Op::op, Format::format, Extension::extension),
    RTVP_RV64_INSTRUCTIONS(RTVP_ROW)
#undef RTVP_ROW
};

}  // namespace detail

/// As far as the operation alone says.
[[nodiscard]] constexpr Course courseOf(Op op) {
  return detail::kCourses[static_cast<std::size_t>(op)];
}

/// Code rounds to nearest; conversions to integers truncate as well.
[[nodiscard]] inline Course courseOf(const Decoded& d) {
  const Course course = courseOf(d.op);
  if (course != Course::On) return course;
  constexpr unsigned kNearest = 0, kToZero = 1, kDynamic = 7;
  const bool nearest = d.rm == kNearest || d.rm == kDynamic;
  switch (row(d.op).format) {
    case Format::R4:
    case Format::FRm:
    case Format::F1Rm:
    case Format::XToFRm:
      return nearest ? Course::On : Course::Aside;
    case Format::FToXRm:
      return nearest || d.rm == kToZero ? Course::On : Course::Aside;
    default:
      return course;
  }
}

}  // namespace rtvp::rv64
