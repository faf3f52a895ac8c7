// A batch request of sl-run with any bytes: an answer or an error that says why.
#include "models/sl/tools/request.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16384) return 0;
  try {
    const std::string reply = rtvp::sl::answer({reinterpret_cast<const char*>(data), size});
    const rtvp::sl::JsonDocument document(reply);
    require(document.root().kind() == rtvp::sl::JsonValue::Kind::Object, "an answer is an object");
  } catch (const std::exception& e) {
    require(e.what()[0] != '\0', "an error says why");
  }
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  return {
      R"({"program":"sl 1.0\nlookup v0, t0, uv\nmovc x s0, v0\n","set":{"uv":[0.1,"nan",-1e-3]},)"
      R"("textures":{"t0":{"w":2,"h":1,"texels":[[1,0,0],[0.5,"inf",1]]}}})",
      R"({"code":["3010161000000000","5000000000000000"],"set":{"N":[0,0,1],"Kd":0.1},"seed":7})",
      R"({"program":"sl 1.0\nrnd s0\ntrace r0, Pw, N\npow v1, s0, S\n","trace":[1,2,3],"seed":4294967295})"};
}

}  // namespace rtvp::fuzz
