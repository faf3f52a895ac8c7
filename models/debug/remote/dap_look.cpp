// Requests of dap.hpp that show the machine.
#include <algorithm>
#include <utility>

#include "models/common/core/text.hpp"
#include "models/debug/remote/base64.hpp"
#include "models/debug/remote/dap_arguments.hpp"
#include "models/debug/remote/dap_references.hpp"

namespace rtvp::debug {

namespace json = boost::json;
using Body = json::object;

namespace {

constexpr std::int64_t kMostBytes = 1 << 20, kMostInstructions = 65536;

/// `[first, last)` of so many things, as a request asks for a part of them.
std::pair<std::size_t, std::size_t> partOf(const json::object& a, std::string_view from,
                                           std::string_view count, std::size_t all) {
  const std::int64_t first = std::max<std::int64_t>(arguments::integer(a, from).value_or(0), 0);
  std::int64_t n = arguments::integer(a, count).value_or(0);
  if (n <= 0) n = static_cast<std::int64_t>(all);
  const std::size_t begin = std::min(static_cast<std::size_t>(first), all);
  return {begin, begin + std::min(static_cast<std::size_t>(n), all - begin)};
}

json::array part(json::array all, const json::object& a) {
  const auto [first, last] = partOf(a, "start", "count", all.size());
  return json::array(all.begin() + static_cast<std::ptrdiff_t>(first),
                     all.begin() + static_cast<std::ptrdiff_t>(last));
}

std::uint64_t moved(std::uint64_t address, std::int64_t by, const Unit& unit) {
  return (address + static_cast<std::uint64_t>(by)) & unit.addressMask();
}

}  // namespace

Body DapHost::threads(const Arguments& /*a*/) {
  json::array all;
  const auto& units = dialogue_->scope().units;
  for (std::size_t u = 0; u < units.size(); ++u)
    all.emplace_back(Body{{"id", u + 1}, {"name", units[u]->name()}});
  return {{"threads", std::move(all)}};
}

Body DapHost::stackTrace(const Arguments& a) {
  const std::size_t unit = threadUnit(a);
  const Program& program = dialogue_->program();
  std::vector<std::uint64_t> places = {unitAt(unit).pc()};
  for (const std::uint64_t caller : unitAt(unit).callers()) places.push_back(caller);
  places.resize(std::min(places.size(), reference::kMostFrames));
  json::array frames;
  const auto [first, last] = partOf(a, "startFrame", "levels", places.size());
  for (std::size_t level = first; level < last; ++level) {
    const std::uint64_t place = places[level];
    // Of a caller, the line of the call.
    const Line* line = program.lineAt(level == 0 ? place : place - 1);
    if (line == nullptr) line = program.lineAt(place);
    Body frame = {{"id", reference::frame(unit, level)},
                  {"name", program.symbolic(place)},
                  {"line", 0},
                  {"column", 0},
                  {"instructionPointerReference", common::hex0x(place)}};
    if (line != nullptr) {
      frame["source"] = sourceBody(line->file);
      frame["line"] = line->number - (linesFrom1_ ? 0 : 1);
      frame["column"] = columnsFrom1_ ? 1 : 0;
    }
    frames.emplace_back(std::move(frame));
  }
  return {{"stackFrames", std::move(frames)}, {"totalFrames", places.size()}};
}

std::size_t DapHost::frameUnit(const Arguments& a) const {
  const auto frame = arguments::integer(a, "frameId");
  if (!frame) return dialogue_->focus();
  const std::size_t unit = reference::unitOfFrame(*frame);
  if (*frame < 1 || unit >= dialogue_->scope().units.size())
    throw DapRefusal("found the frame " + std::to_string(*frame) + ", which is not there");
  return unit;
}

std::size_t DapHost::unitOfReference(std::int64_t r) const {
  const std::size_t unit = reference::unitOf(r);
  if (r < 1 || unit >= dialogue_->scope().units.size())
    throw DapRefusal("found the reference " + std::to_string(r) + ", which is not there");
  return unit;
}

Body DapHost::scopes(const Arguments& a) {
  const std::size_t unit = frameUnit(a);
  json::array all;
  const auto add = [&](std::string_view name, std::int64_t what, std::size_t count, bool slow,
                       std::string_view hint) {
    if (count == 0) return;
    Body scope = {{"name", name},
                  {"variablesReference", reference::of(unit, what)},
                  {"namedVariables", count},
                  {"expensive", slow}};
    if (!hint.empty()) scope["presentationHint"] = hint;
    all.emplace_back(std::move(scope));
  };
  const auto registers = unitAt(unit).registers();
  const auto shared = static_cast<std::size_t>(std::count_if(
      registers.begin(), registers.end(), [](const Register& r) { return r.shared; }));
  add("Registers", reference::kRegisters, registers.size() - shared + reference::kOwn, false,
      "registers");
  add("Machine", reference::kMachine, shared, true, "");
  // Named words are in the memory of the first unit's kind.
  const bool has = dialogue_->program().runnerOf(0, unit) == unit;
  add("Data", reference::kData, has ? dataLabels().size() : 0, true, "");
  return {{"scopes", std::move(all)}};
}

Body DapHost::variables(const Arguments& a) {
  const std::int64_t r = arguments::needInteger(a, "variablesReference");
  const std::size_t unit = unitOfReference(r);
  const std::int64_t what = reference::whatOf(r);
  json::array all;
  if (what == reference::kRegisters || what == reference::kMachine) {
    all = registersOf(unit, what == reference::kMachine);
  } else if (what == reference::kData) {
    all = dataOf(unit);
  } else {
    const bool isRegister = what < reference::kFirstLabel;
    const auto registers = unitAt(unit).registers();
    const auto index = static_cast<std::size_t>(what - reference::kFirstRegister);
    all = viewsOf(unit, nameOf(unit, r, ""),
                  !isRegister || (index < registers.size() && registers[index].real));
  }
  return {{"variables", part(std::move(all), a)}};
}

/// A command as at the prompt; what it prints is the result.
Body DapHost::runCommand(const std::string& text) {
  const bool was = running_;
  captured_.emplace();
  try {
    dialogue_->perform(text);
  } catch (...) {
    captured_.reset();
    throw;
  }
  std::string said = std::move(*captured_);
  captured_.reset();
  while (!said.empty() && said.back() == '\n') said.pop_back();
  if (dialogue_->moving()) {
    running_ = true;
    held_ = false;
    after_ = [this] {
      event("continued", {{"threadId", dialogue_->focus() + 1}, {"allThreadsContinued", true}});
    };
  } else {
    running_ = was;
  }
  return {{"result", said}, {"variablesReference", 0}};
}

Body DapHost::evaluate(const Arguments& a) {
  const std::string text = arguments::text(a, "expression");
  const std::size_t unit = frameUnit(a);
  dialogue_->setFocus(unit);
  if (arguments::text(a, "context") == "repl") return runCommand(text);
  Body body = valued(unit, text);
  boost::json::value result = std::move(body.at("value"));  // a new member may move the others
  body.erase("value");
  body["result"] = std::move(result);
  return body;
}

Body DapHost::instructionAt(std::uint64_t address) const {
  const Unit& unit = dialogue_->unit();
  Body body = {{"address", common::hex0x(address, unit.addressDigits())}};
  std::string bytes;
  bool there = true;
  for (unsigned n = 0; n < unit.length(address); ++n) {
    const auto word = unit.peek(moved(address, n, unit));
    there = there && word.has_value();
    bytes += (bytes.empty() ? "" : " ") + (word ? common::hex(*word, unit.wordBits() / 4) : "--");
  }
  body["instructionBytes"] = bytes;
  body["instruction"] = there ? unit.disassemble(address) : "nothing answers";
  if (!there) body["presentationHint"] = "invalid";
  const Program& program = dialogue_->program();
  if (const auto label = program.labels.find(address); label != program.labels.end())
    body["symbol"] = label->second;
  if (const Line* const line = program.lineAt(address)) {
    body["location"] = sourceBody(line->file);
    body["line"] = line->number - (linesFrom1_ ? 0 : 1);
  }
  return body;
}

Body DapHost::disassemble(const Arguments& a) {
  const Unit& unit = dialogue_->unit();
  const std::int64_t bytes = arguments::integer(a, "offset").value_or(0);
  const std::int64_t skip = arguments::integer(a, "instructionOffset").value_or(0);
  const std::int64_t count = arguments::needInteger(a, "instructionCount");
  if (count < 0 || count > kMostInstructions || std::abs(skip) > kMostInstructions)
    throw DapRefusal("expected at most " + std::to_string(kMostInstructions) + " instructions");
  const int wordBytes = std::max(1, static_cast<int>(unit.wordBits() / 8));
  std::uint64_t at = moved(arguments::address(a, "memoryReference"), bytes / wordBytes, unit);
  // Backwards by the shortest instruction: each step is a place where one could begin.
  if (skip < 0) at = moved(at, skip * static_cast<std::int64_t>(unit.shortest()), unit);
  for (std::int64_t n = 0; n < skip; ++n) at = moved(at, unit.length(at), unit);
  json::array all;
  for (std::int64_t n = 0; n < count; ++n) {
    all.emplace_back(instructionAt(at));
    at = moved(at, skip + n < 0 ? unit.shortest() : unit.length(at), unit);
  }
  return {{"instructions", std::move(all)}};
}

Body DapHost::readMemory(const Arguments& a) {
  const Unit& unit = dialogue_->unit();
  const std::int64_t offset = arguments::integer(a, "offset").value_or(0);
  const std::int64_t count = arguments::needInteger(a, "count");
  if (count < 0 || count > kMostBytes)
    throw DapRefusal("count: expected 0 to " + std::to_string(kMostBytes) + " bytes");
  const std::int64_t wordBytes = std::max(1U, unit.wordBits() / 8);
  const std::uint64_t base = arguments::address(a, "memoryReference");
  std::vector<std::uint8_t> bytes;
  for (std::int64_t n = offset; n < offset + count; ++n) {
    const std::int64_t index = n >= 0 ? n / wordBytes : -((-n + wordBytes - 1) / wordBytes);
    const auto word = unit.peek(moved(base, index, unit));
    if (!word) break;
    bytes.push_back(static_cast<std::uint8_t>(*word >> (8 * (n - index * wordBytes))));
  }
  const std::int64_t first =
      offset >= 0 ? offset / wordBytes : -((-offset + wordBytes - 1) / wordBytes);
  return {{"address", common::hex0x(moved(base, first, unit), unit.addressDigits())},
          {"data", base64(bytes)},
          {"unreadableBytes", count - static_cast<std::int64_t>(bytes.size())}};
}

Body DapHost::writeMemory(const Arguments& a) {
  Unit& unit = dialogue_->unit();
  const auto bytes = fromBase64(arguments::text(a, "data"));
  if (!bytes) throw DapRefusal("data: expected base64");
  const std::int64_t offset = arguments::integer(a, "offset").value_or(0);
  const std::int64_t wordBytes = std::max(1U, unit.wordBits() / 8);
  const std::uint64_t base = arguments::address(a, "memoryReference");
  std::int64_t written = 0;
  for (const std::uint8_t byte : *bytes) {
    const std::int64_t n = offset + written;
    const std::int64_t index = n >= 0 ? n / wordBytes : -((-n + wordBytes - 1) / wordBytes);
    const std::uint64_t address = moved(base, index, unit);
    const auto word = unit.peek(address);
    const auto shift = static_cast<unsigned>(8 * (n - index * wordBytes));
    const std::uint64_t mask = std::uint64_t{0xFF} << shift;
    if (!word || !unit.poke(address, (*word & ~mask) | std::uint64_t{byte} << shift)) break;
    ++written;
  }
  if (written != 0) dialogue_->touch();
  if (written != static_cast<std::int64_t>(bytes->size()) &&
      !arguments::flag(a, "allowPartial", false))
    throw DapRefusal("only " + std::to_string(written) + " bytes could be written");
  return {{"bytesWritten", written}};
}

}  // namespace rtvp::debug
