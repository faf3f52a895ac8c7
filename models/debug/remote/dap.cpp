// See dap.hpp: messages, and what is told of a machine that stands.
#include "models/debug/remote/dap.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>
#include <charconv>

#include "models/common/core/text.hpp"
#include "models/debug/remote/dap_arguments.hpp"
#include "models/debug/snapshots.hpp"

namespace rtvp::debug {

namespace json = boost::json;

std::uint64_t arguments::address(const json::object& a, std::string_view name) {
  const std::string given = text(a, name);
  std::uint64_t value = 0;
  const char* const last = given.data() + given.size();
  const bool prefixed = given.starts_with("0x");
  const auto [stop, error] =
      std::from_chars(given.data() + (prefixed ? 2 : 0), last, value, prefixed ? 16 : 10);
  if (given.empty() || error != std::errc() || stop != last)
    throw DapRefusal(std::string(name) + ": found " + common::quoted(given) +
                     ", expected an address, 0x...");
  return value;
}

const DapHost::Row DapHost::kRows[] = {
    {"initialize", &DapHost::initialize},
    {"launch", &DapHost::launch},
    {"attach", &DapHost::attach},
    {"configurationDone", &DapHost::configurationDone},
    {"disconnect", &DapHost::disconnect},
    {"terminate", &DapHost::terminate},
    {"cancel", &DapHost::nothing},
    {"setExceptionBreakpoints", &DapHost::nothing},
    {"loadedSources", &DapHost::loadedSources},
    {"source", &DapHost::sourceText},
    {"completions", &DapHost::completions},
    {"exceptionInfo", &DapHost::exceptionInfo},
    {"continue", &DapHost::goOn},
    {"next", &DapHost::next},
    {"stepIn", &DapHost::stepIn},
    {"stepOut", &DapHost::stepOut},
    {"stepBack", &DapHost::stepBack},
    {"reverseContinue", &DapHost::reverseContinue},
    {"pause", &DapHost::pause},
    {"setBreakpoints", &DapHost::setBreakpoints},
    {"setFunctionBreakpoints", &DapHost::setFunctionBreakpoints},
    {"setInstructionBreakpoints", &DapHost::setInstructionBreakpoints},
    {"setDataBreakpoints", &DapHost::setDataBreakpoints},
    {"dataBreakpointInfo", &DapHost::dataBreakpointInfo},
    {"breakpointLocations", &DapHost::breakpointLocations},
    {"threads", &DapHost::threads},
    {"stackTrace", &DapHost::stackTrace},
    {"scopes", &DapHost::scopes},
    {"variables", &DapHost::variables},
    {"setVariable", &DapHost::setVariable},
    {"setExpression", &DapHost::setExpression},
    {"evaluate", &DapHost::evaluate},
    {"disassemble", &DapHost::disassemble},
    {"readMemory", &DapHost::readMemory},
    {"writeMemory", &DapHost::writeMemory},
};

void DapHost::send(json::object message) {
  message["seq"] = ++seq_;
  channel_.send(json::serialize(message));
}

void DapHost::event(std::string_view name, json::object body) {
  send({{"type", "event"}, {"event", name}, {"body", std::move(body)}});
}

void DapHost::respond(std::int64_t request, std::string_view command, json::object body) {
  send({{"type", "response"},
        {"request_seq", request},
        {"success", true},
        {"command", command},
        {"body", std::move(body)}});
}

void DapHost::refuse(std::int64_t request, std::string_view command, const std::string& why) {
  json::object error = {{"id", 1}, {"format", why}, {"showUser", false}};
  send({{"type", "response"},
        {"request_seq", request},
        {"success", false},
        {"command", command},
        {"message", why},
        {"body", json::object{{"error", std::move(error)}}}});
}

void DapHost::handle(const std::string& message) {
  json::error_code error;
  const json::value value = json::parse(message, error);
  if (error || !value.is_object())
    return refuse(0, "", "found what is no JSON object: " + common::quoted(message));
  const json::object& request = value.get_object();
  const json::value* const type = request.if_contains("type");
  if (type == nullptr || *type != "request") return refuse(0, "", "found no request");
  std::int64_t seq = 0;
  std::string command;
  try {
    seq = arguments::needInteger(request, "seq");
    command = arguments::text(request, "command");
    const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                  [&command](const Row& r) { return r.command == command; });
    if (row == std::end(kRows))
      throw DapRefusal("found the request " + common::quoted(command) +
                       ", which is not known here");
    pending_ = seq;
    pendingCommand_ = command;
    json::object body = (this->*row->handler)(arguments::object(request, "arguments"));
    pending_ = 0;
    respond(seq, command, std::move(body));
    if (after_) std::exchange(after_, nullptr)();
  } catch (const std::exception& refusal) {
    pending_ = 0;
    after_ = nullptr;
    refuse(seq, command, refusal.what());
  }
}

std::optional<std::string> DapHost::line(const std::string& /*prompt*/) {
  if (held_ && !channel_.waiting()) {
    held_ = false;
    dialogue_->resume();
    return " ";
  }
  if (const auto message = channel_.receive()) {
    handle(*message);
  } else {
    leave(!launched_);
  }
  return " ";
}

void DapHost::print(const std::string& text) {
  if (captured_) {
    *captured_ += text;
  } else if (!Silence::active()) {
    event("output", {{"category", "console"}, {"output", text}});
  }
}

