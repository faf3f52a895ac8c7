// The vector part of a run (run_plan.hpp, of words word_plan.hpp) as host code for AVX2 or AVX-512.
//
// Each vector of lanes goes through all steps with R0-R7 in vector registers. The operations are
// the quick forms of kernels_binary.hpp. Whether all of them were good is known at the end of the
// vector: then registers, words and flags are stored, else
// RunFrame::plain makes the vector. Expects the host's rounding mode "down" (rounding.hpp).
#pragma once

#include <cstdint>
#include <memory>

#include "models/c32/simt/run_plan.hpp"
#include "models/c32/simt/word_plan.hpp"

namespace rtvp::c32::simt {

class RunCode {
 public:
  using Entry = void (*)(RunFrame*);
  /// For so many lanes a vector; `floorAlways`: CpuConfig::alignment.
  RunCode(unsigned width, bool floorAlways);
  ~RunCode();
  RunCode(const RunCode&) = delete;
  RunCode& operator=(const RunCode&) = delete;

  /// Code can be made for vectors of so many lanes; the host is known to have kernels for them.
  [[nodiscard]] static bool possible(unsigned width);
  /// Null: it could not be made. `zeros`: results that are zero are done here, too, which costs
  /// three host instructions an operation.
  [[nodiscard]] Entry make(const RunPlan& plan, bool zeros);
  /// Of a run of words. False: it could not be done, and rows that are read are as they were.
  using WordEntry = bool (*)(WordFrame*);
  [[nodiscard]] WordEntry make(const WordPlan& plan);
  /// Bytes of a vector of words.
  [[nodiscard]] unsigned wordBytes() const { return wide_ ? 64 : 32; }
  /// Sums are quicker if the exponents of shared addends are known (RunPlan::Value::exponent).
  [[nodiscard]] bool wantsExponents() const { return !wide_; }
  /// All that was made is gone.
  void forget();

 private:
  struct Runtime;
  std::unique_ptr<Runtime> runtime_;
  bool wide_;
  bool floorAlways_;
};

}  // namespace rtvp::c32::simt
