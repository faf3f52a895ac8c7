#include "platform/report/trace_file.hpp"

#include <filesystem>

namespace rtvp::report {
namespace {

/// Collects text, so that the file sees few large writes.
class FileText final : public TraceText {
 public:
  explicit FileText(common::FileReplacement& file) : file_(file) {
    text_.reserve(kBlock + kLongest);
  }
  void write(std::string_view text) override {
    text_ += text;
    if (text_.size() >= kBlock) flush();
  }
  void flush() {
    file_.write(text_);
    text_.clear();
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 18U;
  static constexpr std::size_t kLongest = 4096;
  common::FileReplacement& file_;
  std::string text_;
};

}  // namespace

std::optional<TraceFormat> traceFormat(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  if (extension == ".vcd") return TraceFormat::Vcd;
  if (extension == ".json") return TraceFormat::Json;
  return std::nullopt;
}

void writeTrace(common::FileReplacement& target, TraceFormat format,
                const std::vector<int>& files) {
  TraceMerge trace(files);
  FileText text(target);
  if (format == TraceFormat::Vcd) {
    writeVcd(trace, text);
  } else {
    writeTraceJson(trace, text);
  }
  text.flush();
  target.commit();
}

}  // namespace rtvp::report
