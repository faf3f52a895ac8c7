// See front.hpp. Between the two processes a message is its length, 32 bits, and its bytes; the
// length kGone says that the client has left.
#include "models/debug/remote/front.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <iostream>
#include <new>
#include <stdexcept>
#include <system_error>

#include "models/common/core/text.hpp"
#include "models/debug/remote/wire.hpp"

namespace rtvp::debug {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Error = boost::system::error_code;

constexpr std::uint32_t kGone = 0xFFFFFFFF;

std::string headOf(std::uint32_t length) {
  std::string head(sizeof length, '\0');
  std::memcpy(head.data(), &length, sizeof length);
  return head;
}

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// False: nobody will ever write.
bool readAll(int descriptor, char* to, std::size_t size) {
  while (size != 0) {
    const ssize_t n = read(descriptor, to, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

void writeAll(int descriptor, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::send(descriptor, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;  // the other process is gone: whoever reads next sees it
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace

/// Of both processes.
struct Front::Shared {
  std::atomic<std::uint32_t> waiting{0};  ///< messages
  std::atomic<bool> gone{false};          ///< the client, and somebody has been told
};

Door doorFrom(std::string_view text) {
  Door door;
  if (text == "-") {
    door.standard = true;
    return door;
  }
  std::string_view port = text;
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    std::string_view address = text.substr(0, colon);
    if (address.size() > 2 && address.front() == '[' && address.back() == ']')
      address = address.substr(1, address.size() - 2);
    door.address = address;
    port = text.substr(colon + 1);
  }
  Error error;
  (void)asio::ip::make_address(door.address, error);
  const auto [stop, bad] = std::from_chars(port.data(), port.data() + port.size(), door.port);
  if (error || bad != std::errc() || stop != port.data() + port.size())
    throw std::invalid_argument("found " + common::quoted(text) +
                                ", expected - or a port, or ADDRESS:PORT with a numeric address");
  return door;
}

namespace {

/// The process that talks to the client.
class Talker {
 public:
  Talker(asio::io_context& io, std::unique_ptr<Wire> wire, int simulation,
         std::atomic<std::uint32_t>& waiting)
      : io_(io),
        wire_(std::move(wire)),
        in_(io),
        out_(io),
        simulation_(io, simulation),
        waiting_(waiting) {}

  void serve(int in, int out) {
    in_.assign(in);
    out_.assign(out);
    listen();
    hear();
    io_.run();
  }

 private:
  /// To the client: all bytes in order, one write at a time.
  void tell(const std::string& bytes, std::function<void()> then) {
    auto text = std::make_shared<std::string>(bytes);
    asio::async_write(out_, asio::buffer(*text),
                      [text, then = std::move(then)](const Error&, std::size_t) { then(); });
  }

  void listen() {
    in_.async_read_some(asio::buffer(room_), [this](const Error& error, std::size_t size) {
      if (error) return gone();
      std::string messages;
      std::uint32_t count = 0;
      bool good = true;
      try {
        wire_->feed(
            {room_.data(), size},
            [&](const std::string& m) {
              messages += headOf(static_cast<std::uint32_t>(m.size())) + m;
              ++count;
            },
            [this](const std::string& a) { answers_ += a; });
      } catch (const WireError& bad) {
        std::cerr << "debugger: " << bad.what() << "; the client is not served any further"
                  << std::endl;
        good = false;
      }
      flushAnswers();
      pass(messages, count, [this, good] { good ? listen() : gone(); });
    });
  }

  /// Acknowledgements of the wire, if nothing else is just being written.
  void flushAnswers() {
    if (telling_ || answers_.empty()) return;
    telling_ = true;
    tell(std::exchange(answers_, {}), [this] {
      telling_ = false;
      flushAnswers();
      if (hold_) std::exchange(hold_, nullptr)();
    });
  }

  void pass(const std::string& bytes, std::uint32_t count, std::function<void()> then) {
    waiting_ += count;
    auto text = std::make_shared<std::string>(bytes);
    asio::async_write(simulation_, asio::buffer(*text),
                      [this, text, then = std::move(then)](const Error& error, std::size_t) {
                        error ? io_.stop() : then();
                      });
  }

  void gone() {
    gone_ = true;
    Error ignored;
    in_.close(ignored);
    out_.close(ignored);
    pass(headOf(kGone), 1, [] {});
  }

  /// From the simulation; its end is the end of this process.
  void hear() {
    asio::async_read(simulation_, asio::buffer(&length_, sizeof length_),
                     [this](const Error& error, std::size_t) {
                       if (error) return io_.stop();
                       said_.resize(length_);
                       hearBody();
                     });
  }
  void hearBody() {
    asio::async_read(simulation_, asio::buffer(said_), [this](const Error& error, std::size_t) {
      if (error) return io_.stop();
      if (gone_) return hear();
      const auto telling = [this] {
        telling_ = true;
        tell(wire_->framed(said_), [this] {
          telling_ = false;
          flushAnswers();
          hear();
        });
      };
      if (telling_) {
        hold_ = telling;
      } else {
        telling();
      }
    });
  }

  static constexpr std::size_t kRoom = 65536;
  asio::io_context& io_;
  std::unique_ptr<Wire> wire_;
  asio::posix::stream_descriptor in_, out_, simulation_;
  std::atomic<std::uint32_t>& waiting_;
  std::array<char, kRoom> room_{};
  std::string answers_, said_;
  std::function<void()> hold_;  ///< what is told when the present write is over
  std::uint32_t length_ = 0;
  bool telling_ = false, gone_ = false;
};

std::unique_ptr<Wire> wireOf(Protocol protocol) {
  if (protocol == Protocol::Dap) return std::make_unique<DapWire>();
  return std::make_unique<GdbWire>();
}

/// A socket that waits for a client at the door; its port.
int listeningAt(const Door& door, std::uint16_t& port) {
  asio::io_context io;
  tcp::acceptor acceptor(io, {asio::ip::make_address(door.address), door.port});
  port = acceptor.local_endpoint().port();
  const int descriptor = dup(acceptor.native_handle());
  if (descriptor < 0) fail("cannot wait for a client");
  return descriptor;
}

/// The first to come; nobody after it.
int accepted(const Door& door, int listening, int simulation) {
  // The simulation may end before anybody comes.
  asio::io_context io;
  const bool six = asio::ip::make_address(door.address).is_v6();
  tcp::acceptor acceptor(io, six ? tcp::v6() : tcp::v4(), listening);
  asio::posix::stream_descriptor other(io, dup(simulation));
  int client = -1;
  acceptor.async_accept([&](const Error& error, tcp::socket peer) {
    if (!error) {
      peer.set_option(tcp::no_delay(true));
      client = dup(peer.native_handle());
    }
    io.stop();
  });
  other.async_wait(asio::posix::stream_descriptor::wait_error, [&io](const Error&) { io.stop(); });
  io.run();
  return client;
}

}  // namespace

Front::Front(Protocol protocol, const Door& door,
             const std::function<void(const std::string&)>& announce) {
  void* const room =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) fail("cannot talk to a client");
  shared_ = new (room) Shared;
  int in = -1, out = -1, listening = -1;
  if (door.standard) {
    in = dup(STDIN_FILENO);
    out = dup(STDOUT_FILENO);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (in < 0 || out < 0 || nothing < 0) fail("cannot take the standard streams");
    dup2(nothing, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    close(nothing);
  } else {
    std::uint16_t port = 0;
    listening = listeningAt(door, port);
    announce(door.address + ":" + std::to_string(port));
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    fail("cannot talk to a client");
  std::cout << std::flush;
  const pid_t process = fork();
  if (process < 0) fail("cannot talk to a client");
  if (process == 0) {
    close(ends[0]);
    std::signal(SIGINT, SIG_IGN);  // the simulation's end is this one's
    std::signal(SIGPIPE, SIG_IGN);
    try {
      if (!door.standard) {
        in = accepted(door, listening, ends[1]);
        close(listening);
        out = dup(in);
      }
      asio::io_context io;
      Talker talker(io, wireOf(protocol), ends[1], shared_->waiting);
      if (in >= 0) talker.serve(in, out);
    } catch (const std::exception& error) {
      std::cerr << "debugger: " << error.what() << std::endl;
    }
    _exit(0);
  }
  close(ends[1]);
  for (const int mine : {in, out, listening}) {
    if (mine >= 0) close(mine);
  }
  socket_ = ends[0];
}

Front::~Front() {
  if (socket_ >= 0) close(socket_);
  munmap(shared_, sizeof(Shared));
}

bool Front::waiting() const {
  return shared_->waiting.load(std::memory_order_relaxed) != 0;
}

std::optional<std::string> Front::receive() {
  std::uint32_t length = 0;
  if (shared_->gone) return std::nullopt;
  if (!readAll(socket_, reinterpret_cast<char*>(&length), sizeof length)) return std::nullopt;
  if (length == kGone) {
    shared_->gone = true;  // and stays waiting: whoever asks is told again
    return std::nullopt;
  }
  std::string message(length, '\0');
  if (!readAll(socket_, message.data(), length)) return std::nullopt;
  shared_->waiting -= 1;
  return message;
}

void Front::send(const std::string& message) {
  writeAll(socket_, headOf(static_cast<std::uint32_t>(message.size())) + message);
}

}  // namespace rtvp::debug
