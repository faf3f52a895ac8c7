// See run_outputs.hpp.
#include "platform/commands/run_outputs.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "platform/commands/cost_map.hpp"
#include "platform/commands/profile_output.hpp"
#include "platform/commands/trace_output.hpp"
#include "platform/exit_status.hpp"
#include "platform/report/light_image.hpp"

namespace rtvp::platform {
namespace {

constexpr std::string_view kStandard = "-";

void checkFolder(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::error_code ec;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ec)) {
    throw InputError("'" + file + "': there is no folder '" + folder.string() + "'");
  }
}

}  // namespace

/// Those that appear together, then the diagnostics.
std::vector<RunOutputs::Output> RunOutputs::wanted(const OutputOptions& output) {
  std::string picture;
  if (!output.disagreements.empty()) {
    picture = std::filesystem::path(output.disagreements).replace_extension(".png").string();
  }
  std::vector<Output> all;
  for (Output one :
       {Output{"output.image", output.image}, Output{"output.hits", output.hits},
        Output{"output.stats", output.stats}, Output{"output.cost_map", output.costMap},
        Output{"output.disagreements", output.disagreements},
        Output{kDisagreementsPicture, picture}, Output{"output.trace", output.trace},
        Output{"output.profile", output.profile}, Output{"output.coverage", output.coverage}}) {
    if (!one.file.empty()) all.push_back(std::move(one));
  }
  return all;
}

void RunOutputs::checkDistinct(const std::vector<Output>& all, std::span<const InputFile> inputs) {
  for (auto one = all.begin(); one != all.end(); ++one) {
    const std::string found = std::string(one->key) + ": found '" + one->file + "'";
    for (auto other = all.begin(); other != one; ++other) {
      if (!common::sameFile(one->file, other->file)) continue;
      throw InputError(found + ", which is also " + std::string(other->key) + " '" + other->file +
                       "': one file for two outputs, expected a file for each");
    }
    for (const InputFile& input : inputs) {
      if (!common::sameFile(one->file, input.path)) continue;
      throw InputError(found + ", which this run reads: the " + input.role + " '" +
                       input.path.string() + "'; expected a file of its own");
    }
  }
}

void RunOutputs::check(const OutputOptions& output, const Settings& settings) {
  const auto checkImage = [](const char* key, const std::string& file) {
    if (!file.empty() && file != kStandard && !report::isImageName(file) &&
        !report::isLightName(file)) {
      throw InputError(std::string(key) + ": found '" + file +
                       "', expected a name that ends in .png, .ppm, .exr or .pfm, or - for a PNG "
                       "on standard output");
    }
  };
  checkImage("output.image", output.image);
  if (!output.costMap.empty() && output.costMap != kStandard &&
      !CostSheet::isFileName(output.costMap)) {
    throw InputError("output.cost_map: found '" + output.costMap +
                     "', expected a name that ends in .png, .ppm, .json or .csv, or - for a PNG on "
                     "standard output");
  }
  if (output.costMap.empty() && settings.said("output.cost_measure")) {
    throw InputError("output.cost_measure: found it without output.cost_map");
  }
  TraceOutput::check(output);
  ProfileOutput::check(output, settings);
  if (output.disagreements == kStandard) {
    throw InputError("output.disagreements: found '-', expected a file's name: it is two files");
  }
  const int samples = renderOptions(settings).samples;
  if (!output.disagreements.empty() &&
      (!runOptions(settings).assign.starts_with("race:") || samples != 1)) {
    throw InputError(
        "output.disagreements: expected machines that race, --assign race:A,B, with "
        "render.spp = 1");
  }
  if (!output.hits.empty() && samples > 1) {
    throw InputError("output.hits: primary hits are one a pixel, expected render.spp = 1");
  }
}

RunOutputs::RunOutputs(const OutputOptions& output, std::span<const InputFile> inputs)
    : outputs_(wanted(output)) {
  for (const Output& one : outputs_) checkFolder(one.file);
  checkDistinct(outputs_, inputs);
  std::erase_if(outputs_, [](const Output& one) {
    return one.key == "output.trace" || one.key == "output.profile" || one.key == "output.coverage";
  });
  try {
    for (Output& one : outputs_) one.target = &set_.open(one.file);
  } catch (const std::system_error& e) {
    throw InputError(e.what());
  }
}

RunOutputs::Output* RunOutputs::find(std::string_view key) {
  const auto it = std::find_if(outputs_.begin(), outputs_.end(),
                               [&](const Output& output) { return output.key == key; });
  return it == outputs_.end() ? nullptr : &*it;
}

bool RunOutputs::onStandardOutput() const {
  return std::ranges::any_of(outputs_, [](const Output& one) { return one.file == kStandard; });
}

void RunOutputs::put(std::string_view output, std::vector<std::uint8_t> bytes) {
  if (Output* const one = find(output)) one->contents = std::move(bytes);
}

void RunOutputs::put(std::string_view output, std::string_view text) {
  put(output, std::vector<std::uint8_t>(text.begin(), text.end()));
}

void RunOutputs::put(std::string_view output, const report::Image& picture) {
  if (const Output* const one = find(output)) {
    put(output, report::encodeImage(one->file == kStandard ? "-.png" : one->file, picture));
  }
}

void RunOutputs::commit() {
  for (Output& one : outputs_) {
    if (one.begun && !one.target->restart()) continue;
    one.begun = true;
    one.target->write(one.contents);
  }
  set_.commit();
}

}  // namespace rtvp::platform
