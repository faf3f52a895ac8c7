// The `.shk` extension statement for implicit surfaces (design.md section 6, sdf.md section 11).
//
//   implicit FILE [KEYWORD NUMBERS]...   the surface of a tape, .sdf text or .sdft binary, or of
//                                        an expression file .vm; one primitive with the current
//                                        material. Colours of the tape replace the material's
//
// Keywords, each at most once, in any order:
//   at X Y Z            where the origin of object space goes
//   turn RX RY RZ       degrees, about x, then y, then z
//   scale S | SX SY SZ  before turning; above zero
//   bounds XMIN YMIN ZMIN XMAX YMAX ZMAX   box in object space; instead of the file's
//   lipschitz L         how much faster than distance f may grow; default 1 for tapes. An
//   expression
//                       file without it is closed by the faces of its box (as `clip` does) and the
//                       unit finds how steep it is
//   extrude H           .vm: the solid |z| <= H with the file's picture as every section, for files
//                       of x and y only
//   clip XMIN YMIN ZMIN XMAX YMAX ZMAX   .vm: only what lies in this box, closed by its faces; the
//                       bounds follow
//   object N            which object of a .sdft file, from 0, default 0
//   view S PITCH ROLL   the tape is a picture's model: it is turned by -ROLL about z, by -PITCH
//                       about x, and scaled by S, before all of the above (Keeter's expression
//                       files are published with such views)
//
// world = at + turn(scale * object). An `object` statement in force acts on the result.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "platform/scene/builder.hpp"
#include "platform/scene/implicit_file.hpp"
#include "platform/scene/text.hpp"

namespace rtvp::scene {

/// Executes the statements on a builder. One object a scene: a file that several statements name is
/// read once.
class ShkImplicit {
 public:
  explicit ShkImplicit(Builder& builder) : builder_(builder) {}

  /// Reads the whole rest of a line behind the file's name. Throws SceneError.
  void implicit(Words& words, const std::filesystem::path& file, const Where& where);

 private:
  struct Known {
    std::filesystem::path canonical;
    ImplicitReading reading;
    std::shared_ptr<const ImplicitModel> model;
  };
  std::shared_ptr<const ImplicitModel> model(const std::filesystem::path& file,
                                             const ImplicitReading& reading, const Where& where);

  Builder& builder_;
  std::vector<Known> known_;
};

}  // namespace rtvp::scene
