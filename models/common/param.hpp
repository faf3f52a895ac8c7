// Parameters: what a user may set of a machine, one table beside the struct that holds it.
//
//   inline constexpr std::array kBoardParams{
//       param<&BoardConfig::waitStates>("tigershark.wait_states", "H1 cycles", {0, 7},
//                                       "wait states of the shared memory"),
//       ...};
//
// A row binds a key to a member, reached by a path of members from the struct ("root") down; the
// type follows from the member, and the default is what a fresh root has there: it is written
// nowhere else. Whoever holds values of the keys reads a root from them by its type
// (platform/options/settings.hpp); no key is spelled a second time.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace rtvp::common {

struct PictureSize {
  int width = 0;  ///< 0 = as the scene says
  int height = 0;
  bool operator==(const PictureSize&) const = default;
};

struct CropBox {
  int x = 0;
  int y = 0;
  int width = 0;  ///< 0 = the whole picture
  int height = 0;
  bool operator==(const CropBox&) const = default;
};

enum class ParamType : std::uint8_t {
  Integer,
  Number,
  Flag,    ///< on | off (true | false)
  Choice,  ///< one of some words
  Path,    ///< file name; empty = none
  Size,    ///< WxH; "scene" = what the scene file says
  Crop,    ///< x,y,w,h; "all" = the whole picture
  Text,    ///< words with a form of their own; empty = none
  Names,   ///< names separated by commas; "all" = every one
};

/// A value of any type; Choice, Path, Text and Names are texts.
using ParamValue = std::variant<std::int64_t, double, bool, std::string, PictureSize, CropBox>;

/// Unit of a number as users read it; "" for a pure number.
struct Unit {
  // NOLINTNEXTLINE(google-explicit-constructor): a unit is written as its name
  constexpr Unit(const char* text = "") : name(text) {}
  std::string_view name;
};

/// Accepted values of Integer and Number, both ends included; Size and Crop: of each number in it.
struct Range {
  double lo = 0;
  double hi = 0;
};

/// One parameter. Made by param() and its kin below.
struct Param {
  std::string_view key;  ///< dotted name
  ParamType type = ParamType::Integer;
  std::string_view unit = {};
  Range range = {};
  std::span<const std::string_view> words = {};  ///< of a Choice
  std::string_view help = {};                    ///< one line
  bool host = false;  ///< output, speed or host setting: never changes a result and is not hashed
  std::string_view option = {};       ///< long command-line option; "" = none
  char letter = 0;                    ///< short one
  std::string_view optionValue = {};  ///< not empty: the option takes no argument and means this
  std::string_view option2 = {};      ///< second option without argument
  std::string_view option2Value = {};
  /// Not empty: listed beside this key. Else right behind the row before it in its table, the first
  /// one at the end.
  std::string_view neighbour = {};
  bool before = false;  ///< it is listed right before that key, not right behind it
  /// A word of a Choice that was called differently once: refused, with what it is called now.
  std::string_view oldWord = {}, newWord = {};

  const void* root = nullptr;                                 ///< rootOf<Config>
  ParamValue (*fallback)() = nullptr;                         ///< of a fresh root
  void (*assign)(void* config, const ParamValue&) = nullptr;  ///< `config` is of type root

  /// The same as a setting of the host or of speed.
  [[nodiscard]] constexpr Param ofHost() const {
    Param p = *this;
    p.host = true;
    return p;
  }
  /// The same listed right behind a key of another table.
  [[nodiscard]] constexpr Param listedAfter(std::string_view other) const {
    Param p = *this;
    p.neighbour = other;
    return p;
  }
  /// The same listed right before it.
  [[nodiscard]] constexpr Param listedBefore(std::string_view other) const {
    Param p = listedAfter(other);
    p.before = true;
    return p;
  }
  /// The same Choice, one of whose words was called `was` once.
  [[nodiscard]] constexpr Param renamed(std::string_view was, std::string_view now) const {
    Param p = *this;
    p.oldWord = was;
    p.newWord = now;
    return p;
  }
  /// The same with a command-line option that takes a value.
  [[nodiscard]] constexpr Param onCommandLine(std::string_view name, char shortName = 0) const {
    Param p = *this;
    p.option = name;
    p.letter = shortName;
    return p;
  }
  /// The same with a command-line option without argument; used twice, with a second one.
  [[nodiscard]] constexpr Param bareOption(std::string_view name, std::string_view value,
                                           char shortName = 0) const {
    Param p = *this;
    if (option.empty()) {
      p.option = name;
      p.letter = shortName;
      p.optionValue = value;
    } else {
      p.option2 = name;
      p.option2Value = value;
    }
    return p;
  }
};

