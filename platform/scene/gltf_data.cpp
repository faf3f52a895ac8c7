// glTF containers and accessors, see gltf_data.hpp.
#include "platform/scene/gltf_data.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <system_error>
#include <type_traits>
#include <utility>

#include "platform/scene/bytes.hpp"
#include "platform/scene/files.hpp"

namespace rtvp::scene {

namespace {

constexpr std::uint32_t kMagic = 0x46546C67;   // "glTF"
constexpr std::uint32_t kJson = 0x4E4F534A;    // "JSON"
constexpr std::uint32_t kBinary = 0x004E4942;  // "BIN"

enum ComponentType : std::uint16_t {
  kByte = 5120,
  kUnsignedByte = 5121,
  kShort = 5122,
  kUnsignedShort = 5123,
  kUnsignedInt = 5125,
  kFloat = 5126,
};

std::size_t bytesOf(std::size_t type) {
  return type <= kUnsignedByte ? 1 : type <= kUnsignedShort ? 2 : 4;
}

int sixBits(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

std::vector<std::uint8_t> fromBase64(const JsonPlace& place, std::string_view text) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  unsigned held = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    const int six = sixBits(c);
    if (six < 0) place.fail("a byte that is no base64", "base64 behind the comma");
    bits = (bits << 6U) | static_cast<std::uint32_t>(six);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<std::uint8_t>(bits >> held));
  }
  return bytes;
}

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string percentDecoded(std::string_view uri) {
  std::string result;
  for (std::size_t k = 0; k < uri.size(); ++k) {
    if (uri[k] == '%' && k + 2 < uri.size() && hexDigit(uri[k + 1]) >= 0 &&
        hexDigit(uri[k + 2]) >= 0) {
      result += static_cast<char>(hexDigit(uri[k + 1]) * 16 + hexDigit(uri[k + 2]));
      k += 2;
    } else {
      result += uri[k];
    }
  }
  return result;
}

}  // namespace

// Where the elements of an accessor, or of its replacements, lie.
struct GltfData::Layout {
  const std::uint8_t* bytes = nullptr;  // null: all zero
  std::size_t count = 0;
  std::size_t stride = 0;
  std::size_t width = 1;
  std::size_t type = kFloat;
  bool normalized = false;
};

GltfData::GltfData(Builder& builder, const std::filesystem::path& file)
    : builder_(builder),
      path_(file),
      text_(TextFile::readBinary(file, builder.reader("scene"))),
      json_(nullptr) {
  if (text_.text().starts_with("glTF")) {
    readGlb();
  } else {
    std::string_view json = text_.text();
    if (json.starts_with("\xEF\xBB\xBF")) json.remove_prefix(3);
    json_ = readSceneJson(name(), json, 0, false);
  }
  bytes_ = text_.text().size();
  const JsonPlace version = root().at("asset").at("version");
  if (!version.text().starts_with("2.")) version.fail(inQuotes(version.text()), "glTF 2.0");
}

// Header of magic, version, length; then chunks of length, type, bytes: JSON first, BIN perhaps.
void GltfData::readGlb() {
  ByteReader bytes(text_, 0, std::endian::little);
  constexpr std::string_view kHeader = "a GLB header of 12 bytes";
  if (bytes.take<std::uint32_t>(kHeader) != kMagic) bytes.fail("another magic", "glTF");
  const Where version = bytes.where();
  if (bytes.take<std::uint32_t>(kHeader) != 2) version.fail("another version", "GLB version 2");
  const Where length = bytes.where();
  const std::size_t total = bytes.take<std::uint32_t>(kHeader);
  if (total > text_.text().size()) {
    length.fail("a length of " + std::to_string(total) + " bytes in a file of " +
                    std::to_string(text_.text().size()),
                "the whole file");
  }
  for (bool first = true; bytes.left() >= 8; first = false) {
    const Where chunk = bytes.where();
    const std::size_t size = bytes.take<std::uint32_t>("a chunk's length");
    const std::uint32_t type = bytes.take<std::uint32_t>("a chunk's type");
    const std::size_t offset = bytes.at();
    const std::string_view content = bytes.bytes(size, "a chunk as long as it says");
    if (first != (type == kJson)) chunk.fail("another chunk", "JSON as the first chunk");
    if (type == kJson) json_ = readSceneJson(name(), content, offset, true);
    if (type == kBinary && !hasChunk_) {
      chunk_ = content;
      hasChunk_ = true;
    }
  }
}

