#include "platform/commands/part.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <cstring>
#include <memory>
#include <type_traits>

namespace rtvp::platform {
namespace {

namespace json = boost::json;

// ---- bytes between a process and its fork: same program, same machine, so memory images will do

class Writer {
 public:
  explicit Writer(std::FILE* file) : file_(file) {}
  template <typename T>
  void value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(&v, sizeof v);
  }
  template <typename T>
  void array(const std::vector<T>& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    value(std::uint64_t{v.size()});
    bytes(v.data(), v.size() * sizeof(T));
  }
  void text(const std::string& s) {
    value(std::uint64_t{s.size()});
    bytes(s.data(), s.size());
  }

 private:
  void bytes(const void* data, std::size_t size) {
    if (size != 0 && std::fwrite(data, 1, size, file_) != size) {
      throw std::runtime_error("cannot store the result of a host process");
    }
  }
  std::FILE* file_;
};

class Reader {
 public:
  explicit Reader(std::FILE* file) : file_(file) {}
  template <typename T>
  T value() {
    T v{};
    bytes(&v, sizeof v);
    return v;
  }
  template <typename T>
  std::vector<T> array() {
    std::vector<T> v(value<std::uint64_t>());
    bytes(v.data(), v.size() * sizeof(T));
    return v;
  }
  std::string text() {
    std::string s(value<std::uint64_t>(), '\0');
    bytes(s.data(), s.size());
    return s;
  }

 private:
  void bytes(void* data, std::size_t size) {
    if (size != 0 && std::fread(data, 1, size, file_) != size) {
      throw std::runtime_error("the result of a host process is incomplete");
    }
  }
  std::FILE* file_;
};

void store(Writer out, const PartResult& part) {
  out.value(part.crop);
  out.array(part.sums);
  out.array(part.hits);
  out.value(std::uint64_t{part.costs.size()});
  for (const CostSums& sums : part.costs) {
    out.text(sums.machine);
    out.value(sums.clockPs);
    out.array(sums.measures);
    out.array(sums.pixels);
    out.array(sums.outside);
    out.text(sums.missing);
  }
  out.array(part.race.first);
  out.value(std::uint64_t{part.race.dumps.size()});
  for (const report::HitDump& dump : part.race.dumps) out.array(dump);
  out.value(part.eyeHits);
  out.value(part.raysTraced);
  out.value(part.simulatedPs);
  out.text(json::serialize(part.modules));
  out.text(json::serialize(part.hostModules));
  out.value(std::uint64_t{part.problems.size()});
  for (const std::string& p : part.problems) out.text(p);
  out.value(std::uint64_t{part.inputs.size()});
  for (const InputFile& f : part.inputs) {
    out.text(f.role);
    out.text(f.path.string());
    out.text(f.sha256);
    out.value(f.bytes);
  }
}

PartResult restore(Reader in) {
  PartResult part;
  part.crop = in.value<host::Crop>();
  part.sums = in.array<std::int64_t>();
  part.hits = in.array<report::HitRow>();
  for (auto n = in.value<std::uint64_t>(); n > 0; --n) {
    CostSums& sums = part.costs.emplace_back();
    sums.machine = in.text();
    sums.clockPs = in.value<std::uint64_t>();
    sums.measures = in.array<Measure>();
    sums.pixels = in.array<std::uint64_t>();
    sums.outside = in.array<std::uint64_t>();
    sums.missing = in.text();
  }
  part.race.first = in.array<report::HitRow>();
  for (auto n = in.value<std::uint64_t>(); n > 0; --n) {
    part.race.dumps.push_back(in.array<report::HitRow>());
  }
  part.eyeHits = in.value<std::uint64_t>();
  part.raysTraced = in.value<std::uint64_t>();
  part.simulatedPs = in.value<std::uint64_t>();
  part.modules = json::parse(in.text()).as_object();
  part.hostModules = json::parse(in.text()).as_object();
  for (auto n = in.value<std::uint64_t>(); n > 0; --n) part.problems.push_back(in.text());
  for (auto n = in.value<std::uint64_t>(); n > 0; --n) {
    InputFile& file = part.inputs.emplace_back();
    file.role = in.text();
    file.path = in.text();
    file.sha256 = in.text();
    file.bytes = in.value<std::uint64_t>();
  }
  return part;
}

struct FileCloser {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

struct Child {
  pid_t pid = -1;
  File result;  // nameless: gone with the processes
};

[[noreturn]] void childMain(std::FILE* file, const PartRenderer& render, const host::Crop& crop,
                            std::size_t number) {
  ExitStatus status = ExitStatus::Internal;
  try {
    PartResult part;
    try {
      part = render(crop, number);
    } catch (...) {
      part.failure = describe(std::current_exception());
    }
    if (part.failure) {
      status = part.failure->status;
      Writer(file).text(part.failure->message);
    } else {
      store(Writer(file), part);
      status = ExitStatus::Done;
    }
    if (std::fflush(file) != 0) status = ExitStatus::Internal;
  } catch (...) {
    status = ExitStatus::Internal;
  }
  _exit(toInt(status));
}

Child startChild(const PartRenderer& render, const host::Crop& crop, std::size_t number) {
  Child child;
  child.result.reset(std::tmpfile());
  if (!child.result) throw std::runtime_error("cannot create a temporary file");
  std::fflush(nullptr);
  child.pid = fork();
  if (child.pid < 0) throw std::runtime_error("cannot start a host process");
  if (child.pid == 0) childMain(child.result.get(), render, crop, number);
  return child;
}

PartResult finishChild(Child& child, int waitStatus, std::size_t index) {
  const std::string who = "host " + std::to_string(index) + ": ";
  if (!WIFEXITED(waitStatus)) {
    throw RunError(ExitStatus::Internal,
                   who + "its process died of signal " + std::to_string(WTERMSIG(waitStatus)));
  }
  std::rewind(child.result.get());
  const auto status = static_cast<ExitStatus>(WEXITSTATUS(waitStatus));
  if (status != ExitStatus::Done) throw RunError(status, who + Reader(child.result.get()).text());
  return restore(Reader(child.result.get()));
}

}  // namespace

std::vector<host::Crop> divide(const host::Crop& whole, int hosts) {
  std::vector<host::Crop> bands;
  const int count = std::clamp(hosts, 1, std::max(whole.height, 1));
  for (int i = 0; i < count; ++i) {
    const int from = static_cast<int>(std::int64_t{whole.height} * i / count);
    const int to = static_cast<int>(std::int64_t{whole.height} * (i + 1) / count);
    bands.push_back({whole.x, whole.y + from, whole.width, to - from});
  }
  return bands;
}

std::vector<PartResult> renderParts(const host::Crop& whole, int hosts,
                                    const PartRenderer& render) {
  const std::vector<host::Crop> bands = divide(whole, hosts);
  std::vector<PartResult> parts;
  if (bands.size() == 1) {
    parts.push_back(render(bands.front(), 0));
    return parts;
  }
  std::vector<Child> children;
  for (std::size_t i = 0; i < bands.size(); ++i) {
    children.push_back(startChild(render, bands[i], i));
  }
  std::vector<int> states(children.size(), 0);
  for (std::size_t i = 0; i < children.size(); ++i) {
    while (waitpid(children[i].pid, &states[i], 0) < 0 && errno == EINTR) {
    }
  }
  for (std::size_t i = 0; i < children.size(); ++i) {
    parts.push_back(finishChild(children[i], states[i], i));
  }
  return parts;
}

}  // namespace rtvp::platform
