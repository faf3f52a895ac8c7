// Descriptions of computers from any bytes: a refusal names the file and a line of it, what was
// found and what was expected; what is accepted keeps every promise of its header, and the same
// description written anew means the same computer.
#include <algorithm>
#include <charconv>
#include <set>

#include "platform/exit_status.hpp"
#include "platform/options/computer_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using rtvp::fuzz::require;
using namespace rtvp::platform;  // NOLINT(google-build-using-namespace): a program about this

namespace {

std::string quote(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      out += std::string("\\u00") + kDigits[byte >> 4U] + kDigits[byte & 15U];
    } else {
      out += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
    }
  }
  return out + '"';
}

std::string write(const std::vector<ConfigEntry>& set) {
  std::string out;
  for (const ConfigEntry& e : set) {
    out += (out.empty() ? "" : ", ") + quote(e.key) + ": " + quote(e.value);
  }
  return "{" + out + "}";
}

std::string write(const ComputerFile& file) {
  std::string out;
  for (const ComputerDevice& d : file.devices) {
    std::string address(20, '\0');
    if (d.address) {
      const auto r = std::to_chars(address.data(), address.data() + address.size(), *d.address, 16);
      address = "0x" + std::string(address.data(), r.ptr);
    }
    out += (out.empty() ? "" : ",\n") + std::string("{\"machine\": ") + quote(d.machine) +
           ", \"name\": " + quote(d.name) + ", \"count\": " + std::to_string(d.count) +
           ", \"address\": " + (d.address ? quote(address) : "\"auto\"") +
           ", \"irq\": " + (d.irq ? std::to_string(*d.irq) : "\"auto\"") +
           ", \"set\": " + write(d.set) + "}";
  }
  out = "{\"schema_version\": 1, \"devices\": [" + out + "], \"set\": " + write(file.set);
  return out + (file.assign.empty() ? "" : ", \"assign\": " + quote(file.assign)) + "}";
}

void checkDevice(const ComputerDevice& d, int lines) {
  require(d.count >= 1 && d.count <= 64, "counts are 1..64");
  require(!d.machine.empty() && !d.name.empty(), "machines have names");
  require(!d.address || (*d.address % 4096 == 0 && *d.address >> 40U == 0), "addresses are pages");
  require(!d.irq || *d.irq < 128, "lines exist");
  require(d.count == 1 || (!d.address && !d.irq), "places are for one machine");
  require(d.line >= 1 && d.line <= lines, "devices lie in the text");
  std::set<std::string> keys;
  for (const ConfigEntry& e : d.set) {
    require(e.key.starts_with(d.machine + "."), "parameters are the machine's");
    require(keys.insert(e.key).second, "no parameter is set twice");
    require(e.line >= d.line && e.line <= lines, "parameters lie in the text");
  }
}

// Names of nested objects may add up to more than a single one may have.
bool keysAreShort(const ComputerFile& file) {
  const auto isShort = [](const ConfigEntry& e) { return e.key.size() < 1000; };
  return std::all_of(file.set.begin(), file.set.end(), isShort) &&
         std::all_of(file.devices.begin(), file.devices.end(), [&](const ComputerDevice& d) {
           return std::all_of(d.set.begin(), d.set.end(), isShort);
         });
}

void check(const ComputerFile& file, int lines) {
  int machines = 0;
  std::set<std::string> instances;
  for (const ComputerDevice& d : file.devices) {
    checkDevice(d, lines);
    machines += d.count;
    for (int n = 0; n < d.count; ++n) {
      require(instances.insert(d.name + std::to_string(n)).second, "instances differ in name");
    }
  }
  require(machines >= 1 && machines <= 64, "there are 1..64 machines");
  if (!keysAreShort(file)) return;
  const std::string again = write(file);
  require(write(readComputerFile("b.json", again)) == again, "written anew it means the same");
}

void checkRefusal(const std::string& what, int lines) {
  require(what.starts_with("a.json:"), "a refusal names the file");
  int line = 0;
  const auto [end, error] = std::from_chars(what.data() + 7, what.data() + what.size(), line);
  require(error == std::errc{} && line >= 1 && line <= lines, "a refusal names a line of it");
  require(std::string_view(end).starts_with(": found "), "a refusal says what was found");
  require(what.find(", expected ") != std::string::npos, "a refusal says what was expected");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16384) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
  ComputerFile file;
  try {
    file = readComputerFile("a.json", text);
  } catch (const InputError& e) {
    checkRefusal(e.what(), lines);
    return 0;
  }
  check(file, lines);
  return 0;
}

namespace rtvp::fuzz {

std::vector<std::string> seeds() {
  return {
      R"({"schema_version": 1, "devices": [{"machine": "theia"}]})",
      R"({
  // one of each
  "schema_version": 1,
  "devices": [
    {"machine": "tigershark", "count": 2, "set": {"dsps": 64, "tigershark.vote": false}},
    {"machine": "xphmg", "name": "rt0", "count": 1, "address": "0x20000000", "irq": 17,
     "set": {"xphmg": {"driver": "hart"}, "clock_hz": 2.5e8}},
    {"machine": "sl", "address": "auto", "irq": "auto", "set": {"cycles": {"add": 2}}}
  ],
  "assign": "share",
  "set": {"render": {"depth": 3}, "run.limit": "\u0041\n"}
}
)",
      "{\"schema_version\": 1,\n\"devices\": [{\"machine\": \"a\"},\n{\"machine\": \"b\"}],\n"
      "\"assign\": \"race:a,b\"}\n",
  };
}

}  // namespace rtvp::fuzz
