// How messages stand in the stream of bytes from and to a client: bounded, and refused when they
// are malformed. Bytes come in pieces of any size.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rtvp::debug {

/// The stream holds no messages, or too large ones: nothing that follows can be read.
class WireError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Wire {
 public:
  static constexpr std::size_t kMostHeader = 1024;                    ///< bytes
  static constexpr std::size_t kMostMessage = std::size_t{4} << 20U;  ///< bytes

  virtual ~Wire() = default;
  /// Takes bytes of the client; whole messages go to `message`, what the wire itself has to answer
  /// to `answer`. Throws WireError.
  virtual void feed(std::string_view bytes, const std::function<void(const std::string&)>& message,
                    const std::function<void(const std::string&)>& answer) = 0;
  /// A message of ours as it goes to the client.
  [[nodiscard]] virtual std::string framed(const std::string& message) = 0;
};

/// The Debug Adapter Protocol's base: header fields, an empty line, Content-Length bytes.
class DapWire final : public Wire {
 public:
  void feed(std::string_view bytes, const std::function<void(const std::string&)>& message,
            const std::function<void(const std::string&)>& answer) override;
  [[nodiscard]] std::string framed(const std::string& message) override;

 private:
  [[nodiscard]] static std::size_t lengthOf(std::string_view header);
  std::string bytes_;       ///< not yet taken
  std::size_t length_ = 0;  ///< of the message that bytes_ begins with
  bool inMessage_ = false;
};

/// GDB's remote serial protocol: `$...#cc` with a checksum, acknowledged by + and - until the
/// client asks for none, and the byte 3 as a message of its own. Messages are unescaped.
class GdbWire final : public Wire {
 public:
  void feed(std::string_view bytes, const std::function<void(const std::string&)>& message,
            const std::function<void(const std::string&)>& answer) override;
  [[nodiscard]] std::string framed(const std::string& message) override;

 private:
  enum class In { Between, Message, Escape, Check1, Check2 };
  void take(char c, const std::function<void(const std::string&)>& message,
            const std::function<void(const std::string&)>& answer);
  void whole(const std::function<void(const std::string&)>& message,
             const std::function<void(const std::string&)>& answer);
  In in_ = In::Between;
  std::string message_, last_;
  unsigned sum_ = 0;
  char check_[2] = {};
  bool acknowledges_ = true;
  bool ceases_ = false;  ///< behind the answer to the message that asks for it
};

/// A message that is the byte 3: the client wants the machine to stop.
inline constexpr const char* kGdbInterrupt = "\x03";

}  // namespace rtvp::debug
