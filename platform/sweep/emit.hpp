// A sweep's unfinished points for engines that run them elsewhere: lines for workers, a makefile, a
// Slurm array script, a Snakefile. Nothing of ours schedules anything.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "platform/sweep/spec.hpp"

namespace rtvp::sweep {

enum class EmitFormat : std::uint8_t { JsonLines, Make, Slurm, Snakemake };

/// "jsonl", "make", "slurm", "snakemake"; throws InputError for anything else.
[[nodiscard]] EmitFormat emitFormat(std::string_view word);

struct EmitOptions {
  EmitFormat format = EmitFormat::JsonLines;
  std::filesystem::path root = ".";  ///< has all files of the points
  std::filesystem::path program;     ///< the platform executable
  double timeoutSeconds = 0;         ///< for each point; 0 = never
};

/// A file to write beside points.jsonl, and what to type then.
struct Script {
  std::string name, text;
  std::string command;  ///< in the folder
};

/// `lines`: of points.jsonl, `identities` theirs. Throws InputError for names that no script can
/// hold. Not for JsonLines.
[[nodiscard]] Script scriptOf(const EmitOptions& options, const std::string& sweep,
                              const std::vector<std::string>& identities);

}  // namespace rtvp::sweep