/// Identity of a root's type.
template <class Config>
inline constexpr char kRootTag = 0;
template <class Config>
inline constexpr const void* rootOf = &kRootTag<Config>;

// ---- paths: from the root to the member

/// Step of a path: an array's element.
template <std::size_t kIndex>
struct Element {};

namespace detail {

template <class Class, class Member, class... Rest>
Class rootOfPath(Member Class::*, Rest...);
template <auto... kPath>
using RootOf = decltype(rootOfPath(kPath...));

template <class Object, class Class, class Member>
constexpr decltype(auto) step(Object& object, Member Class::*member) {
  return (object.*member);
}
template <class Object, std::size_t kIndex>
constexpr decltype(auto) step(Object& object, Element<kIndex>) {
  return (object[kIndex]);
}

template <auto kFirst, auto... kRest, class Object>
constexpr decltype(auto) walkPath(Object& object) {
  if constexpr (sizeof...(kRest) == 0) {
    return step(object, kFirst);
  } else {
    return walkPath<kRest...>(step(object, kFirst));
  }
}

template <auto... kPath>
using MemberOf =
    std::remove_cvref_t<decltype(walkPath<kPath...>(std::declval<RootOf<kPath...>&>()))>;

}  // namespace detail

// ---- codecs: a member's type as a parameter's

/// bool, whole and floating numbers, sizes, crops; texts and paths as Path. A float's default is
/// the shortest decimal that rounds to it, so that users read 0.001 and not what binary32 makes of
/// it.
template <class Member>
struct PlainCodec {
  static constexpr ParamType kType = std::is_same_v<Member, bool>          ? ParamType::Flag
                                     : std::is_integral_v<Member>          ? ParamType::Integer
                                     : std::is_floating_point_v<Member>    ? ParamType::Number
                                     : std::is_same_v<Member, PictureSize> ? ParamType::Size
                                     : std::is_same_v<Member, CropBox>     ? ParamType::Crop
                                                                           : ParamType::Path;
  static ParamValue get(const Member& member) {
    if constexpr (kType == ParamType::Integer) {
      return static_cast<std::int64_t>(member);
    } else if constexpr (std::is_same_v<Member, float>) {
      std::array<char, 32> text{};
      const auto end = std::to_chars(text.data(), text.data() + text.size(), member).ptr;
      double value = 0;
      std::from_chars(text.data(), end, value);
      return value;
    } else if constexpr (std::is_same_v<Member, std::filesystem::path>) {
      return member.string();
    } else {
      return member;
    }
  }
  static void set(Member& member, const ParamValue& value) {
    if constexpr (kType == ParamType::Integer) {
      member = static_cast<Member>(std::get<std::int64_t>(value));
    } else if constexpr (kType == ParamType::Number) {
      member = static_cast<Member>(std::get<double>(value));
    } else if constexpr (kType == ParamType::Path) {
      member = std::get<std::string>(value);
    } else {
      member = std::get<Member>(value);
    }
  }
};

/// A whole number that users may write as 30e6.
template <class Member>
struct NumberCodec {
  static constexpr ParamType kType = ParamType::Number;
  static ParamValue get(const Member& member) { return static_cast<double>(member); }
  static void set(Member& member, const ParamValue& value) {
    member = static_cast<Member>(std::get<double>(value));
  }
};

