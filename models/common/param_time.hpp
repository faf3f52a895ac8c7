// Parameters of members that are times: users set a clock in Hz and a latency in ns or us.
#pragma once

#include <systemc>

#include "models/common/param.hpp"

namespace rtvp::common {

/// A clock's period, set as its frequency. The default is the correctly rounded quotient, so a
/// period of 30 ns reads 33333333.333333332 Hz and one of 1 ns exactly 1e9.
template <class Member>
struct HertzCodec {
  static constexpr ParamType kType = ParamType::Number;
  static ParamValue get(const sc_core::sc_time& period) {
    return 1e12 / (period / sc_core::sc_time(1, sc_core::SC_PS));
  }
  static void set(sc_core::sc_time& period, const ParamValue& hertz) {
    period = sc_core::sc_time(1 / std::get<double>(hertz), sc_core::SC_SEC);
  }
};

template <sc_core::sc_time_unit kUnit>
struct TimeCodec {
  template <class Member>
  struct For {
    static constexpr ParamType kType = ParamType::Number;
    static ParamValue get(const sc_core::sc_time& time) {
      return time / sc_core::sc_time(1, kUnit);
    }
    static void set(sc_core::sc_time& time, const ParamValue& value) {
      time = sc_core::sc_time(std::get<double>(value), kUnit);
    }
  };
};

template <auto... kPath>
constexpr Param clockParam(std::string_view key, Range hertz, std::string_view help) {
  return paramAs<HertzCodec, kPath...>(key, "Hz", hertz, help);
}
template <auto... kPath>
constexpr Param nanoseconds(std::string_view key, Range range, std::string_view help) {
  return paramAs<TimeCodec<sc_core::SC_NS>::template For, kPath...>(key, "ns", range, help);
}
template <auto... kPath>
constexpr Param microseconds(std::string_view key, Range range, std::string_view help) {
  return paramAs<TimeCodec<sc_core::SC_US>::template For, kPath...>(key, "us", range, help);
}

}  // namespace rtvp::common
