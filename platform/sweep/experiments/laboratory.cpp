#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "models/common/core/file_io.hpp"
#include "platform/commands/sweep_subject.hpp"
#include "platform/exit_status.hpp"
#include "platform/options/built_in_options.hpp"
#include "platform/sweep/experiments/experiment.hpp"

namespace rtvp::sweep {

Laboratory::Laboratory(std::filesystem::path program, std::filesystem::path scenes,
                       std::filesystem::path scratch, int jobs)
    : options_(platform::builtInOptions()),
      program_(std::move(program)),
      scenes_(std::move(scenes)),
      scratch_(std::move(scratch)),
      jobs_(jobs) {
  std::filesystem::create_directories(scratch_);
}

SweepResult Laboratory::sweep(SweepSpec spec) const {
  SweepOptions options;
  options.folder = scratch_ / spec.name;
  options.program = program_;
  options.jobs = jobs_;
  options.progress = true;
  SweepResult result = runSweep(std::move(spec), options,
                                platform::sweepSubject(options_, platform::builtinMachines()));
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    if (result.results[i].ok()) continue;
    throw std::runtime_error("sweep " + result.spec.name + ": a point failed with status " +
                             std::to_string(result.results[i].status) + ": " +
                             result.results[i].message);
  }
  if (!result.warnings.empty()) {
    throw std::runtime_error("sweep " + result.spec.name + ": " + result.warnings.front());
  }
  return result;
}

std::optional<std::string> Laboratory::scene(const std::string& name) const {
  for (const std::filesystem::path& folder :
       {scenes_, scenes_ / ".." / ".." / "shared" / "scenes"}) {
    std::error_code ec;
    if (std::filesystem::is_regular_file(folder / name, ec)) {
      return (folder / name).lexically_normal().string();
    }
  }
  return std::nullopt;
}

std::string Laboratory::ownScene(const std::string& name, const std::string& text) const {
  const std::filesystem::path file = scratch_ / name;
  common::replaceFile(file, text);
  return file.string();
}

std::string Laboratory::shipped(const std::string& name) const {
  const auto found = scene(name);
  if (!found) {
    throw platform::InputError("--scenes: found no " + name + " in '" + scenes_.string() + "'");
  }
  return *found;
}

std::string rounded(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  std::array<char, 64> text{};
  const int whole = value == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  if (whole < digits && value != std::floor(value)) {
    std::snprintf(text.data(), text.size(), "%.*f", std::min(digits - whole, 12), value);
    return text.data();
  }
  const double unit = std::pow(10, std::max(whole - digits, 0));
  std::snprintf(text.data(), text.size(), "%.0f", std::round(value / unit) * unit);
  std::string out;
  const std::string plain = text.data();
  const std::size_t sign = plain.front() == '-' ? 1 : 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (i > sign && (plain.size() - i) % 3 == 0 && plain.size() - sign > 4) out += ' ';
    out += plain[i];
  }
  return out;
}

std::string percent(double share, int digits) {
  return rounded(share * 100, digits) + " %";
}

std::string table(const std::vector<std::string>& head,
                  const std::vector<std::vector<std::string>>& rows) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const std::string& c : cells) out += " " + c + " |";
    return out + "\n";
  };
  std::string out = line(head) + line(std::vector<std::string>(head.size(), "---"));
  for (const auto& row : rows) out += line(row);
  return out;
}

double need(const SweepResult& result,
            const std::vector<std::pair<std::string, std::string>>& where,
            const std::string& figure) {
  const auto value = result.at(where, figure);
  if (value) return *value;
  std::string text;
  for (const auto& [key, v] : where) text += " " + key + "=" + v;
  throw std::runtime_error("sweep " + result.spec.name + ": no " + figure + " at" + text);
}

}  // namespace rtvp::sweep
