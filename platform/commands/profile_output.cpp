// See profile_output.hpp.
#include "platform/commands/profile_output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "platform/exit_status.hpp"
#include "platform/report/trace_recorder.hpp"

namespace rtvp::platform {
namespace {

void writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw std::system_error(errno, std::generic_category(), "cannot keep the profile");
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::string readAll(int file) {
  std::string bytes;
  ::lseek(file, 0, SEEK_SET);
  char piece[65536];
  for (;;) {
    const ssize_t n = ::read(file, piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw std::system_error(errno, std::generic_category(), "cannot read the profile");
    if (n == 0) return bytes;
    bytes.append(piece, static_cast<std::size_t>(n));
  }
}

bool asked(const OutputOptions& output) {
  return !output.profile.empty() || !output.coverage.empty();
}

}  // namespace

PartProfile::PartProfile(const OutputOptions& output, std::size_t number, int file)
    : output_(output), name_("pc" + std::to_string(number)), file_(file) {}

void PartProfile::begin(std::span<const std::unique_ptr<Machine>> machines) const {
  if (file_ < 0) return;
  const bool any = std::count_if(machines.begin(), machines.end(),
                                 [](const auto& m) { return m->keepProfile(); }) != 0;
  const char* const key = output_.profile.empty() ? "output.coverage" : "output.profile";
  if (!any) {
    throw InputError(std::string(key) +
                     ": no machine of this run has processors of which a profile can be had "
                     "(--engine tigershark has, --shade sl, and --engine xphmg with "
                     "xphmg.driver=hart)");
  }
  if (!chosen(machines).empty()) return;
  throw InputError("trace.modules: found '" + output_.traceModules + "', which names none of the " +
                   "processors that " + key + " is to be of");
}

std::vector<debug::Profile> PartProfile::chosen(
    std::span<const std::unique_ptr<Machine>> machines) const {
  report::TraceSelection selection(output_.traceModules);
  std::vector<debug::Profile> all;
  for (const auto& machine : machines) {
    for (debug::Profile& profile : machine->profiles()) {
      std::erase_if(profile.units, [&](const debug::Profile::Unit& unit) {
        return !selection.wants(name_ + "." + unit.name);
      });
      if (!profile.units.empty()) all.push_back(std::move(profile));
    }
  }
  return all;
}

void PartProfile::finish(std::span<const std::unique_ptr<Machine>> machines) {
  if (file_ < 0) return;
  try {
    writeAll(file_, debug::packed(chosen(machines)));
  } catch (const std::system_error& e) {
    problem_ = e.what();
  }
}

void ProfileOutput::check(const OutputOptions& output, const Settings& settings) {
  if (!output.profile.empty() && !debug::profileForm(output.profile)) {
    throw InputError("output.profile: found '" + output.profile +
                     "', expected a name that ends in .txt, .callgrind or .svg, or - for a table "
                     "on standard output");
  }
  if (output.profile.empty() && settings.said("profile.units")) {
    throw InputError("profile.units: found it without output.profile");
  }
}

ProfileOutput::ProfileOutput(const OutputOptions& output, std::size_t parts, std::string title)
    : output_(output), title_(std::move(title)) {
  if (!asked(output_)) return;
  try {
    if (!output_.profile.empty())
      profile_ = std::make_unique<common::FileReplacement>(output_.profile);
    if (!output_.coverage.empty())
      coverage_ = std::make_unique<common::FileReplacement>(output_.coverage);
    for (std::size_t i = 0; i < parts; ++i) files_.push_back(common::openTemporary());
  } catch (const std::system_error& e) {
    throw InputError(e.what());
  }
}

ProfileOutput::~ProfileOutput() {
  for (const int file : files_) ::close(file);
}

PartProfile ProfileOutput::part(std::size_t number) const {
  if (files_.empty()) return {};
  return {output_, number, files_.at(number)};
}

void ProfileOutput::write() {
  if (files_.empty()) return;
  std::vector<std::vector<debug::Profile>> parts;
  for (const int file : files_) parts.push_back(debug::unpacked(readAll(file)));
  const std::vector<debug::Profile> all = debug::joined(parts);
  if (profile_) {
    profile_->write(debug::profileText(all, output_.profileUnits == ProfileUnits::Each, title_,
                                       *debug::profileForm(output_.profile)));
    profile_->commit();
  }
  if (!coverage_) return;
  coverage_->write(debug::coverageInfo(all));
  coverage_->commit();
}

std::string ProfileOutput::names() const {
  std::string both = output_.profile;
  if (!both.empty() && !output_.coverage.empty()) both += ", ";
  return both + output_.coverage;
}

}  // namespace rtvp::platform
