// See implicit_file.hpp.
#include "platform/scene/implicit_file.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/implicit/assembler.hpp"
#include "models/implicit/codec.hpp"
#include "models/implicit/import/vm.hpp"
#include "models/implicit/render/far_query.hpp"
#include "platform/scene/load.hpp"
#include "platform/scene/text.hpp"

namespace rtvp::scene {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::vector<implicit::Diagnostic>& diagnostics) {
  const implicit::Diagnostic& first = diagnostics.front();
  const std::size_t more = diagnostics.size() - 1;
  throw SceneError(first.file + ':' + std::to_string(first.line) + ':' +
                   std::to_string(first.column) + ": " + first.message +
                   (more > 0 ? " (and " + std::to_string(more) + " more)" : ""));
}

implicit::Tape readText(const fs::path& file, const platform::InputReader& reader) {
  const TextFile text = TextFile::read(file, reader);
  // The report's machine first: a tape of exactly its length may end without OPStop.
  implicit::AssemblyResult result = implicit::assemble(text.name(), text.text());
  if (!result.tape) {
    result = implicit::assemble(text.name(), text.text(), implicit::Limits::wide());
  }
  if (!result.tape) refuse(result.diagnostics);
  return std::move(*result.tape);
}

/// max(f, abs(z) - half): the solid between two planes.
void extrude(implicit::import::Expression& expression, double half) {
  using implicit::import::Node;
  std::vector<Node>& nodes = expression.nodes;
  const auto add = [&nodes](const Node& node) {
    nodes.push_back(node);
    return static_cast<std::uint32_t>(nodes.size() - 1);
  };
  const auto apply = [&](const char* op, std::uint32_t a, std::uint32_t b) {
    return add({implicit::findOpcode(op), {a, b}, 0, -1});
  };
  const std::uint32_t z = add({nullptr, {}, 0, 2});
  const std::uint32_t height = add({nullptr, {}, static_cast<float>(half), -1});
  const std::uint32_t beyond = apply("OPSubFloatFloat", apply("OPAbsFloat", z, 0), height);
  expression.root = apply("OPMaxFloat", expression.root, beyond);
}

/// max(f, lo - p, p - hi) along each axis.
void clip(implicit::import::Expression& expression, const std::array<Vec3, 2>& box) {
  std::vector<implicit::import::Node>& nodes = expression.nodes;
  const auto add = [&nodes](const implicit::import::Node& node) {
    nodes.push_back(node);
    return static_cast<std::uint32_t>(nodes.size() - 1);
  };
  const auto apply = [&](const char* op, std::uint32_t a, std::uint32_t b) {
    return add({implicit::findOpcode(op), {a, b}, 0, -1});
  };
  for (int axis = 0; axis < 3; ++axis) {
    const std::uint32_t p = add({nullptr, {}, 0, axis});
    const std::uint32_t lo = add({nullptr, {}, static_cast<float>(box[0][axis]), -1});
    const std::uint32_t hi = add({nullptr, {}, static_cast<float>(box[1][axis]), -1});
    const std::uint32_t beyond =
        apply("OPMaxFloat", apply("OPSubFloatFloat", lo, p), apply("OPSubFloatFloat", p, hi));
    expression.root = apply("OPMaxFloat", expression.root, beyond);
  }
}

std::shared_ptr<ImplicitModel> readExpression(const fs::path& file, const ImplicitReading& reading,
                                              const platform::InputReader& reader) {
  const TextFile text = TextFile::read(file, reader);
  implicit::import::VmResult result = implicit::import::readVm(text.name(), text.text());
  if (!result.expression) refuse(result.diagnostics);
  if (reading.extrude > 0) extrude(*result.expression, reading.extrude);
  if (reading.clip) clip(*result.expression, *reading.clip);
  // The report's machine takes what it can hold; anything longer is a program.
  if (auto tape = implicit::import::toTape(*result.expression, {}, implicit::Limits::seed())) {
    return std::make_shared<ImplicitModel>(std::move(*tape));
  }
  return std::make_shared<ImplicitModel>(implicit::import::toProgram(*result.expression));
}

