// What firmware of the user's own brings to a board beside its code: records for surfaces f = 0,
// result words, and the two files that show its programmer what it does (docs/records.md).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/c32/asm/image.hpp"
#include "models/common/core/file_io.hpp"
#include "platform/drivers/tigershark/driver.hpp"
#include "platform/drivers/tigershark/records.hpp"
#include "platform/machines/machine.hpp"
#include "platform/machines/tigershark_params.hpp"

namespace rtvp::platform {

class DeclaredRecords {
 public:
  explicit DeclaredRecords(TigersharkOptions options) : options_(std::move(options)) {}

  /// Reads the layout. Throws InputError.
  void load(InputFiles& files);
  /// Null without one.
  [[nodiscard]] const host::RecordLayout* layout() const { return layout_ ? &*layout_ : nullptr; }
  /// Throws InputError for a surface without a record, and for files that several `hosts` would
  /// write; keeps the scene.
  void check(const scene::Scene& scene, int hosts);

  /// Opens the files, called after the instance where there are several. Throws InputError.
  void open(const std::string& instance);
  /// Lets the driver read the firmware's own words. `now`: simulated time.
  void observe(host::TigersharkDriverConfig& config, std::function<sc_core::sc_time()> now);

  /// What is asked of one board's memory.
  struct Dump {
    std::string board;
    std::uint32_t words = 0;  ///< of its SRAM
    const c32::Image& firmware;
    std::function<std::uint32_t(std::uint32_t address)> word;
  };
  [[nodiscard]] bool dumps() const { return dump_.has_value(); }
  void dump(const Dump& of);
  /// Machine::finishFiles().
  [[nodiscard]] std::vector<DiagnosticFile> finish();
  [[nodiscard]] bool logs() const { return !options_.resultLog.empty(); }

 private:
  /// One of the files. What cannot be written is kept for the end: the run goes on.
  class File {
   public:
    /// Throws InputError.
    File(std::string key, std::string name);
    void write(const std::string& text);
    /// Puts it in place; what became of it.
    [[nodiscard]] DiagnosticFile finish();

   private:
    DiagnosticFile file_;
    std::unique_ptr<common::FileReplacement> contents_;
  };
  [[nodiscard]] static std::optional<File> opened(const char* key, const std::string& name,
                                                  const std::string& instance);
  void log(const host::SeenResult& result, const sc_core::sc_time& now);

  TigersharkOptions options_;
  std::optional<host::RecordLayout> layout_;
  const scene::Scene* scene_ = nullptr;
  std::optional<File> log_, dump_;
};

}  // namespace rtvp::platform
