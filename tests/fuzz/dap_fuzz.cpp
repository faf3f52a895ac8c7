// Any bytes at the debugger's door for editors: nothing but refusals comes of what is no request,
// and each request that is one gets one answer. The program is small and ends by its instruction
// limit.
#include <boost/json/parse.hpp>
#include <deque>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/debug/driver.hpp"
#include "models/debug/remote/dap.hpp"
#include "models/debug/remote/wire.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;

namespace {

using namespace rtvp::c32;  // NOLINT(google-build-using-namespace): a program about this namespace
namespace debug = rtvp::debug;

struct Queue final : debug::Channel {
  std::optional<std::string> receive() override {
    if (messages.empty()) return std::nullopt;
    std::string first = std::move(messages.front());
    messages.pop_front();
    ++taken;
    return first;
  }
  [[nodiscard]] bool waiting() const override { return !messages.empty(); }
  void send(const std::string& message) override {
    const boost::json::value value = boost::json::parse(message);
    const boost::json::object& o = value.as_object();
    require(o.contains("seq"), "every message has a number");
    if (o.at("type") == "response") ++answered;
  }
  std::deque<std::string> messages;
  std::size_t taken = 0, answered = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLongest = 8192, kMostMessages = 60;
  if (size > kLongest) return 0;
  static const AssemblyResult program = assemble(
      "p.asm", "_start: LDI 3,R1\nloop: CALL work\n\tSUBI 1,R1\n\tBNZ loop\n\tIDLE\nwork: RETS\n",
      {});
  require(program.image.has_value(), "the program assembles");
  Queue queue;
  debug::DapWire wire;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    // In two pieces, somewhere.
    const std::size_t cut = size == 0 ? 0 : data[0] % size;
    const auto keep = [&queue](const std::string& m) { queue.messages.push_back(m); };
    wire.feed(std::string_view(bytes).substr(0, cut), keep, {});
    wire.feed(std::string_view(bytes).substr(cut), keep, {});
  } catch (const debug::WireError&) {
    // What came in front of it counts.
  }
  if (queue.messages.size() > kMostMessages) return 0;
  Machine machine({}, {.wait = 0});
  machine.load(*program.image);
  machine.cpu().setRegister(reg::SP, 0x200);
  SessionOptions limits;
  limits.maxInstructions = 500;
  limits.maxCycles = 20'000;
  Session session(machine, *program.image, limits);
  debug::DapHost host(queue);
  Driver driver(session, host, [&host] { return host.interrupted(); });
  // Actions that go on for ever, and files, are the user's.
  for (const char* const word : {"do", "source", "log"}) {
    if (bytes.find(word) != std::string::npos && bytes.find("repl") != std::string::npos) return 0;
  }
  driver.run();
  require(queue.answered == queue.taken, "one answer a message");
  return 0;
}

namespace rtvp::fuzz {
namespace {

std::string session(const std::vector<std::string>& requests) {
  std::string bytes;
  int seq = 0;
  for (const std::string& r : requests) {
    const std::size_t blank = r.find(' ');
    const std::string arguments = blank == std::string::npos ? "{}" : r.substr(blank + 1);
    const std::string body = R"({"seq":)" + std::to_string(++seq) +
                             R"(,"type":"request","command":")" + r.substr(0, blank) +
                             R"(","arguments":)" + arguments + "}";
    bytes += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  return bytes;
}

}  // namespace

std::vector<std::string> seeds() {
  return {
      session({"initialize", R"(launch {"stopOnEntry":true})", "configurationDone",
               R"(continue {"threadId":1})"}),
      session(
          {"initialize", R"(attach {"sourceRoots":["/x"]})",
           R"(setBreakpoints {"source":{"path":"p.asm"},"breakpoints":[{"line":3,"condition":"R1>1",)"
           R"("hitCondition":"% 2","logMessage":"a {R1} b"},{"line":2}]})",
           R"(setFunctionBreakpoints {"breakpoints":[{"name":"work"}]})", "configurationDone",
           R"(stackTrace {"threadId":1})", R"(scopes {"frameId":1})",
           R"(variables {"variablesReference":1})", R"(variables {"variablesReference":21})",
           R"(next {"threadId":1,"granularity":"instruction"})", R"(stepOut {"threadId":1})"}),
      session(
          {"initialize", "launch", R"(dataBreakpointInfo {"name":"R1","frameId":1})",
           R"(setDataBreakpoints {"breakpoints":[{"dataId":"0x10 1 c32","accessType":"read"}]})",
           R"(setInstructionBreakpoints {"breakpoints":[{"instructionReference":"0x2","offset":4}]})",
           R"(evaluate {"expression":"R1 + 1","context":"watch"})",
           R"(evaluate {"expression":"break work; run","context":"repl"})",
           R"(setVariable {"variablesReference":1,"name":"R1","value":"5"})",
           R"(setExpression {"expression":"[0x200]","value":"-1"})"}),
      session(
          {"initialize",
           R"(disassemble {"memoryReference":"0x2","instructionOffset":-4,"instructionCount":9})",
           R"(readMemory {"memoryReference":"0x0","offset":-3,"count":40})",
           R"(writeMemory {"memoryReference":"0x200","offset":1,"data":"AQID"})", "loadedSources",
           R"(source {"source":{"path":"p.asm"}})", R"(completions {"text":"pri","column":4})",
           R"(breakpointLocations {"source":{"path":"p.asm"},"line":1,"endLine":9})",
           R"(exceptionInfo {"threadId":1})", R"(stepBack {"threadId":1})",
           R"(pause {"threadId":1})", R"(disconnect {"terminateDebuggee":true})"}),
      "Content-Length: 3\r\nX: y\r\n\r\n[1]Content-Length: 2\r\n\r\n{}"};
}

}  // namespace rtvp::fuzz
