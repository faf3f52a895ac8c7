// Reading the arguments of requests: what is missing or of another kind is refused by its name.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/debug/remote/dap.hpp"

namespace rtvp::debug::arguments {

inline std::optional<std::int64_t> integer(const boost::json::object& a, std::string_view name) {
  const boost::json::value* const v = a.if_contains(name);
  if (v == nullptr || v->is_null()) return std::nullopt;
  boost::json::error_code error;
  const auto number = v->to_number<std::int64_t>(error);
  if (error) throw DapRefusal(std::string(name) + ": expected an integer");
  return number;
}

inline std::int64_t needInteger(const boost::json::object& a, std::string_view name) {
  const auto found = integer(a, name);
  if (!found) throw DapRefusal("found no " + std::string(name) + ", expected an integer");
  return *found;
}

/// "" if it is not there.
inline std::string text(const boost::json::object& a, std::string_view name) {
  const boost::json::value* const v = a.if_contains(name);
  if (v == nullptr || v->is_null()) return "";
  if (!v->is_string()) throw DapRefusal(std::string(name) + ": expected a text");
  return std::string(v->get_string());
}

inline bool flag(const boost::json::object& a, std::string_view name, bool otherwise) {
  const boost::json::value* const v = a.if_contains(name);
  if (v == nullptr || v->is_null()) return otherwise;
  if (!v->is_bool()) throw DapRefusal(std::string(name) + ": expected true or false");
  return v->get_bool();
}

/// Empty if it is not there.
inline const boost::json::object& object(const boost::json::object& a, std::string_view name) {
  static const boost::json::object kNone;
  const boost::json::value* const v = a.if_contains(name);
  if (v == nullptr || v->is_null()) return kNone;
  if (!v->is_object()) throw DapRefusal(std::string(name) + ": expected an object");
  return v->get_object();
}

inline const boost::json::array& array(const boost::json::object& a, std::string_view name) {
  static const boost::json::array kNone;
  const boost::json::value* const v = a.if_contains(name);
  if (v == nullptr || v->is_null()) return kNone;
  if (!v->is_array()) throw DapRefusal(std::string(name) + ": expected an array");
  return v->get_array();
}

inline const boost::json::object& element(const boost::json::value& v) {
  if (!v.is_object()) throw DapRefusal("expected an array of objects");
  return v.get_object();
}

/// An address, as we give it out: 0x and hexadecimal digits.
std::uint64_t address(const boost::json::object& a, std::string_view name);

}  // namespace rtvp::debug::arguments
