// See implicit_surfaces.hpp.
#include "platform/debug/implicit_surfaces.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "models/common/core/file_io.hpp"
#include "models/implicit/assembler.hpp"
#include "platform/exit_status.hpp"

namespace rtvp::platform {
namespace {

/// Lines of a tape's instructions in its source; empty: it has none any more.
std::vector<std::uint32_t> linesOf(const scene::ImplicitModel& model) {
  if (!model.tape || model.file.extension() != ".sdf") return {};
  const std::optional<std::string> text = common::readFile(model.file);
  if (!text) return {};
  implicit::AssemblyResult result =
      implicit::assemble(model.file.string(), *text, model.tape->limits());
  // Of a text that was changed meanwhile none is right: the instructions are shown then.
  if (!result.tape || implicit::disassemble(*result.tape) != implicit::disassemble(*model.tape))
    return {};
  return std::move(result.lines);
}

implicit::DebugCode codeOf(const scene::ImplicitModel& model) {
  implicit::DebugCode code;
  code.name = model.file.stem().string();
  code.file = model.file.string();
  code.tape = model.tape;
  code.lines = linesOf(model);
  if (!model.tape) {
    const auto words = implicit::registers::encode(*model.program);
    code.program =
        std::make_shared<const implicit::registers::Program>(implicit::registers::decode(words));
  }
  return code;
}

/// Objects of one model run one code.
implicit::DebugCodes codesOf(const scene::Scene& scene, implicit::DebugForm form) {
  implicit::DebugCodes codes(form);
  for (std::size_t n = 0; n < scene.implicits.size(); ++n) {
    std::size_t first = 0;
    while (scene.implicits[first].model != scene.implicits[n].model) ++first;
    if (first < n) {
      codes.addSame(first);
    } else {
      codes.add(codeOf(*scene.implicits[n].model));
    }
  }
  return codes;
}

}  // namespace

ImplicitDebuggee::ImplicitDebuggee(implicit::unit::ImplicitUnit& unit, const std::string& name,
                                   double hertz, const scene::Scene& scene,
                                   implicit::DebugForm form, const DebugSurroundings& around) {
  if (scene.implicits.empty())
    throw InputError("--debug, --dap: the scene has no implicit surfaces, so " + name +
                     " evaluates nothing");
  driver_ = std::make_unique<implicit::DebugDriver>(
      name, codesOf(scene, form),
      implicit::DebugDriver::Surroundings{around.host, around.interrupted, around.snapshots, hertz,
                                          [this] { leave(); }});
  driver_->setEngine(&unit.engine());
  unit.setWatch(driver_.get());
}

}  // namespace rtvp::platform
