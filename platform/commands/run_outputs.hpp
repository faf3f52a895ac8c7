// The files that `platform run` leaves: picture, hits, statistics, cost map, disagreements;
// together or not at all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/core/output_set.hpp"
#include "platform/inputs/input_files.hpp"
#include "platform/options/run_params.hpp"
#include "platform/report/image.hpp"

namespace rtvp::platform {

class RunOutputs {
 public:
  /// Throws InputError for wishes that no run can follow: unknown kinds of files, figures that this
  /// run does not have.
  static void check(const OutputOptions& output, const Settings& settings);

  /// Opens all that `output` names. Throws InputError for one that cannot be opened, or that is one
  /// of `inputs` or another output, the trace included, through whatever links.
  RunOutputs(const OutputOptions& output, std::span<const InputFile> inputs);

  /// Name of the picture beside the parameter's file.
  static constexpr std::string_view kDisagreementsPicture = "output.disagreements (picture)";

  /// Whether there is a file for it; `output` is the parameter that names it.
  [[nodiscard]] bool wants(std::string_view output) { return find(output) != nullptr; }
  /// Whether one of them goes to standard output: its file is "-".
  [[nodiscard]] bool onStandardOutput() const;
  /// What the file is to hold.
  void put(std::string_view output, std::vector<std::uint8_t> bytes);
  void put(std::string_view output, std::string_view text);
  void put(std::string_view output, const report::Image& picture);

  /// Puts all in place. Throws std::system_error; nothing has changed then, or what() says what.
  /// May be called again if there is more room now.
  void commit();
  /// Leaves nothing; for a process that ends here.
  void discard() { set_.discard(); }

 private:
  struct Output {
    std::string_view key;
    std::string file;
    common::FileReplacement* target = nullptr;
    std::vector<std::uint8_t> contents = {};
    bool begun = false;
  };
  static std::vector<Output> wanted(const OutputOptions& output);
  static void checkDistinct(const std::vector<Output>& all, std::span<const InputFile> inputs);
  Output* find(std::string_view key);

  common::OutputSet set_;
  std::vector<Output> outputs_;
};

}  // namespace rtvp::platform