/// Bytes that users set in MiB.
template <class Member>
struct MebibyteCodec {
  static constexpr ParamType kType = ParamType::Integer;
  static ParamValue get(const Member& bytes) { return static_cast<std::int64_t>(bytes >> 20U); }
  static void set(Member& bytes, const ParamValue& value) {
    bytes = static_cast<Member>(std::get<std::int64_t>(value)) << 20U;
  }
};

/// A text member that holds one of some words, or a list of names.
template <ParamType kText>
struct TextCodec {
  template <class Member>
  struct For {
    static constexpr ParamType kType = kText;
    static ParamValue get(const Member& member) { return std::string(member); }
    static void set(Member& member, const ParamValue& value) {
      member = std::get<std::string>(value);
    }
  };
};

/// A word and what it stands for.
template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

template <const auto& kNames>
struct NamedCodec {
  template <class Member>
  struct For {
    static constexpr ParamType kType = ParamType::Choice;
    static ParamValue get(const Member& member) {
      for (const auto& n : kNames) {
        if (n.value == member) return std::string(n.name);
      }
      throw std::logic_error("a default without a name");
    }
    static void set(Member& member, const ParamValue& value) {
      const std::string& word = std::get<std::string>(value);
      for (const auto& n : kNames) {
        if (n.name != word) continue;
        member = n.value;
        return;
      }
      throw std::logic_error("'" + word + "' stands for nothing");
    }
  };
};

template <const auto& kNames>
inline constexpr auto kWords = [] {
  std::array<std::string_view, kNames.size()> words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = kNames[i].name;
  return words;
}();

// ---- rows

/// A member through a codec.
template <template <class> class Codec, auto... kPath>
constexpr Param paramAs(std::string_view key, Unit unit, Range range, std::string_view help) {
  using Root = detail::RootOf<kPath...>;
  using Coded = Codec<detail::MemberOf<kPath...>>;
  Param p{.key = key, .type = Coded::kType, .unit = unit.name, .range = range, .help = help};
  p.root = rootOf<Root>;
  p.fallback = [] {
    Root fresh{};
    return Coded::get(detail::walkPath<kPath...>(fresh));
  };
  p.assign = [](void* config, const ParamValue& value) {
    Coded::set(detail::walkPath<kPath...>(*static_cast<Root*>(config)), value);
  };
  return p;
}

/// A number, size or crop.
template <auto... kPath>
constexpr Param param(std::string_view key, Unit unit, Range range, std::string_view help) {
  return paramAs<PlainCodec, kPath...>(key, unit, range, help);
}

/// A flag or a file name.
template <auto... kPath>
constexpr Param param(std::string_view key, std::string_view help) {
  return paramAs<PlainCodec, kPath...>(key, {}, {}, help);
}

/// One of the words in `kNames`, an array of Named, each standing for a value of the member.
template <const auto& kNames, auto... kPath>
constexpr Param choice(std::string_view key, std::string_view help) {
  Param p = paramAs<NamedCodec<kNames>::template For, kPath...>(key, {}, {}, help);
  p.words = kWords<kNames>;
  return p;
}

/// A text that is one of `words`; a table of options may say other ones at run time.
template <auto... kPath>
constexpr Param word(std::string_view key, std::span<const std::string_view> words,
                     std::string_view help) {
  Param p = paramAs<TextCodec<ParamType::Choice>::template For, kPath...>(key, {}, {}, help);
  p.words = words;
  return p;
}

/// Words with a form of their own, read by whoever wants them.
template <auto... kPath>
constexpr Param text(std::string_view key, std::string_view help) {
  return paramAs<TextCodec<ParamType::Text>::template For, kPath...>(key, {}, {}, help);
}

/// Names separated by commas.
template <auto... kPath>
constexpr Param names(std::string_view key, std::string_view help) {
  return paramAs<TextCodec<ParamType::Names>::template For, kPath...>(key, {}, {}, help);
}

}  // namespace rtvp::common
