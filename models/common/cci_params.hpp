// The parameters of a model (param.hpp) as parameters of SystemC CCI 1.0 (Accellera),
// for platforms that are configured that way. For those who have CCI: nothing here includes this
// header, which needs its <cci_configuration>; link CCI beside rtvp::cci.
//
//   struct MyBoard : sc_core::sc_module {
//     common::CciParams<tigershark::BoardConfig> params{{tigershark::kBoardParams}, "tigershark."};
//     std::unique_ptr<tigershark::Board> board;
//     explicit MyBoard(sc_core::sc_module_name name) : sc_module(name) {
//       board = std::make_unique<tigershark::Board>("board", params.config());
//     }
//   };
//
// Each row whose struct is Config becomes a cci_param with its name relative to the module, its
// default, and what it means, its unit and its range as description. A value that the row does not
// accept is refused when it is written (CCI then reports that, too) and, if it was preset, when the
// parameter is made: SC_REPORT_ERROR with the parameter's name, what was found and what is
// expected. config() locks them all: models are built from it, so that a later write would have no
// effect.
#pragma once

#include <algorithm>
#include <cci_configuration>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "models/common/param.hpp"

namespace rtvp::common {

/// Message id of values that a parameter does not accept.
inline constexpr const char* kCciReport = "rtvp.cci";

namespace detail {

/// What CCI knows values of a type as.
template <ParamType kType>
struct CciType {
  using Value = std::string;  // Choice, Path, Text, Names
};
template <>
struct CciType<ParamType::Integer> {
  using Value = sc_dt::int64;
};
template <>
struct CciType<ParamType::Number> {
  using Value = double;
};
template <>
struct CciType<ParamType::Flag> {
  using Value = bool;
};

/// What a row accepts, in words; empty: anything.
inline std::string cciExpected(const Param& row) {
  std::ostringstream text;
  text.precision(15);
  if (row.type == ParamType::Integer || row.type == ParamType::Number)
    text << row.range.lo << " to " << row.range.hi;
  const char* comma = "one of ";
  for (const std::string_view word : row.words) {
    text << comma << word;
    comma = ", ";
  }
  return text.str();
}

inline std::string cciDescription(const Param& row) {
  std::string text(row.help);
  const std::string expected = cciExpected(row);
  if (!expected.empty() || !row.unit.empty()) text += "; ";
  text += expected;
  if (!row.unit.empty()) text += (expected.empty() ? "" : " ") + std::string(row.unit);
  return text;
}

inline bool cciAccepts(const Param& row, double value) {
  return value >= row.range.lo && value <= row.range.hi;
}
inline bool cciAccepts(const Param& row, sc_dt::int64 value) {
  return cciAccepts(row, static_cast<double>(value));
}
inline bool cciAccepts(const Param&, bool) {
  return true;
}
inline bool cciAccepts(const Param& row, const std::string& value) {
  return row.words.empty() ||
         std::find(row.words.begin(), row.words.end(), value) != row.words.end();
}

class CciRow {
 public:
  virtual ~CciRow() = default;
  virtual void assign(void* config) const = 0;
  virtual void lock() = 0;
};

template <ParamType kType>
class CciRowOf final : public CciRow {
 public:
  using Value = typename CciType<kType>::Value;

  CciRowOf(const Param& row, const std::string& name)
      : row_(row), param_(name, fallback(row), cciDescription(row)) {
    refuse(param_.get_value());
    param_.register_pre_write_callback(&CciRowOf::beforeWrite, this);
  }
  CciRowOf(const CciRowOf&) = delete;
  CciRowOf& operator=(const CciRowOf&) = delete;

  void assign(void* config) const override { row_.assign(config, asParam(param_.get_value())); }
  void lock() override { param_.lock(); }

 private:
  static Value fallback(const Param& row) {
    if constexpr (kType == ParamType::Integer) {
      return std::get<std::int64_t>(row.fallback());
    } else {
      return std::get<Value>(row.fallback());
    }
  }
  static ParamValue asParam(const Value& value) {
    if constexpr (kType == ParamType::Integer) {
      return static_cast<std::int64_t>(value);
    } else {
      return value;
    }
  }
  /// True if the row does not accept the value, which is then reported.
  bool refuse(const Value& value) const {
    if (cciAccepts(row_, value)) return false;
    std::ostringstream text;
    text.precision(15);
    text << param_.name() << ": found " << value << ", expected " << cciExpected(row_);
    SC_REPORT_ERROR(kCciReport, text.str().c_str());
    return true;
  }
  bool beforeWrite(const cci::cci_param_write_event<Value>& event) {
    return !refuse(event.new_value);
  }

  const Param& row_;
  cci::cci_param<Value> param_;
};

}  // namespace detail

template <class Config>
class CciParams {
 public:
  using Table = std::span<const Param>;

  /// Within a module's construction. The tables outlive it. Keys that begin with `prefix` lose it:
  /// "tigershark.dsps" of board0 is board0.dsps then. std::invalid_argument for a row of a
  /// picture's size or part, which no model has.
  explicit CciParams(std::initializer_list<Table> tables, std::string_view prefix = {}) {
    for (const Table& table : tables) {
      for (const Param& row : table) {
        if (row.root != rootOf<Config>) continue;
        std::string_view name = row.key;
        if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
        rows_.push_back(make(row, std::string(name)));
      }
    }
  }

  /// The struct as the parameters say, which are locked from now on. `base`: what it holds beside
  /// them.
  [[nodiscard]] Config config(Config base = {}) {
    for (const auto& row : rows_) {
      row->lock();
      row->assign(&base);
    }
    return base;
  }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  static std::unique_ptr<detail::CciRow> make(const Param& row, const std::string& name) {
    using enum ParamType;
    switch (row.type) {
      case Integer:
        return std::make_unique<detail::CciRowOf<Integer>>(row, name);
      case Number:
        return std::make_unique<detail::CciRowOf<Number>>(row, name);
      case Flag:
        return std::make_unique<detail::CciRowOf<Flag>>(row, name);
      case Choice:
      case Path:
      case Text:
      case Names:
        return std::make_unique<detail::CciRowOf<Text>>(row, name);
      case Size:
      case Crop:
        break;
    }
    throw std::invalid_argument(name + ": a picture's size is no parameter of a model");
  }

  std::vector<std::unique_ptr<detail::CciRow>> rows_;
};

}  // namespace rtvp::common
