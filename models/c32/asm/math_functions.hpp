// The mathematical functions of TI's macro language: $sin(x), $cvi(x) and so on, in expressions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "models/c32/asm/expression.hpp"

namespace rtvp::c32 {

/// `name` with its $, of one or two.
bool isMathFunction(const std::string& name);

/// Throws SourceError at `at` for a wrong number of arguments or one outside the function's domain.
Value callMath(const std::string& name, const std::vector<Value>& arguments, std::size_t at);

}  // namespace rtvp::c32
