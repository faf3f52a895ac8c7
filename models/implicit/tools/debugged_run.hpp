// sdf-tape under commands, a prompt, or an editor.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/debug/tool/session.hpp"
#include "models/implicit/debug/driver.hpp"
#include "models/implicit/unit/object_record.hpp"

namespace rtvp::implicit {

class DebuggedRun {
 public:
  /// Opens the door if a client is expected. `wishes` outlives it. Throws tool::Failure.
  explicit DebuggedRun(const debug::ToolWishes& wishes)
      : session_("sdf-tape", wishes), snapshots_(session_.snapshots()) {}

  /// Does `work`, whose evaluations the driver watches, as the user says; it gives a line about how
  /// it ended. False: the user has left before. Throws tool::Failure for a wrong command.
  [[nodiscard]] bool run(DebugCodes codes, const std::function<std::string(DebugDriver&)>& work);
  /// An object that `platform --dump-node` has recorded. Throws common::RecordError, too.
  [[nodiscard]] bool replay(const unit::ObjectRecording& recorded, unit::ObjectRecording& found);

 private:
  debug::ToolSession session_;
  debug::Snapshots& snapshots_;
};

}  // namespace rtvp::implicit