implicit::Tape readBinary(const fs::path& file, const ImplicitReading& reading,
                          const platform::InputReader& reader) {
  const std::string name = file.string();
  std::error_code error;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > kMaxFileBytes) {
    throw SceneError(name + ": found no regular file of at most " + std::to_string(kMaxFileBytes) +
                     " bytes, expected binary tapes");
  }
  try {
    const std::vector<std::uint8_t> bytes = reader.read(file, kMaxFileBytes);
    std::vector<implicit::Tape> objects = implicit::decode(implicit::readFile(bytes));
    if (reading.object >= objects.size()) {
      throw SceneError(name + ": found " + std::to_string(objects.size()) +
                       " objects, expected one of number " + std::to_string(reading.object));
    }
    return std::move(objects[reading.object]);
  } catch (const std::system_error&) {
    throw SceneError(name + ": found a file that cannot be read, expected binary tapes");
  } catch (const implicit::CodecError& e) {
    throw SceneError(name + ": " + e.what());
  }
}

}  // namespace

bool isExpressionFile(const fs::path& file) {
  return lowered(file.extension().string()) == ".vm";
}

bool isImplicitFile(const fs::path& file) {
  const std::string extension = lowered(file.extension().string());
  return extension == ".sdf" || extension == ".sdft" || extension == ".vm";
}

std::shared_ptr<const ImplicitModel> readImplicit(const fs::path& file,
                                                  const ImplicitReading& reading,
                                                  const platform::InputReader& reader) {
  if (!isImplicitFile(file)) {
    throw SceneError(file.string() + ": found the extension " +
                     inQuotes(file.extension().string()) + ", expected .sdf, .sdft or .vm");
  }
  const std::string extension = lowered(file.extension().string());
  try {
    std::shared_ptr<ImplicitModel> model;
    if (extension == ".vm") {
      model = readExpression(file, reading, reader);
    } else {
      model = std::make_shared<ImplicitModel>(
          extension == ".sdf" ? readText(file, reader) : readBinary(file, reading, reader));
    }
    model->file = file;
    return model;
  } catch (const implicit::registers::ProgramError& e) {
    throw SceneError(file.string() + ": " + e.what());
  }
}

std::optional<double> declaredSlope(const ImplicitModel& model) {
  if (isExpressionFile(model.file)) return std::nullopt;
  return 1;
}

std::array<Vec3, 2> expressionBox(const Placement& view) {
  std::array<Vec3, 2> box{Vec3{1e300, 1e300, 1e300}, Vec3{-1e300, -1e300, -1e300}};
  for (unsigned corner = 0; corner < 8; ++corner) {
    const Vec3 p = view.toObject({(corner & 1U) != 0 ? 1.0 : -1.0, (corner & 2U) != 0 ? 1.0 : -1.0,
                                  (corner & 4U) != 0 ? 1.0 : -1.0});
    for (int axis = 0; axis < 3; ++axis) {
      box[0][axis] = std::min(box[0][axis], p[axis]);
      box[1][axis] = std::max(box[1][axis], p[axis]);
    }
  }
  return box;
}

std::array<Vec3, 2> closeBy(ImplicitReading& reading, const std::array<Vec3, 2>& box) {
  constexpr double kMargin = 0.01;  // so that the faces lie within the bounds
  reading.clip = box;
  const Vec3 more = (box[1] - box[0]) * kMargin;
  return {box[0] - more, box[1] + more};
}

void boundImplicit(Implicit& implicit, const Placement& view) {
  const auto take = [&implicit](const implicit::Bounds& bounds) {
    implicit.lo = {bounds.min[0], bounds.min[1], bounds.min[2]};
    implicit.hi = {bounds.max[0], bounds.max[1], bounds.max[2]};
  };
  const ImplicitModel& model = *implicit.model;
  if (model.tape && model.tape->bounds) return take(*model.tape->bounds);
  if (isExpressionFile(model.file)) {
    const std::array<Vec3, 2> box = expressionBox(view);
    implicit.lo = box[0];
    implicit.hi = box[1];
    return;
  }
  const implicit::render::FarQuery query = implicit::render::farQuery(*model.tape);
  if (!query.bounds) {
    throw SceneError(implicit.where + "found no bounds (" + query.fault +
                     "), expected .bounds in the tape or bounds in the statement");
  }
  take(*query.bounds);
}

}  // namespace rtvp::scene
