#include "platform/commands/part.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <type_traits>

#include "models/common/core/file_io.hpp"
#include "models/common/core/process.hpp"

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
  out.value(part.setupPs);
  out.text(json::serialize(part.setupModules));
  out.text(json::serialize(part.hostModules));
  out.text(part.traceProblem);
  out.text(part.profileProblem);
  out.value(std::uint64_t{part.diagnostics.size()});
  for (const DiagnosticFile& f : part.diagnostics) {
    out.text(f.key);
    out.text(f.name);
    out.text(f.problem);
  }
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
  part.setupPs = in.value<std::uint64_t>();
  part.setupModules = json::parse(in.text()).as_object();
  part.hostModules = json::parse(in.text()).as_object();
  part.traceProblem = in.text();
  part.profileProblem = in.text();
  for (auto n = in.value<std::uint64_t>(); n > 0; --n) {
    DiagnosticFile& file = part.diagnostics.emplace_back();
    file.key = in.text();
    file.name = in.text();
    file.problem = in.text();
  }
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

/// A host computer's process; ends it if nobody has waited for its end.
class Child {
 public:
  Child(const PartRenderer& render, const host::Crop& crop, std::size_t number)
      : name_("host " + std::to_string(number) + ": ") {
    const int descriptor = common::openTemporary();
    result_.reset(fdopen(descriptor, "w+b"));
    if (!result_) {
      close(descriptor);
      throw std::runtime_error("cannot open a temporary file");
    }
    std::fflush(nullptr);
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("cannot start a host process");
    if (pid_ > 0) return;
    common::dieWithParent(parent);
    childMain(result_.get(), render, crop, number);
  }
  ~Child() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitFor(pid_, state_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t process() const { return pid_; }
  /// It ended so. Throws RunError if a signal ended it.
  void ended(int state) {
    pid_ = -1;
    state_ = state;
    if (WIFEXITED(state)) return;
    throw RunError(ExitStatus::Internal,
                   name_ + "its process died of " + common::signalName(WTERMSIG(state)));
  }
  /// What it found. Throws RunError with its failure.
  [[nodiscard]] PartResult result() const {
    std::rewind(result_.get());
    const auto status = static_cast<ExitStatus>(WEXITSTATUS(state_));
    if (status == ExitStatus::Done) return restore(Reader(result_.get()));
    std::string why;
    try {
      why = Reader(result_.get()).text();
    } catch (const std::exception&) {
      why = "its process could not keep its result in the folder for temporary files ($TMPDIR)";
    }
    throw RunError(status, name_ + why);
  }

  /// Waits for that process, or for any (-1), and returns which.
  static pid_t waitFor(pid_t process, int& state) {
    pid_t ended = -1;
    do {
      ended = waitpid(process, &state, 0);
    } while (ended < 0 && errno == EINTR);
    return ended;
  }

 private:
  std::string name_;
  File result_;  ///< nameless: gone with the processes
  pid_t pid_ = -1;
  int state_ = 0;
};

/// All have ended. Throws as soon as one has died; the others are then ended with it.
void await(const std::vector<std::unique_ptr<Child>>& children) {
  for (std::size_t left = children.size(); left > 0;) {
    int state = 0;
    const pid_t process = Child::waitFor(-1, state);
    if (process < 0) throw std::runtime_error("cannot wait for the host processes");
    for (const auto& child : children) {
      if (child->process() != process) continue;
      child->ended(state);
      --left;
    }
  }
}

}  // namespace

void storePart(std::FILE* file, const PartResult& part) {
  store(Writer(file), part);
}

PartResult restorePart(std::FILE* file) {
  return restore(Reader(file));
}

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
  std::vector<std::unique_ptr<Child>> children;
  for (std::size_t i = 0; i < bands.size(); ++i) {
    children.push_back(std::make_unique<Child>(render, bands[i], i));
  }
  await(children);
  for (const auto& child : children) parts.push_back(child->result());
  return parts;
}

}  // namespace rtvp::platform
