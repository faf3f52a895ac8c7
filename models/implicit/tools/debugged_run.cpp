// See debugged_run.hpp.
#include "models/implicit/tools/debugged_run.hpp"

#include <utility>

namespace rtvp::implicit {
namespace {

constexpr double kHertz = 1e9;  // of the unit as it is by default

/// Of the object and of those beside it.
DebugCodes debugCodesOf(const unit::ObjectRecording& recorded) {
  const std::vector<unit::LoadedCode> codes = unit::codesOf(recorded);
  // A hull in register form has programs as codes.
  DebugCodes all(unit::runsRows(recorded) ? DebugForm::Rows : DebugForm::Masks);
  for (std::size_t n = 0; n < codes.size(); ++n) {
    DebugCode code;
    code.name = "object" + std::to_string(n);
    if (codes[n].tape) code.tape = std::make_shared<const Tape>(*codes[n].tape);
    if (codes[n].program)
      code.program = std::make_shared<const registers::Program>(*codes[n].program);
    all.add(std::move(code));
  }
  return all;
}

}  // namespace

bool DebuggedRun::run(DebugCodes codes, const std::function<std::string(DebugDriver&)>& work) {
  DebugDriver driver("sdf", std::move(codes),
                     {session_.host(), session_.interrupted(), &snapshots_, kHertz});
  session_.attach(driver.dialogue());
  try {
    const std::string why = work(driver);
    driver.over(why, false, 0);
  } catch (const RunLeft&) {
    debug::ToolSession::finish(driver.dialogue());
    return false;
  }
  debug::ToolSession::finish(driver.dialogue());
  return true;
}

bool DebuggedRun::replay(const unit::ObjectRecording& recorded, unit::ObjectRecording& found) {
  return run(debugCodesOf(recorded), [&](DebugDriver& driver) {
    const auto before = [&driver](unit::Engine& engine) {
      driver.setEngine(&engine);
      engine.setWatch(&driver);
    };
    found = unit::replay(recorded, before,
                         [&driver](unit::Engine& /*engine*/) { driver.setEngine(nullptr); });
    return recorded.unit + ", " + recorded.moment + ": both jobs have ended";
  });
}

}  // namespace rtvp::implicit
