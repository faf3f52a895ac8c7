// An independent walk of the pages that database.cpp writes.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include "models/c32/float40.hpp"
#include "models/tigershark/protocol.hpp"
#include "platform/drivers/tigershark/database.hpp"

namespace rtvp::host {
namespace {

/// Walks one page with its own reading of protocol.hpp; shares nothing with the writer above.
class PageWalker {
 public:
  PageWalker(const Database::Page& page, std::uint32_t base, const RecordLayout* records,
             PageCheck& check)
      : words_(page.words), base_(base), records_(records), check_(check) {}

  /// Empty, or what is wrong.
  std::string walk() {
    while (error_.empty() && at_ < words_.size()) {
      closeBoxes();
      switch (words_[at_] >> tigershark::kRecordTypeShift) {
        case 0:
          triangle();
          break;
        case 1:
          if (records_ != nullptr && (words_[at_] & tigershark::kElementMask) >> 24U != 0) {
            declared();
          } else {
            sphere();
          }
          break;
        case 2:
          box();
          break;
        default:
          return end();
      }
    }
    return error_.empty() ? "page ends without a terminator" : error_;
  }

 private:
  struct Box {
    std::array<double, 6> sides;
    std::uint32_t skip;
  };

  void fail(const std::string& what) {
    if (error_.empty()) error_ = "word " + std::to_string(base_ + at_) + ": " + what;
  }
  bool have(std::uint32_t count) {
    if (words_.size() - at_ >= count) return true;
    fail("record is cut off");
    return false;
  }
  [[nodiscard]] double number(std::size_t offset) const {
    return c32::doubleFromSingle(words_[at_ + offset]);
  }
  [[nodiscard]] std::array<double, 3> vector(std::size_t offset) const {
    return {number(offset), number(offset + 1), number(offset + 2)};
  }
  void inside(const std::array<double, 3>& lo, const std::array<double, 3>& hi) {
    for (const Box& b : boxes_) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (lo[axis] < b.sides[2 * axis] || hi[axis] > b.sides[2 * axis + 1])
          fail("element outside a box around it");
      }
    }
  }
  void closeBoxes() {
    while (!boxes_.empty() && boxes_.back().skip == base_ + at_) boxes_.pop_back();
    for (const Box& b : boxes_) {
      if (b.skip <= base_ + at_) return fail("skip link does not point at a record");
    }
  }
  void count() { check_.elements.push_back(words_[at_] & tigershark::kElementMask); }

  void triangle() {
    if (!have(10)) return;
    const auto v = vector(1);
    const auto e1 = vector(4);
    const auto e2 = vector(7);
    for (const auto& e : {std::array<double, 3>{}, e1, e2}) {
      const std::array<double, 3> corner{v[0] + e[0], v[1] + e[1], v[2] + e[2]};
      inside(corner, corner);
    }
    count();
    ++check_.triangles;
    at_ += 10;
  }
  void sphere() {
    if (!have(5)) return;
    const auto c = vector(1);
    if (number(4) < 0) return fail("negative squared radius");
    const double r = std::sqrt(number(4));
    inside({c[0] - r, c[1] - r, c[2] - r}, {c[0] + r, c[1] + r, c[2] + r});
    count();
    ++check_.spheres;
    at_ += 5;
  }
  void declared() {
    const DeclaredRecord* const type = records_->find(words_[at_]);
    if (type == nullptr) return fail("record code that is not declared");
    const auto size = 1 + static_cast<std::uint32_t>(type->words.size());
    if (!have(size)) return;
    check_.elements.push_back(words_[at_] & 0xFFFFFFU);
    ++check_.declared;
    at_ += size;
  }
  void box() {
    if (!have(8)) return;
    if ((words_[at_] & tigershark::kElementMask) != 0) fail("box with an element number");
    Box b{{number(1), number(2), number(3), number(4), number(5), number(6)}, words_[at_ + 7]};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (b.sides[2 * axis] > b.sides[2 * axis + 1]) fail("box turned inside out");
    }
    if (b.skip <= base_ + at_ + 7 || b.skip >= base_ + words_.size())
      fail("skip link leaves the page or goes back");
    if (!boxes_.empty() && b.skip > boxes_.back().skip) fail("skip link beyond the box around it");
    boxes_.push_back(b);
    ++check_.boxes;
    at_ += 8;
  }
  std::string end() {
    if ((words_[at_] & tigershark::kElementMask) != 0) fail("terminator with an element number");
    if (at_ + 1 != words_.size()) fail("words after the terminator");
    if (!boxes_.empty()) fail("box still open at the terminator");
    return error_;
  }

  std::span<const std::uint32_t> words_;
  std::uint32_t base_;
  const RecordLayout* records_;
  PageCheck& check_;
  std::uint32_t at_ = 0;
  std::vector<Box> boxes_;
  std::string error_;
};

}  // namespace

PageCheck validatePages(std::span<const Database::Page> pages, std::uint32_t baseAddress,
                        const RecordLayout* records) {
  PageCheck check;
  for (std::size_t i = 0; i < pages.size() && check.error.empty(); ++i) {
    const std::string error = PageWalker(pages[i], baseAddress, records, check).walk();
    if (!error.empty()) check.error = "page " + std::to_string(i) + ", " + error;
  }
  std::sort(check.elements.begin(), check.elements.end());
  return check;
}

}  // namespace rtvp::host
