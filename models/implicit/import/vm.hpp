// Expression files (.vm, the text format of fidget): one clause a line, `name op args`, `#` starts
// a comment, the last clause is f; f < 0 is inside. Equal clauses are one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/implicit/assembler.hpp"
#include "models/implicit/registers/program.hpp"

namespace rtvp::implicit::import {

/// How a model is looked at: model point = Rz(roll) Rx(pitch) (point / scale), degrees.
struct View {
  double scale = 1, pitch = 0, roll = 0;
  [[nodiscard]] bool identity() const { return scale == 1 && pitch == 0 && roll == 0; }
  /// Rz Rx / scale, column major.
  [[nodiscard]] std::array<float, 9> matrix() const;
};

/// A value of an expression: a number, a coordinate, or an opcode over earlier values.
struct Node {
  const OpcodeInfo* op = nullptr;  ///< null: `number`, or the coordinate `axis`
  std::array<std::uint32_t, 2> in{};
  float number = 0;
  int axis = -1;
};

struct Expression {
  std::vector<Node> nodes;  ///< operands come before their users
  std::uint32_t root = 0;
};

struct VmResult {
  std::optional<Expression> expression;  ///< exactly if there is no diagnostic
  std::vector<Diagnostic> diagnostics;
  /// `file:line:column: error: message`, one a line.
  [[nodiscard]] std::string report() const { return formatDiagnostics(diagnostics); }
};

/// Operations: const, var-x, var-y, var-z; neg abs recip sqrt square floor ceil round sin cos tan
/// asin acos atan exp ln not; add sub mul div min max compare mod and or atan2. mod is the
/// remainder that is not negative. `file` is the name that diagnostics show; stops after 20 errors.
VmResult readVm(std::string_view file, std::string_view source);

/// Throws registers::ProgramError if the model is too long.
registers::Program toProgram(const Expression& expression, const View& view = {});

/// The same function on the stacks: shared values are computed again, the point is pushed for each
/// use. Nothing if that does not fit the limits: the model has no stack order worth having.
std::optional<Tape> toTape(const Expression& expression, const View& view = {},
                           Limits limits = Limits::wide());

}  // namespace rtvp::implicit::import
