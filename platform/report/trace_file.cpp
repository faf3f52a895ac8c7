#include "platform/report/trace_file.hpp"

#include <zlib.h>

#include <array>
#include <filesystem>
#include <limits>
#include <stdexcept>

namespace rtvp::report {
namespace {

/// Collects text, so that whoever gets it sees few large pieces.
class Blocks : public TraceText {
 public:
  Blocks() { text_.reserve(kBlock + kLongest); }
  void write(std::string_view text) final {
    text_ += text;
    if (text_.size() < kBlock) return;
    take(text_, false);
    text_.clear();
  }
  /// Nothing comes any more.
  void finish() {
    take(text_, true);
    text_.clear();
  }

 protected:
  virtual void take(std::string_view block, bool last) = 0;

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 18U;
  static constexpr std::size_t kLongest = 4096;
  std::string text_;
};

class PlainText final : public Blocks {
 public:
  explicit PlainText(common::FileReplacement& file) : file_(file) {}

 private:
  void take(std::string_view block, bool /*last*/) override { file_.write(block); }
  common::FileReplacement& file_;
};

class GzipText final : public Blocks {
 public:
  explicit GzipText(common::FileReplacement& file) : file_(file) {
    constexpr int kGzip = 16 + MAX_WBITS;  // with gzip's head, whose time is 0
    constexpr int kMemory = 8;             // zlib's default
    // Traces repeat themselves: the fastest level loses little.
    if (deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) !=
        Z_OK)
      throw std::runtime_error("zlib cannot compress the trace");
  }
  ~GzipText() override { deflateEnd(&stream_); }
  GzipText(const GzipText&) = delete;
  GzipText& operator=(const GzipText&) = delete;

 private:
  void take(std::string_view block, bool last) override {
    static_assert(std::numeric_limits<uInt>::max() >= std::size_t{1} << 20U);
    // zlib reads only, but its interface has no const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data()));
    stream_.avail_in = static_cast<uInt>(block.size());
    do {
      stream_.next_out = out_.data();
      stream_.avail_out = static_cast<uInt>(out_.size());
      if (deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
        throw std::runtime_error("zlib cannot compress the trace");
      file_.write({reinterpret_cast<const char*>(out_.data()), out_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  common::FileReplacement& file_;
  z_stream stream_{};
  std::array<Bytef, std::size_t{1} << 16U> out_{};
};

void writeText(TraceMerge& trace, TraceFormat format, Blocks& text) {
  if (format == TraceFormat::Vcd) {
    writeVcd(trace, text);
  } else {
    writeTraceJson(trace, text);
  }
  text.finish();
}

}  // namespace

std::optional<TraceForm> traceForm(const std::string& file) {
  std::filesystem::path path(file);
  TraceForm form;
  form.compressed = path.extension() == ".gz";
  if (form.compressed) path = path.stem();
  const std::string extension = path.extension().string();
  if (extension == ".vcd") return form;
  form.format = TraceFormat::Json;
  if (extension == ".json") return form;
  return std::nullopt;
}

void writeTrace(common::FileReplacement& target, const TraceForm& form,
                const std::vector<int>& files) {
  TraceMerge trace(files);
  if (form.compressed) {
    GzipText text(target);
    writeText(trace, form.format, text);
  } else {
    PlainText text(target);
    writeText(trace, form.format, text);
  }
  target.commit();
}

}  // namespace rtvp::report
