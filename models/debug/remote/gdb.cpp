// See gdb.hpp. Packets: "Debugging with GDB", appendix E.
#include "models/debug/remote/gdb.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "models/common/core/text.hpp"
#include "models/debug/remote/wire.hpp"
#include "models/debug/snapshots.hpp"

namespace rtvp::debug {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostBytes = 1 << 16;
constexpr const char* kError = "E01";

std::string hexOf(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += common::hexDigits(static_cast<unsigned char>(c), 2);
  return text;
}

std::optional<std::uint64_t> number(std::string_view hex) {
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(hex.data(), hex.data() + hex.size(), value, 16);
  if (hex.empty() || error != std::errc() || stop != hex.data() + hex.size()) return std::nullopt;
  return value;
}

std::optional<std::string> bytesOf(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t n = 0; n < hex.size(); n += 2) {
    const auto byte = number(hex.substr(n, 2));
    if (!byte) return std::nullopt;
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

/// What stands in front of the separator, which is cut off with it.
std::string_view before(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

}  // namespace

GdbHost::GdbHost(Channel& channel, GdbTarget target)
    : channel_(channel), target_(std::move(target)) {
  for (const GdbTarget::Feature& f : target_.features)
    registers_.insert(registers_.end(), f.registers.begin(), f.registers.end());
}

void GdbHost::print(const std::string& text) {
  if (captured_) {
    *captured_ += text;
  } else if (running_ && !Silence::active()) {
    channel_.send("O" + hexOf(text));
  }
}

std::optional<std::string> GdbHost::line(const std::string& /*prompt*/) {
  if (held_ && !channel_.waiting()) {
    held_ = false;
    dialogue_->resume();
    return " ";
  }
  const auto packet = channel_.receive();
  if (!packet) {
    leave();
    return " ";
  }
  try {
    if (const auto reply = answer(*packet)) channel_.send(*reply);
  } catch (const std::exception&) {
    captured_.reset();
    channel_.send(kError);
  }
  return " ";
}

/// The client goes; the program goes on without it.
void GdbHost::leave() {
  gone_ = true;
  running_ = false;
  dialogue_->goOnAlone(*standing_);
}

std::optional<std::string> GdbHost::answer(const std::string& packet) {
  if (packet == kGdbInterrupt) {
    if (held_) stopReply("T02thread:1;");
    return std::nullopt;
  }
  const std::string_view rest =
      std::string_view(packet).substr(std::min<std::size_t>(1, packet.size()));
  switch (packet.empty() ? '\0' : packet[0]) {
    case '?':
      return last_;
    case 'g':
      return readAll();
    case 'G':
      return writeAll(rest);
    case 'p':
      return readOne(rest);
    case 'P':
      return writeOne(rest);
    case 'm':
      return readMemory(rest);
    case 'M':
    case 'X':
      return writeMemory(rest, packet[0] == 'X');
    case 'Z':
    case 'z':
      return setStop(rest, packet[0] == 'Z');
    case 'c':
    case 'C':
      return go(false);
    case 's':
    case 'S':
      return go(true);
    case 'b':
      return rest == "c" || rest == "s" ? back(rest == "s") : std::string();
    case 'H':
    case 'T':
      return "OK";
    case 'D':
      channel_.send("OK");
      leave();
      return std::nullopt;
    case 'k':
      dialogue_->leave();
      return std::nullopt;
    case 'q':
    case 'Q':
      return general(packet);
    case 'v':
      return verbose(packet);
    default:
      return "";
  }
}

std::optional<std::string> GdbHost::general(const std::string& packet) {
  const auto begins = [&packet](std::string_view text) { return packet.starts_with(text); };
  if (begins("qSupported")) {
    stopReasons_ = packet.find("swbreak+") != std::string::npos;
    return "PacketSize=10000;QStartNoAckMode+;qXfer:features:read+;swbreak+;hwbreak+;"
           "vContSupported+;ReverseStep+;ReverseContinue+";
  }
  if (packet == "QStartNoAckMode") return "OK";
  if (begins("qXfer:features:read:target.xml:")) return description(packet.substr(31));
  if (packet == "qC") return "QC1";
  if (packet == "qfThreadInfo") return "m1";
  if (packet == "qsThreadInfo") return "l";
  if (begins("qThreadExtraInfo,")) return hexOf(dialogue_->unit().name());
  if (begins("qAttached")) return "1";
  if (begins("qRcmd,")) return monitor(std::string_view(packet).substr(6));
  return "";
}

std::optional<std::string> GdbHost::verbose(const std::string& packet) {
  if (packet == "vCont?") return "vCont;c;C;s;S";
  if (packet.starts_with("vCont;")) {
    const char action = packet.size() > 6 ? packet[6] : '\0';
    if (action == 'c' || action == 'C') return go(false);
    if (action == 's' || action == 'S') return go(true);
    return kError;
  }
  if (packet.starts_with("vKill")) {
    channel_.send("OK");
    dialogue_->leave();
    return std::nullopt;
  }
  return "";
}

// ---- moves

std::optional<std::string> GdbHost::go(bool step) {
  if (standing_->reason == Standing::Reason::Over ||
      standing_->reason == Standing::Reason::Failed) {
    channel_.send("W" + common::hexDigits(static_cast<unsigned>(standing_->status), 2));
    dialogue_->leave();
    return std::nullopt;
  }
  Move move;
  if (step) move.kind = Move::Kind::Step;
  running_ = true;
  held_ = false;
  dialogue_->move(move);
  return std::nullopt;
}

/// Does not return if it is possible: an earlier state answers.
std::optional<std::string> GdbHost::back(bool step) {
  Reverse how;
  how.kind = step ? Reverse::Kind::Step : Reverse::Kind::Continue;
  running_ = true;
  try {
    dialogue_->reverse(how);
  } catch (const CommandError&) {
    stopReply("T05replaylog:begin;thread:1;");
  }
  return std::nullopt;
}

void GdbHost::stopReply(std::string text) {
  running_ = held_ = false;
  last_ = std::move(text);
  channel_.send(last_);
}

void GdbHost::stopReply(const Standing& standing) {
  for (const Hit& hit : standing.hits) {
    const auto mine = std::find_if(stops_.begin(), stops_.end(),
                                   [&hit](const auto& s) { return s.second == hit.id; });
    if (mine == stops_.end()) continue;
    const char kind = mine->first[0];
    std::string_view rest = std::string_view(mine->first).substr(2);
    const std::string place(before(rest, ','));
    if (kind == '2') return stopReply("T05watch:" + place + ";thread:1;");
    if (kind == '3') return stopReply("T05rwatch:" + place + ";thread:1;");
    if (kind == '4') return stopReply("T05awatch:" + place + ";thread:1;");
    if (stopReasons_)
      return stopReply(kind == '0' ? "T05swbreak:;thread:1;" : "T05hwbreak:;thread:1;");
  }
  stopReply("T05thread:1;");
}

void GdbHost::stands(Dialogue& dialogue, const Standing& standing) {
  using Reason = Standing::Reason;
  dialogue_ = &dialogue;
  standing_ = &standing;
  const bool ended = standing.reason == Reason::Over || standing.reason == Reason::Failed;
  if (gone_) return ended ? dialogue.leave() : dialogue.move({});
  if (!running_) return;
  switch (standing.reason) {
    case Reason::Begin:
      return;
    case Reason::Interrupted:
      held_ = true;
      return;
    case Reason::Over:
      running_ = false;
      channel_.send("W" + common::hexDigits(static_cast<unsigned>(standing.status), 2));
      return dialogue.leave();
    case Reason::Failed:
      print(standing.text + "\n");
      return stopReply("T06thread:1;");
    case Reason::Back:
      return stopReply(standing.text.starts_with("no stop before") ? "T05replaylog:begin;thread:1;"
                                                                   : "T05thread:1;");
    case Reason::Stop:
      return stopReply(standing);
  }
}

// ---- registers and memory

std::string GdbHost::valueOf(const GdbTarget::Register& reg) const {
  Unit& unit = dialogue_->unit();
  std::uint64_t raw = reg.unitRegister == GdbTarget::kPc
                          ? unit.pc()
                          : unit.value(static_cast<unsigned>(reg.unitRegister));
  std::string bytes;
  for (unsigned n = 0; n < reg.bits; n += 8, raw >>= 8U) bytes += static_cast<char>(raw);
  return hexOf(bytes);
}

bool GdbHost::setValue(const GdbTarget::Register& reg, std::string_view hex) {
  const auto bytes = bytesOf(hex);
  if (!bytes || bytes->size() != reg.bits / 8) return false;
  std::uint64_t raw = 0;
  for (std::size_t n = bytes->size(); n-- > 0;)
    raw = raw << 8U | static_cast<unsigned char>((*bytes)[n]);
  Unit& unit = dialogue_->unit();
  if (reg.unitRegister == GdbTarget::kPc) {
    unit.setPc(raw);
  } else {
    unit.setValue(static_cast<unsigned>(reg.unitRegister), raw);
  }
  dialogue_->touch();
  return true;
}

std::string GdbHost::readAll() const {
  std::string all;
  for (const GdbTarget::Register& reg : registers_) all += valueOf(reg);
  return all;
}

std::string GdbHost::writeAll(std::string_view values) {
  std::size_t size = 0;
  for (const GdbTarget::Register& reg : registers_) size += reg.bits / 4;
  if (values.size() != size || !bytesOf(values)) return kError;
  for (const GdbTarget::Register& reg : registers_) {
    setValue(reg, values.substr(0, reg.bits / 4));
    values.remove_prefix(reg.bits / 4);
  }
  return "OK";
}

std::string GdbHost::readOne(std::string_view text) const {
  const auto n = number(text);
  return n && *n < registers_.size() ? valueOf(registers_[*n]) : kError;
}

std::string GdbHost::writeOne(std::string_view text) {
  const auto n = number(before(text, '='));
  return n && *n < registers_.size() && setValue(registers_[*n], text) ? "OK" : kError;
}

std::string GdbHost::readMemory(std::string_view text) const {
  const auto address = number(before(text, ',')), size = number(text);
  if (!address || !size || *size > kMostBytes) return kError;
  std::string bytes;
  for (std::uint64_t n = 0; n < *size; ++n) {
    const auto byte = dialogue_->unit().peek(*address + n);
    if (!byte) break;
    bytes += static_cast<char>(*byte);
  }
  return bytes.empty() && *size != 0 ? kError : hexOf(bytes);
}

std::string GdbHost::writeMemory(std::string_view text, bool binary) {
  const auto address = number(before(text, ',')), size = number(before(text, ':'));
  const auto bytes = binary ? std::optional<std::string>(text) : bytesOf(text);
  if (!address || !size || !bytes || bytes->size() != *size) return kError;
  for (std::size_t n = 0; n < bytes->size(); ++n) {
    if (!dialogue_->unit().poke(*address + n, static_cast<unsigned char>((*bytes)[n])))
      return kError;
  }
  if (!bytes->empty()) dialogue_->touch();
  return "OK";
}

/// `KIND,ADDRESS,SIZE`.
std::string GdbHost::setStop(std::string_view text, bool wanted) {
  const std::string key(text);
  Stops& stops = dialogue_->watcher().stops();
  if (const auto old = stops_.find(key); old != stops_.end()) {
    if (wanted) return "OK";
    stops.remove(old->second);
    stops_.erase(old);
    dialogue_->watcher().changed();
    return "OK";
  }
  if (!wanted) return "OK";
  const std::string_view kind = before(text, ',');
  const auto address = number(before(text, ',')), size = number(text);
  if (!address || !size || *size > kMostBytes || kind.size() != 1 || kind[0] < '0' || kind[0] > '4')
    return kError;
  const std::string place = common::hex0x(*address);
  static constexpr std::string_view kHow[] = {"w", "r", "rw"};
  const std::string command =
      kind[0] < '2' ? "break " + place
                    : "watch " + place + " " + std::to_string(std::max<std::uint64_t>(*size, 1)) +
                          " " + std::string(kHow[kind[0] - '2']);
  stops_[key] = stops.add(stopFrom(*dialogue_, command)).id;
  dialogue_->watcher().changed();
  return "OK";
}

/// A command of the prompt. What moves the machine is GDB's own.
std::string GdbHost::monitor(std::string_view hex) {
  const auto text = bytesOf(hex);
  if (!text) return kError;
  std::string said;
  try {
    for (const std::string& command : splitCommands(*text)) {
      Words words(command, 0, dialogue_->scope(), dialogue_->focus());
      if (dialogue_->find(words.word("a command"), 0).section == "moves")
        throw CommandError("found " + common::quoted(command) +
                           ", expected no move: continue, step and reverse-step are GDB's own");
    }
    captured_.emplace();
    dialogue_->perform(*text);
    said = std::move(*captured_);
  } catch (const CommandError& error) {
    said = captured_.value_or("") + "error: " + error.what() + "\n";
  }
  captured_.reset();
  return said.empty() ? "OK" : hexOf(said);
}

std::string GdbHost::description(std::string_view range) const {
  std::string xml =
      "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target>"
      "<architecture>" +
      std::string(target_.architecture) + "</architecture>";
  unsigned regnum = 0;
  for (const GdbTarget::Feature& feature : target_.features) {
    xml += "<feature name=\"" + std::string(feature.name) + "\">";
    for (const GdbTarget::Register& reg : feature.registers) {
      xml += "<reg name=\"" + std::string(reg.name) + "\" bitsize=\"" + std::to_string(reg.bits) +
             "\" type=\"" + std::string(reg.type) + "\" regnum=\"" + std::to_string(regnum++) +
             "\"/>";
    }
    xml += "</feature>";
  }
  xml += "</target>";
  const auto offset = number(before(range, ',')), size = number(range);
  if (!offset || !size || *offset > xml.size()) return kError;
  const std::string part = xml.substr(*offset, *size);
  return (*offset + part.size() < xml.size() ? "m" : "l") + part;
}

json::object GdbHost::save() const {
  json::object stops;
  for (const auto& [key, id] : stops_) stops[key] = id;
  return {{"running", running_},
          {"gone", gone_},
          {"reasons", stopReasons_},
          {"last", last_},
          {"stops", std::move(stops)}};
}

void GdbHost::restore(const json::object& state) {
  running_ = state.at("running").as_bool();
  gone_ = state.at("gone").as_bool();
  stopReasons_ = state.at("reasons").as_bool();
  last_ = state.at("last").as_string().c_str();
  stops_.clear();
  for (const auto& [key, id] : state.at("stops").as_object())
    stops_[std::string(key)] = id.to_number<int>();
  held_ = false;
  captured_.reset();
}

}  // namespace rtvp::debug
