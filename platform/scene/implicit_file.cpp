// See implicit_file.hpp.
#include "platform/scene/implicit_file.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/common/tool_files.hpp"
#include "models/implicit/assembler.hpp"
#include "models/implicit/codec.hpp"
#include "platform/scene/load.hpp"
#include "platform/scene/text.hpp"

namespace rtvp::scene {

namespace fs = std::filesystem;

namespace {

implicit::Tape readText(const fs::path& file) {
  const TextFile text = TextFile::read(file);
  // The report's machine first: a tape of exactly its length may end without OPStop.
  implicit::AssemblyResult result = implicit::assemble(text.name(), text.text());
  if (!result.tape) {
    result = implicit::assemble(text.name(), text.text(), implicit::Limits::wide());
  }
  if (!result.tape) {
    const implicit::Diagnostic& first = result.diagnostics.front();
    const std::size_t more = result.diagnostics.size() - 1;
    throw SceneError(first.file + ':' + std::to_string(first.line) + ':' +
                     std::to_string(first.column) + ": " + first.message +
                     (more > 0 ? " (and " + std::to_string(more) + " more)" : ""));
  }
  return std::move(*result.tape);
}

implicit::Tape readBinary(const fs::path& file, const ImplicitReading& reading) {
  const std::string name = file.string();
  std::error_code error;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > kMaxFileBytes) {
    throw SceneError(name + ": found no regular file of at most " + std::to_string(kMaxFileBytes) +
                     " bytes, expected binary tapes");
  }
  std::vector<std::uint8_t> bytes;
  if (const auto content = common::readFile(name); content) {
    bytes.assign(content->begin(), content->end());
  } else {
    throw SceneError(name + ": found a file that cannot be read, expected binary tapes");
  }
  try {
    std::vector<implicit::Tape> objects = implicit::decode(implicit::readFile(bytes));
    if (reading.object >= objects.size()) {
      throw SceneError(name + ": found " + std::to_string(objects.size()) +
                       " objects, expected one of number " + std::to_string(reading.object));
    }
    return std::move(objects[reading.object]);
  } catch (const implicit::CodecError& e) {
    throw SceneError(name + ": " + e.what());
  }
}

}  // namespace

bool isImplicitFile(const fs::path& file) {
  const std::string extension = lowered(file.extension().string());
  return extension == ".sdf" || extension == ".sdft";
}

std::shared_ptr<const ImplicitModel> readImplicit(const fs::path& file,
                                                  const ImplicitReading& reading) {
  if (!isImplicitFile(file)) {
    throw SceneError(file.string() + ": found the extension " +
                     inQuotes(file.extension().string()) + ", expected .sdf or .sdft");
  }
  implicit::Tape tape =
      lowered(file.extension().string()) == ".sdf" ? readText(file) : readBinary(file, reading);
  try {
    auto model = std::make_shared<ImplicitModel>(std::move(tape));
    model->file = file;
    return model;
  } catch (const implicit::registers::ProgramError& e) {
    throw SceneError(file.string() + ": " + e.what());
  }
}

void boundImplicit(Implicit& implicit) {
  if (const auto& bounds = implicit.model->tape->bounds) {
    implicit.lo = {bounds->min[0], bounds->min[1], bounds->min[2]};
    implicit.hi = {bounds->max[0], bounds->max[1], bounds->max[2]};
    return;
  }
  throw SceneError(implicit.where + "found no bounds, expected them in the tape or behind bounds");
}

}  // namespace rtvp::scene
