// A client of GDB's remote serial protocol at a dialogue: one unit, which stops as a whole.
// Breakpoints and watchpoints are stops of the watcher; `monitor` passes commands of the prompt.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/debug/file_host.hpp"
#include "models/debug/remote/channel.hpp"

namespace rtvp::debug {

/// A unit as GDB knows its architecture. Registers are numbered in this order.
struct GdbTarget {
  static constexpr int kPc = -1;
  struct Register {
    std::string_view name;
    std::string_view type;  ///< GDB's: "int", "code_ptr", "ieee_double"
    unsigned bits = 64;
    int unitRegister = 0;  ///< of Unit::registers(), or kPc
  };
  struct Feature {
    std::string_view name;
    std::vector<Register> registers;
  };
  std::string_view architecture;
  std::vector<Feature> features;
};

class GdbHost final : public FileHost {
 public:
  /// Addresses of the unit are bytes.
  GdbHost(Channel& channel, GdbTarget target);

  /// The client wants to say something.
  [[nodiscard]] bool interrupted() const { return !gone_ && channel_.waiting(); }

  void print(const std::string& text) override;
  std::optional<std::string> line(const std::string& prompt) override;
  void stands(Dialogue& dialogue, const Standing& standing) override;
  [[nodiscard]] bool protocol() const override { return true; }
  bool log(const std::string& /*path*/) override { return false; }
  [[nodiscard]] boost::json::object save() const override;
  void restore(const boost::json::object& state) override;

 private:
  /// The answer; empty optional: none yet, the machine moves.
  std::optional<std::string> answer(const std::string& packet);
  std::optional<std::string> general(const std::string& packet);
  std::optional<std::string> verbose(const std::string& packet);
  std::optional<std::string> go(bool step);
  std::optional<std::string> back(bool step);
  std::string readAll() const;
  std::string writeAll(std::string_view values);
  std::string readOne(std::string_view number) const;
  std::string writeOne(std::string_view text);
  std::string readMemory(std::string_view text) const;
  std::string writeMemory(std::string_view text, bool binary);
  std::string setStop(std::string_view text, bool wanted);
  std::string monitor(std::string_view hex);
  std::string description(std::string_view range) const;
  void stopReply(const Standing& standing);
  void stopReply(std::string text);
  void leave();
  [[nodiscard]] std::string valueOf(const GdbTarget::Register& reg) const;
  bool setValue(const GdbTarget::Register& reg, std::string_view hex);

  Channel& channel_;
  GdbTarget target_;
  std::vector<GdbTarget::Register> registers_;  ///< by number
  Dialogue* dialogue_ = nullptr;
  const Standing* standing_ = nullptr;
  std::optional<std::string> captured_;
  bool held_ = false;

  // Of the session.
  bool running_ = false;  ///< a stop reply is owed
  bool gone_ = false, stopReasons_ = false;
  std::string last_ = "T05thread:1;";  ///< what ? is answered
  std::map<std::string, int> stops_;   ///< by packet without its Z
};

}  // namespace rtvp::debug
