#include "platform/sweep/runner.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <list>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>

#include "models/common/core/file_io.hpp"
#include "models/common/core/process.hpp"
#include "platform/exit_status.hpp"
#include "platform/inputs/input_json.hpp"
#include "platform/report/image.hpp"

namespace rtvp::sweep {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 30U;
constexpr std::size_t kLongestMessage = 2000;

std::string readAll(const std::filesystem::path& file) {
  const auto bytes = common::readBytes(file, kLargestFile);
  return {bytes.begin(), bytes.end()};
}

// What the platform said last: from its last error line on.
std::string lastError(const std::string& text) {
  std::size_t at = text.rfind("platform: error: ");
  at = at == std::string::npos ? 0 : at + std::string("platform: error: ").size();
  std::string message = text.substr(at, kLongestMessage);
  while (!message.empty() && message.back() == '\n') message.pop_back();
  // One line a point in the CSV file, also when a report has several (who waits for whom).
  std::string line;
  for (std::size_t i = 0; i < message.size(); ++i) {
    if (message[i] != '\n') {
      line += message[i];
      continue;
    }
    line += "; ";
    while (i + 1 < message.size() && message[i + 1] == ' ') ++i;
  }
  return line;
}

// What it warned of, each once, in order.
std::vector<std::string> warningsIn(const std::string& text) {
  constexpr std::string_view kBegin = "platform: warning: ";
  std::vector<std::string> warnings;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line(text.data() + at, end - at);
    at = end + 1;
    if (!line.starts_with(kBegin)) continue;
    std::string warning(line.substr(kBegin.size(), kLongestMessage));
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) {
      warnings.push_back(std::move(warning));
    }
  }
  return warnings;
}

// A point's process and its files; ends it if nobody has waited for it.
class Process {
 public:
  Process(const Job& job, const RunnerOptions& options)
      : point_(job.point),
        keeps_(!job.keep.empty()),
        derive_(job.derive),
        remark_(job.remark),
        folder_(keeps_ ? job.keep : options.scratch / std::to_string(job.point)) {
    std::filesystem::create_directories(folder_);
    std::vector<std::string> arguments = job.arguments;
    if (job.quiet) arguments.emplace_back("--quiet");
    arguments.insert(arguments.end(), {"--no-progress", "--set", "host.autopsy=off", "--stats",
                                       stats().string(), "-o", (folder_ / "image.ppm").string()});
    if (job.hits) {
      arguments.insert(arguments.end(), {"--hits", (folder_ / "hits.csv").string()});
    }
    pid_ = options.inside ? forked(arguments, options) : started(arguments, options);
    if (pid_ < 0) throw std::runtime_error("cannot start a process");
  }
  ~Process() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      wait(0);
    }
    std::error_code ec;
    if (!keeps_) std::filesystem::remove_all(folder_, ec);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] std::size_t point() const { return point_; }

  /// True if it has ended; ends it when it has run for too long.
  bool poll(double timeoutSeconds) {
    if (timeoutSeconds > 0 && !timedOut_ && seconds() > timeoutSeconds) {
      timedOut_ = true;
      kill(pid_, SIGKILL);
    }
    return wait(WNOHANG);
  }

  [[nodiscard]] PointResult result(double timeoutSeconds) const {
    PointResult result;
    result.wallSeconds = wall_;
    if (timedOut_) {
      result.status = platform::toInt(platform::ExitStatus::Unfinished);
      result.message = "ended after " + std::to_string(timeoutSeconds) + " s of wall time";
    } else if (WIFSIGNALED(state_)) {
      result.status = 128 + WTERMSIG(state_);
      result.message = "died of " + common::signalName(WTERMSIG(state_));
    } else {
      result.status = WEXITSTATUS(state_);
      if (result.status != 0) {
        result.message = lastError(readAll(errors()));
        if (result.message.empty()) result.message = "no message";
      }
    }
    if (!timedOut_ && !WIFSIGNALED(state_)) result.warnings = warningsIn(readAll(errors()));
    if (result.ok()) {
      try {
        const boost::json::object all = boost::json::parse(readAll(stats())).as_object();
        result.stats = flatten(all);
        if (derive_) result.stats.merge(derive_(all, folder_));
        if (remark_) {
          for (std::string& remark : remark_(all)) result.warnings.push_back(std::move(remark));
        }
        result.inputs = platform::inputsFrom(all.at("configuration").at("inputs").as_array(),
                                             all.at("host").at("input_files").as_array());
      } catch (const std::exception& e) {
        result.status = platform::toInt(platform::ExitStatus::Internal);
        result.message = std::string("its statistics cannot be read: ") + e.what();
      }
    }
    return result;
  }

 private:
  // A fork of this process.
  [[nodiscard]] pid_t forked(const std::vector<std::string>& arguments,
                             const RunnerOptions& options) const {
    const std::string log = errors().string();
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child != 0) return child;
    // As in a new program: what the parent does about signals is not this process's to do.
    for (const int signal : {SIGINT, SIGTERM}) {
      if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
    }
    attach(log.c_str(), parent);
    const int status = options.inside(arguments);
    std::fflush(stdout);
    std::fflush(stderr);
    // The parent's objects are not this process's to destroy.
    _exit(status);
  }

  // The program. A fork would copy the page tables of a sweep that knows thousands of points, and
  // every page that is written after it: most of a point's cost. This one has the parent's memory
  // until it becomes the program, so all is ready before it, and it only makes system calls.
  [[nodiscard]] pid_t started(std::vector<std::string>& arguments,
                              const RunnerOptions& options) const {
    arguments.insert(arguments.begin(), options.program.string());
    std::vector<char*> raw;
    for (std::string& a : arguments) raw.push_back(a.data());
    raw.push_back(nullptr);
    const std::string log = errors().string();
    const pid_t parent = getpid();
    const pid_t child = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork): see above
    if (child != 0) return child;
    attach(log.c_str(), parent);  // NOLINT(clang-analyzer-unix.Vfork): system calls only
    execv(raw[0], raw.data());
    _exit(127);
  }

  // In the new process: it must not outlive its sweep, and says what it has to say to a file.
  static void attach(const char* log, pid_t parent) {
    common::dieWithParent(parent);
    const int null = open("/dev/null", O_RDWR);
    const int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (null < 0 || file < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(file, 2) < 0) {
      _exit(127);
    }
  }
  [[nodiscard]] std::filesystem::path stats() const { return folder_ / "stats.json"; }
  [[nodiscard]] std::filesystem::path errors() const { return folder_ / "errors.txt"; }
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  bool wait(int flags) {
    pid_t ended = 0;
    do {
      ended = waitpid(pid_, &state_, flags);
    } while (ended < 0 && errno == EINTR);
    if (ended == 0) return false;
    wall_ = seconds();
    pid_ = -1;
    return true;
  }

  std::size_t point_;
  bool keeps_;
  std::function<Stats(const boost::json::object&, const std::filesystem::path&)> derive_;
  std::function<std::vector<std::string>(const boost::json::object&)> remark_;
  std::filesystem::path folder_;
  Clock::time_point start_ = Clock::now();
  pid_t pid_ = -1;
  int state_ = 0;
  double wall_ = 0;
  bool timedOut_ = false;
};

}  // namespace