void DapHost::programText(char c) {
  constexpr std::size_t kLongest = 1024;
  if (Silence::active()) return;
  console_ += c;
  if (c == '\n' || console_.size() >= kLongest) endConsoleLine();
}

void DapHost::endConsoleLine() {
  if (!console_.empty())
    event("output", {{"category", "stdout"}, {"output", std::exchange(console_, {})}});
}

bool DapHost::log(const std::string& /*path*/) {
  return false;  // the client keeps what it shows
}

void DapHost::stopped(std::string_view reason, const std::string& text,
                      const std::vector<int>& stops) {
  running_ = held_ = false;
  json::array ids;
  for (const int id : stops) ids.push_back(id);
  json::object body = {{"reason", reason},
                       {"threadId", dialogue_->focus() + 1},
                       {"allThreadsStopped", true},
                       {"hitBreakpointIds", std::move(ids)}};
  if (!text.empty()) body["description"] = body["text"] = text;
  event("stopped", std::move(body));
}

void DapHost::stoppedBy(const Standing& standing) {
  std::vector<int> ids;
  std::string_view reason = "step";
  for (const Hit& hit : standing.hits) {
    if (hit.id == 0 || std::find(ids.begin(), ids.end(), hit.id) != ids.end()) continue;
    ids.push_back(hit.id);
  }
  if (!ids.empty()) {
    reason = "breakpoint";
    for (const auto& [owner, stops] : owned_) {
      if (std::none_of(stops.begin(), stops.end(),
                       [&ids](const Owned& o) { return o.id == ids.front(); }))
        continue;
      if (owner == "data") reason = "data breakpoint";
      if (owner == "function") reason = "function breakpoint";
      if (owner == "instruction") reason = "instruction breakpoint";
    }
  }
  stopped(reason, standing.text, ids);
}

/// The program is over for the client, too.
void DapHost::finish() {
  running_ = false;
  event("exited", {{"exitCode", standing_->status}});
  event("terminated", {});
  launched_ = false;  // what it says from here on changes nothing
  dialogue_->leave();
}

void DapHost::stands(Dialogue& dialogue, const Standing& standing) {
  using Reason = Standing::Reason;
  dialogue_ = &dialogue;
  standing_ = &standing;
  endConsoleLine();
  if (gone_) {
    if (standing.reason == Reason::Over || standing.reason == Reason::Failed)
      return dialogue.leave();
    return dialogue.move({});
  }
  if (pending_ != 0) {
    json::object body;
    if (pendingCommand_ == "evaluate") body = {{"result", ""}, {"variablesReference", 0}};
    respond(std::exchange(pending_, 0), pendingCommand_, std::move(body));
  }
  switch (standing.reason) {
    case Reason::Begin:
      return;
    case Reason::Interrupted:
      held_ = running_;
      if (!held_) stopped("pause", standing.text, {});
      return;
    case Reason::Stop:
      return stoppedBy(standing);
    case Reason::Back:
      return stopped("step", standing.text, {});
    case Reason::Over:
      if (!stopAtEnd_) return finish();
      return stopped("end", standing.text, {});
    case Reason::Failed:
      failure_ = standing.text;
      return stopped("exception", standing.text, {});
  }
}

json::object DapHost::save() const {
  json::object owned, known;
  for (const auto& [owner, stops] : owned_) {
    json::array all;
    for (const Owned& o : stops) all.push_back(json::object{{"id", o.id}, {"command", o.command}});
    owned[owner] = std::move(all);
  }
  for (const auto& [file, path] : paths_.known()) known[file] = path;
  json::array folders;
  for (const std::string& folder : paths_.folders()) folders.emplace_back(folder);
  return {{"seq", seq_},
          {"configured", configured_},
          {"running", running_},
          {"launched", launched_},
          {"gone", gone_},
          {"stopOnEntry", stopOnEntry_},
          {"stopAtEnd", stopAtEnd_},
          {"linesFrom1", linesFrom1_},
          {"columnsFrom1", columnsFrom1_},
          {"pending", pending_},
          {"pendingCommand", pendingCommand_},
          {"owned", std::move(owned)},
          {"known", std::move(known)},
          {"folders", std::move(folders)}};
}

void DapHost::restore(const json::object& state) {
  seq_ = state.at("seq").to_number<std::int64_t>();
  configured_ = state.at("configured").as_bool();
  running_ = state.at("running").as_bool();
  launched_ = state.at("launched").as_bool();
  gone_ = state.at("gone").as_bool();
  stopOnEntry_ = state.at("stopOnEntry").as_bool();
  stopAtEnd_ = state.at("stopAtEnd").as_bool();
  linesFrom1_ = state.at("linesFrom1").as_bool();
  columnsFrom1_ = state.at("columnsFrom1").as_bool();
  pending_ = state.at("pending").to_number<std::int64_t>();
  pendingCommand_ = json::value_to<std::string>(state.at("pendingCommand"));
  owned_.clear();
  for (const auto& [owner, stops] : state.at("owned").as_object()) {
    for (const json::value& v : stops.as_array())
      owned_[std::string(owner)].push_back(
          {v.at("id").to_number<int>(), json::value_to<std::string>(v.at("command"))});
  }
  for (const auto& [file, path] : state.at("known").as_object())
    paths_.learn(std::string(file), json::value_to<std::string>(path));
  paths_.setFolders(json::value_to<std::vector<std::string>>(state.at("folders")));
  held_ = false;
  captured_.reset();
  after_ = nullptr;
}

}  // namespace rtvp::debug
