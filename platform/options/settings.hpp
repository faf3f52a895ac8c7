// Values of all options: defaults, then what configuration files and the command line say, later
// wins. Every value is checked when it is set; a Settings object never holds a value outside its
// option's range.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/common/param.hpp"
#include "platform/options/option_table.hpp"

namespace rtvp::platform {

using common::CropBox;
using common::PictureSize;

class Settings {
 public:
  /// The defaults. The table must outlive this object and its copies.
  explicit Settings(const OptionTable& table);
  explicit Settings(OptionTable&& table) = delete;

  [[nodiscard]] const OptionTable& table() const { return *table_; }

  /// Sets one option from text; `key` may name one machine of several ("tigershark1.dsps").
  /// `origin` ("--set", "file.json:3") begins the message of the InputError thrown for an unknown
  /// key (names the nearest), a wrong type or a value out of range (names the accepted ones).
  void set(std::string_view key, std::string_view text, const std::string& origin);

  /// A default that a computer's description gives: as set(), unless the user said something else.
  void setUnlessSaid(std::string_view key, std::string_view text, const std::string& origin);

  /// Who gave it a value ("--set", "file.json:3"): the user, a file or a computer's description;
  /// empty for a default.
  [[nodiscard]] const std::string& origin(std::string_view key) const;
  [[nodiscard]] bool said(std::string_view key) const { return !origin(key).empty(); }

  /// "key=value".
  void assign(std::string_view assignment, const std::string& origin);

  /// Reads a JSON object, nested or with dotted keys; "-" is standard input. Errors carry
  /// file:line.
  void load(const std::filesystem::path& name);

  /// The settings of one machine of several: `instance.rest=value` was said of it, with `rest` an
  /// option of its kind ("tigershark1.dsps").
  [[nodiscard]] Settings of(std::string_view instance) const;
  /// Machines that something was said of on their own, and who said it.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> instances() const;

  /// Fills a struct: every member that a row of `table` binds to a key. Throws std::logic_error if
  /// none does.
  template <class Config>
  void read(std::span<const common::Param> table, Config& config) const {
    fill(table, common::rootOf<Config>, &config);
  }
  /// A new one of type Config, from one or several tables.
  template <class Config, class... Tables>
  [[nodiscard]] Config read(const Tables&... tables) const {
    Config config{};
    (read(std::span<const common::Param>(tables), config), ...);
    return config;
  }

  // Typed access by name; asking for a key of another type is a programming error
  // (std::logic_error).
  [[nodiscard]] std::int64_t integer(std::string_view key) const;
  [[nodiscard]] double number(std::string_view key) const;
  [[nodiscard]] bool flag(std::string_view key) const;
  [[nodiscard]] const std::string& text(std::string_view key) const;  ///< Choice and Path
  [[nodiscard]] PictureSize size(std::string_view key) const;
  [[nodiscard]] CropBox crop(std::string_view key) const;

  /// Dotted key -> value, in table order: the host settings and all paths, or all others, which are
  /// what a result depends on beside the contents of its files.
  [[nodiscard]] boost::json::object effective(bool host) const;

  /// Identity of an effective configuration: the name-based UUID (RFC 4122 version 5, SHA-1) of its
  /// JSON text.
  [[nodiscard]] static std::string hash(const boost::json::object& configuration);
  /// Of this one, without the host settings.
  [[nodiscard]] std::string hash() const { return hash(effective(false)); }

 private:
  using Value = common::ParamValue;
  void fill(std::span<const common::Param> table, const void* root, void* config) const;
  [[nodiscard]] const Value& valueOf(std::string_view key) const;
  [[nodiscard]] std::size_t indexOf(const OptionSpec& option) const;
  template <typename T>
  const T& get(std::string_view key) const;
  static Value parse(const OptionSpec& option, std::string_view text, const std::string& origin);

  /// Something said of one machine of several.
  struct Own {
    std::string instance, key, text, origin;
  };
  bool setOwn(std::string_view key, std::string_view text, const std::string& origin);

  const OptionTable* table_;
  std::vector<std::string> origins_;  ///< by option: who gave it its value
  std::vector<Value> values_;         // parallel to table_->all()
  std::vector<Own> own_;              // in the order in which it was said
};

}  // namespace rtvp::platform