std::vector<std::string> argumentsOf(const SweepSpec& spec, const Point& point) {
  // A file whose name begins with a dash is still a file.
  const std::string scene = point.scene.starts_with('-') ? "./" + point.scene : point.scene;
  std::vector<std::string> arguments{"run", scene};
  for (std::size_t i = 0; i < spec.axes.size(); ++i) {
    if (spec.axes[i].key == kSceneKey) continue;
    arguments.insert(arguments.end(), {"--set", spec.axes[i].key + "=" + point.values[i]});
  }
  if (!point.crop.empty()) {
    arguments.insert(arguments.end(),
                     {"--set", "render.crop=" + point.crop, "--set", "output.setup=on"});
  }
  return arguments;
}

namespace {

// One sample a pixel is what hits are compared by.
bool hasHits(const platform::Settings& settings) {
  return settings.table().find("render.spp") == nullptr || settings.integer("render.spp") == 1;
}

}  // namespace

Job jobOf(const SweepSpec& spec, const Point& point, std::size_t index, const Subject& subject,
          const Extras& extras) {
  Job job{index, argumentsOf(spec, point), {}, false};
  job.hits = !extras.reference.empty() && hasHits(point.settings);
  job.derive = [&point, &subject, extras](const boost::json::object& statistics,
                                          const std::filesystem::path& folder) {
    Stats more;
    if (subject.common) more = subject.common(point.settings, point.scene, statistics);
    if (!extras.reference.empty()) {
      more.merge(subject.judge(point.settings, point.scene, folder, extras.reference));
    }
    if (!extras.picture.empty()) {
      report::writeImage(extras.picture, report::readImage(folder / "image.ppm"));
    }
    return more;
  };
  if (subject.remarks) {
    job.remark = [&point, &subject](const boost::json::object& statistics) {
      return subject.remarks(point.settings, point.scene, statistics);
    };
  }
  return job;
}

Job referenceJobOf(const Point& point, std::size_t index, const Subject& subject,
                   const std::filesystem::path& folder) {
  Job job{index, subject.reference(point.settings, point.scene), folder};
  job.hits = hasHits(point.settings);
  return job;
}

std::string referenceOf(const Point& point, const Subject& subject) {
  std::string text = subject.build;
  for (const std::string& word : subject.reference(point.settings, point.scene)) {
    if (word != point.scene) text += "\n" + word;
  }
  for (const platform::InputFile& f : point.inputs) text += "\n" + f.role + " " + f.sha256;
  return platform::sha256(text).substr(0, 24);
}

void checkInputs(const std::vector<platform::InputFile>& known, PointResult& result) {
  if (!result.ok()) return;
  const std::vector<std::string> changed = platform::differences(known, result.inputs);
  if (changed.empty()) return;
  result = {};
  result.status = platform::toInt(platform::ExitStatus::BadInput);
  result.message = "while it ran: " + changed.front();
}

void runJobs(const std::vector<Job>& jobs, const RunnerOptions& options,
             const std::function<void(std::size_t, PointResult&&)>& done) {
  std::list<Process> running;
  std::size_t next = 0;
  // Short runs are noticed at once, long ones cost nothing while they run.
  constexpr std::chrono::microseconds kShortest(200), kLongest(10'000);
  std::chrono::microseconds pause = kShortest;
  while (next < jobs.size() || !running.empty()) {
    if (options.tick && options.tick()) break;
    while (next < jobs.size() && running.size() < static_cast<std::size_t>(options.jobs)) {
      running.emplace_back(jobs[next++], options);
    }
    bool any = false;
    for (auto p = running.begin(); p != running.end();) {
      if (!p->poll(options.timeoutSeconds)) {
        ++p;
        continue;
      }
      done(p->point(), p->result(options.timeoutSeconds));
      p = running.erase(p);
      any = true;
    }
    if (any) pause = kShortest;
    if (!any) std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongest);
  }
  running.clear();
  std::error_code ec;
  std::filesystem::remove_all(options.scratch, ec);
}

}  // namespace rtvp::sweep
