// Any bytes as packets of GDB's remote protocol: what comes through is what a checksum vouches for,
// and what is framed comes back as it was.
#include "models/debug/remote/wire.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  rtvp::debug::GdbWire hostile, ours, theirs;
  std::size_t messages = 0;
  hostile.feed(
      bytes, [&](const std::string& m) { messages += m.size() + 1; }, [](const std::string&) {});
  require(messages <= 2 * size,
          "messages are made of the bytes that came");  // 03h is one by itself
  std::string back, answer;
  theirs.feed(
      ours.framed(bytes), [&back](const std::string& m) { back = m; },
      [&answer](const std::string& a) { answer += a; });
  require(back == bytes && answer == "+", "what is framed comes back");
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  return {"$qSupported:swbreak+#aa", "+$g#67$m80000000,4#00-\x03$X10,2:}\x03}\x5d#11", "$#00",
          "$a$b#c3", "\x03\x03"};
}

}  // namespace rtvp::fuzz
