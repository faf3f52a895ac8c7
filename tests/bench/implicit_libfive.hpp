// libfive's height map of an expression model, beside ours in bench_implicit. Its headers stay in
// the one source file that is compiled as libfive itself is.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "models/implicit/import/vm.hpp"

namespace rtvp::bench {

class Libfive {
 public:
  /// `source`: the text of a .vm file that our importer has accepted. Throws std::runtime_error for
  /// an operation that libfive has not.
  Libfive(std::string_view source, const implicit::import::View& view, bool flat, unsigned size);
  Libfive(const Libfive&) = delete;
  Libfive& operator=(const Libfive&) = delete;
  ~Libfive();

  /// Depths and normals with one worker, evaluator made before; how many pixels are hit.
  std::size_t render();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rtvp::bench
