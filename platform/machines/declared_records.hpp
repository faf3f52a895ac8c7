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
  [[nodiscard]] bool dumps() const { return dump_ != nullptr; }
  void dump(const Dump& of);
  /// Puts the files in place; what is wrong with them otherwise, a line each.
  [[nodiscard]] std::vector<std::string> close();
  [[nodiscard]] bool logs() const { return !options_.resultLog.empty(); }

 private:
  using File = std::unique_ptr<common::FileReplacement>;
  [[nodiscard]] static File opened(const std::string& key, const std::string& name,
                                   const std::string& instance);
  void log(const host::SeenResult& result, const sc_core::sc_time& now);
  void write(const File& file, const std::string& text);

  TigersharkOptions options_;
  std::optional<host::RecordLayout> layout_;
  const scene::Scene* scene_ = nullptr;
  File log_, dump_;
  std::vector<std::string> problems_;
};

}  // namespace rtvp::platform
