#include "models/xphmg/hart/translate/course.hpp"

#include <array>

namespace rtvp::rv64 {
namespace {

Course findCourse(Op op) {
  switch (op) {
    case Op::BEQ:
    case Op::BNE:
    case Op::BLT:
    case Op::BGE:
    case Op::BLTU:
    case Op::BGEU:
      return Course::Branch;
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
  if (op == Op::Illegal) return Course::Aside;
  if (op == Op::FENCE) return Course::On;
  switch (row(op).extension) {
    case Extension::I:
      return row(op).format == Format::None ? Course::Aside : Course::On;
    case Extension::M:
    case Extension::F:
    case Extension::D:
      return Course::On;
    default:
      return Course::Aside;
  }
}

constexpr auto kOps = static_cast<std::size_t>(Op::Count);

}  // namespace

Course courseOf(Op op) {
  static const std::array<Course, kOps> kCourses = [] {
    std::array<Course, kOps> courses{};
    for (std::size_t n = 0; n < kOps; ++n) courses[n] = findCourse(static_cast<Op>(n));
    return courses;
  }();
  return kCourses[static_cast<std::size_t>(op)];
}

Course courseOf(const Decoded& d) {
  const Course course = courseOf(d.op);
  if (course != Course::On) return course;
  constexpr unsigned kNearest = 0, kToZero = 1, kDynamic = 7;
  switch (row(d.op).format) {
    case Format::R4:
    case Format::FRm:
    case Format::F1Rm:
    case Format::XToFRm:
      return d.rm == kNearest || d.rm == kDynamic ? Course::On : Course::Aside;
    case Format::FToXRm:
      return d.rm == kNearest || d.rm == kDynamic || d.rm == kToZero ? Course::On : Course::Aside;
    default:
      return course;
  }
}

}  // namespace rtvp::rv64