std::vector<std::uint8_t> GltfData::resource(const JsonPlace& place, std::string_view role) {
  const std::string uri = place.text();
  if (uri.starts_with("data:")) {
    const std::size_t comma = uri.find(',');
    const std::string_view head = std::string_view(uri).substr(0, std::min(comma, uri.size()));
    if (comma == std::string::npos || !head.ends_with(";base64")) {
      place.fail(inQuotes(uri), "data:TYPE;base64,... or the name of a file");
    }
    return fromBase64(place, std::string_view(uri).substr(comma + 1));
  }
  if (uri.find("://") != std::string::npos) {
    place.fail(inQuotes(uri), "the name of a file beside this one (nothing is fetched)");
  }
  std::filesystem::path file = fileBeside(path_, percentDecoded(uri));
  if (file.empty()) file = fileBeside(path_, uri);
  if (file.empty()) place.fail("no such file: " + inQuotes(uri), "a file beside this one");
  try {
    return builder_.reader(role).read(file, kMaxFileBytes);
  } catch (const std::system_error& e) {
    place.fail("a file that cannot be read (" + std::string(e.what()) + ")",
               "one of at most " + std::to_string(kMaxFileBytes) + " bytes");
  }
}

std::span<const std::uint8_t> GltfData::buffer(const JsonPlace& place) {
  const JsonPlace all = root().at("buffers");
  const std::size_t number = place.index(all.size(), "a buffer");
  const JsonPlace buffer = all.at(number);
  const JsonPlace uri = buffer.at("uri");
  std::span<const std::uint8_t> bytes;
  if (!uri.there()) {
    if (number != 0 || !hasChunk_) buffer.fail("no uri", "one (only buffer 0 of a .glb has none)");
    bytes = {reinterpret_cast<const std::uint8_t*>(chunk_.data()), chunk_.size()};
  } else {
    const auto [entry, added] = buffers_.try_emplace(number);
    if (added) {
      entry->second = resource(uri, "buffer");
      bytes_ += entry->second.size();
      if (bytes_ > kMaxBytes) {
        buffer.fail("buffers of " + std::to_string(bytes_) + " bytes together",
                    "at most " + std::to_string(kMaxBytes));
      }
    }
    bytes = entry->second;
  }
  const JsonPlace length = buffer.at("byteLength");
  const std::size_t size = length.index(std::numeric_limits<std::uint32_t>::max(), "a length");
  if (size > bytes.size()) {
    length.fail(std::to_string(size) + " bytes",
                "at most the " + std::to_string(bytes.size()) + " that are there");
  }
  return bytes.first(size);
}

std::span<const std::uint8_t> GltfData::view(const JsonPlace& place) {
  const JsonPlace all = root().at("bufferViews");
  const JsonPlace view = all.at(place.index(all.size(), "a buffer view"));
  const std::span<const std::uint8_t> bytes = buffer(view.at("buffer"));
  const std::size_t offset = view.at("byteOffset").index(bytes.size() + 1, "an offset", 0);
  const std::size_t size =
      view.at("byteLength").index(bytes.size() - offset + 1, "a length inside the buffer");
  return bytes.subspan(offset, size);
}

GltfData::Layout GltfData::layout(const JsonPlace& accessor, std::size_t width) {
  Layout layout;
  layout.width = width;
  constexpr std::array<std::string_view, 5> kTypes{"", "SCALAR", "VEC2", "VEC3", "VEC4"};
  const JsonPlace type = accessor.at("type");
  if (type.text() != kTypes.at(width)) type.fail(inQuotes(type.text()), kTypes.at(width));
  const JsonPlace component = accessor.at("componentType");
  layout.type = component.index(kFloat + 1, "5120 to 5123, 5125 or 5126");
  if (layout.type < kByte || layout.type == 5124) {
    component.fail(std::to_string(layout.type), "5120 to 5123, 5125 or 5126");
  }
  layout.count = accessor.at("count").index(kMaxCount + 1, "the number of elements");
  numbers_ += layout.count * width;
  if (numbers_ > kMaxNumbers) {
    accessor.fail("accessors of " + std::to_string(numbers_) + " numbers by now",
                  "at most " + std::to_string(kMaxNumbers) + " in a file, counted for each use");
  }
  layout.normalized = accessor.at("normalized").flag(false);
  const JsonPlace view = accessor.at("bufferView");
  if (!view.there()) {
    if (layout.count > kMaxZeros) {
      accessor.fail(std::to_string(layout.count) + " elements without a buffer view",
                    "at most " + std::to_string(kMaxZeros));
    }
    return layout;
  }
  const std::span<const std::uint8_t> bytes = this->view(view);
  const std::size_t element = bytesOf(layout.type) * width;
  const JsonPlace all = root().at("bufferViews");
  layout.stride = all.at(view.index(all.size(), "a buffer view"))
                      .at("byteStride")
                      .index(253, "a stride", element);
  const std::size_t offset = accessor.at("byteOffset").index(bytes.size() + 1, "an offset", 0);
  const std::size_t room = bytes.size() - offset;
  if (layout.count > 0 && (layout.stride < element || room < element ||
                           layout.count - 1 > (room - element) / layout.stride)) {
    accessor.fail(std::to_string(layout.count) + " elements, " + std::to_string(layout.stride) +
                      " bytes apart, in " + std::to_string(room) + " bytes",
                  "a buffer view that holds them");
  }
  layout.bytes = bytes.data() + offset;
  return layout;
}

