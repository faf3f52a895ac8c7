// The debugger's client at a socket or at the standard streams. A process of its own talks to it:
// it reads ahead, checks the form of what comes and queues whole messages, so that the simulation,
// which may be any of the processes that Snapshots makes, takes them when it has time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "models/debug/remote/channel.hpp"

namespace rtvp::debug {

enum class Protocol : std::uint8_t { Dap, Gdb };

/// Where a client is expected.
struct Door {
  bool standard = false;              ///< standard input and output
  std::string address = "127.0.0.1";  ///< numeric
  std::uint16_t port = 0;             ///< 0: any that is free
};

/// `-`, PORT or ADDRESS:PORT ([ADDRESS]:PORT for IPv6). Throws std::invalid_argument that says what
/// was found and what is expected.
[[nodiscard]] Door doorFrom(std::string_view text);

class Front final : public Channel {
 public:
  /// Opens the door and starts the process. Standard output leads to standard error from here on if
  /// the client has it, and standard input is empty. Call it before Snapshots, with one thread.
  /// `announce` hears where a client may connect. Throws std::system_error: the port is taken, ...
  Front(Protocol protocol, const Door& door,
        const std::function<void(const std::string&)>& announce);
  ~Front() override;
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;

  std::optional<std::string> receive() override;
  [[nodiscard]] bool waiting() const override;
  void send(const std::string& message) override;

 private:
  struct Shared;
  Shared* shared_ = nullptr;
  int socket_ = -1;  ///< to the process
};

}  // namespace rtvp::debug
