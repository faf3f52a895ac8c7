// Requests of dap.hpp about the session as a whole.
#include <algorithm>

#include "models/common/core/text.hpp"
#include "models/debug/remote/dap_arguments.hpp"

namespace rtvp::debug {

namespace json = boost::json;
using Body = json::object;

Body DapHost::initialize(const Arguments& a) {
  linesFrom1_ = arguments::flag(a, "linesStartAt1", true);
  columnsFrom1_ = arguments::flag(a, "columnsStartAt1", true);
  if (const std::string format = arguments::text(a, "pathFormat"); format == "uri")
    throw DapRefusal("pathFormat: found 'uri', expected 'path'");
  after_ = [this] { event("initialized", {}); };
  static constexpr std::string_view kAbilities[] = {"supportsConfigurationDoneRequest",
                                                    "supportsFunctionBreakpoints",
                                                    "supportsConditionalBreakpoints",
                                                    "supportsHitConditionalBreakpoints",
                                                    "supportsEvaluateForHovers",
                                                    "supportsStepBack",
                                                    "supportsSetVariable",
                                                    "supportsSetExpression",
                                                    "supportsCompletionsRequest",
                                                    "supportsDataBreakpoints",
                                                    "supportsDisassembleRequest",
                                                    "supportsReadMemoryRequest",
                                                    "supportsWriteMemoryRequest",
                                                    "supportsInstructionBreakpoints",
                                                    "supportsSteppingGranularity",
                                                    "supportsLogPoints",
                                                    "supportsLoadedSourcesRequest",
                                                    "supportsExceptionInfoRequest",
                                                    "supportsTerminateRequest",
                                                    "supportTerminateDebuggee",
                                                    "supportsBreakpointLocationsRequest"};
  Body abilities;
  for (const std::string_view ability : kAbilities) abilities[ability] = true;
  return abilities;
}

Body DapHost::launch(const Arguments& a) {
  Body body = attach(a);
  launched_ = true;
  return body;
}

/// The scene or program is that of the command line.
Body DapHost::attach(const Arguments& a) {
  stopOnEntry_ = arguments::flag(a, "stopOnEntry", false);
  stopAtEnd_ = arguments::flag(a, "stopAtEnd", false);
  std::vector<std::string> folders;
  for (const json::value& v : arguments::array(a, "sourceRoots")) {
    if (!v.is_string()) throw DapRefusal("sourceRoots: expected an array of paths");
    folders.emplace_back(v.get_string());
  }
  paths_.setFolders(std::move(folders));
  return {};
}

Body DapHost::configurationDone(const Arguments& /*a*/) {
  if (configured_) throw DapRefusal("the configuration was done before");
  configured_ = true;
  after_ = [this] {
    if (stopOnEntry_) return stopped("entry", "", {});
    running_ = true;
    dialogue_->move({});
  };
  return {};
}

Body DapHost::nothing(const Arguments& /*a*/) {
  return {};
}

/// The client has no further wish. `run`: the program goes on to its end without it.
void DapHost::leave(bool run) {
  after_ = nullptr;
  if (!run) return dialogue_->leave();
  gone_ = true;
  dialogue_->goOnAlone(*standing_);
}

Body DapHost::disconnect(const Arguments& a) {
  const bool ends = arguments::flag(a, "terminateDebuggee", launched_);
  after_ = [this, ends] { leave(!ends); };
  return {};
}

Body DapHost::terminate(const Arguments& /*a*/) {
  after_ = [this] {
    event("terminated", {});
    leave(false);
  };
  return {};
}

Body DapHost::sourceBody(std::uint32_t file) const {
  const std::string& name = dialogue_->program().files.at(file);
  const std::string path = paths_.pathOf(name);
  const std::size_t slash = name.find_last_of('/');
  Body body = {{"name", slash == std::string::npos ? name : name.substr(slash + 1)}};
  body["path"] = path;
  return body;
}

Body DapHost::loadedSources(const Arguments& /*a*/) {
  json::array sources;
  for (std::uint32_t n = 0; n < dialogue_->program().files.size(); ++n)
    sources.emplace_back(sourceBody(n));
  return {{"sources", std::move(sources)}};
}

/// Files of the program alone are shown.
Body DapHost::sourceText(const Arguments& a) {
  const std::string path = arguments::text(arguments::object(a, "source"), "path");
  const auto file = fileByTail(dialogue_->program().files, path);
  if (!file) throw DapRefusal("found " + common::quoted(path) + ", expected a file of the program");
  const auto* const lines = FileHost::source(paths_.pathOf(dialogue_->program().files.at(*file)));
  if (lines == nullptr) throw DapRefusal(path + " cannot be read (sourceRoots says where to look)");
  std::string text;
  for (const std::string& line : *lines) text += line + "\n";
  return {{"content", std::move(text)}};
}

Body DapHost::completions(const Arguments& a) {
  const std::string text = arguments::text(a, "text");
  const std::int64_t column = arguments::needInteger(a, "column") - (columnsFrom1_ ? 1 : 0);
  const std::size_t end =
      std::min(static_cast<std::size_t>(std::max<std::int64_t>(column, 0)), text.size());
  json::array targets;
  for (const std::string& word : dialogue_->complete(std::string_view(text).substr(0, end)))
    targets.emplace_back(Body{{"label", word}});
  return {{"targets", std::move(targets)}};
}

Body DapHost::exceptionInfo(const Arguments& a) {
  const std::size_t unit = threadUnit(a);
  if (failure_.empty()) throw DapRefusal("nothing has failed");
  return {{"exceptionId", "fault"},
          {"description", failure_},
          {"breakMode", "always"},
          {"details",
           Body{{"message", failure_}, {"stackTrace", dialogue_->place(unitAt(unit).pc())}}}};
}

}  // namespace rtvp::debug