template <typename T, typename Put>
void GltfData::spread(const Layout& layout, Put&& put) {
  for (std::size_t k = 0; k < layout.count; ++k) {
    for (std::size_t c = 0; c < layout.width; ++c) {
      T value{};
      std::memcpy(&value, layout.bytes + k * layout.stride + c * sizeof(T), sizeof(T));
      double number = static_cast<double>(value);
      if constexpr (std::is_integral_v<T>) {
        if (layout.normalized) {
          number = std::max(number / static_cast<double>(std::numeric_limits<T>::max()), -1.0);
        }
      }
      put(k, c, number);
    }
  }
}

template <typename Put>
void GltfData::forEachValue(const Layout& layout, Put&& put) {
  if (layout.bytes == nullptr) return;
  switch (layout.type) {
    case kByte:
      return spread<std::int8_t>(layout, put);
    case kUnsignedByte:
      return spread<std::uint8_t>(layout, put);
    case kShort:
      return spread<std::int16_t>(layout, put);
    case kUnsignedShort:
      return spread<std::uint16_t>(layout, put);
    case kUnsignedInt:
      return spread<std::uint32_t>(layout, put);
    default:
      return spread<float>(layout, put);
  }
}

// Elements that replace those of the base.
template <typename Put>
void GltfData::sparse(const JsonPlace& accessor, const Layout& base, Put&& put) {
  const JsonPlace sparse = accessor.at("sparse");
  if (!sparse.there()) return;
  const std::size_t count = sparse.at("count").index(base.count + 1, "the number of elements");
  const auto part = [&](const JsonPlace& place, std::size_t type, std::size_t width) {
    const std::span<const std::uint8_t> bytes = view(place.at("bufferView"));
    const std::size_t offset = place.at("byteOffset").index(bytes.size() + 1, "an offset", 0);
    const std::size_t element = bytesOf(type) * width;
    if (count > (bytes.size() - offset) / element) {
      place.fail(std::to_string(count) + " elements in " + std::to_string(bytes.size() - offset) +
                     " bytes",
                 "a buffer view that holds them");
    }
    return Layout{bytes.data() + offset, count, element, width, type, base.normalized};
  };
  const JsonPlace where = sparse.at("indices");
  const std::size_t type = where.at("componentType").index(kFloat, "5121, 5123 or 5125");
  if (type != kUnsignedByte && type != kUnsignedShort && type != kUnsignedInt) {
    where.fail("the component type " + std::to_string(type), "5121, 5123 or 5125");
  }
  Layout indices = part(where, type, 1);
  indices.normalized = false;
  std::vector<std::size_t> places(count);
  forEachValue(indices, [&](std::size_t k, std::size_t /*c*/, double value) {
    if (value >= static_cast<double>(base.count)) {
      where.fail("the index " + std::to_string(static_cast<std::uint64_t>(value)),
                 "one below " + std::to_string(base.count));
    }
    places[k] = static_cast<std::size_t>(value);
  });
  forEachValue(part(sparse.at("values"), base.type, base.width),
               [&](std::size_t k, std::size_t c, double value) { put(places[k], c, value); });
}

std::vector<float> GltfData::floats(const JsonPlace& place, std::size_t width) {
  const JsonPlace all = root().at("accessors");
  const JsonPlace accessor = all.at(place.index(all.size(), "an accessor"));
  const Layout base = layout(accessor, width);
  std::vector<float> result(base.count * width);
  const auto put = [&](std::size_t k, std::size_t c, double value) {
    if (!(std::abs(value) <= kMaxNumber)) {
      accessor.fail("a number that is not finite or beyond 1e+12, in element " + std::to_string(k),
                    "finite numbers");
    }
    result[k * width + c] = static_cast<float>(value);
  };
  forEachValue(base, put);
  sparse(accessor, base, put);
  return result;
}

std::vector<std::uint32_t> GltfData::indices(const JsonPlace& place) {
  const JsonPlace all = root().at("accessors");
  const JsonPlace accessor = all.at(place.index(all.size(), "an accessor"));
  Layout base = layout(accessor, 1);
  base.normalized = false;
  if (base.type != kUnsignedByte && base.type != kUnsignedShort && base.type != kUnsignedInt) {
    accessor.at("componentType").fail(std::to_string(base.type), "5121, 5123 or 5125 for indices");
  }
  std::vector<std::uint32_t> result(base.count);
  const auto put = [&](std::size_t k, std::size_t /*c*/, double value) {
    result[k] = static_cast<std::uint32_t>(value);
  };
  forEachValue(base, put);
  sparse(accessor, base, put);
  return result;
}

}  // namespace rtvp::scene
