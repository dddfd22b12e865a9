// What the elements of an SDF say, as numbers, flags and poses.
//
//   SdfValues values;
//   const double mass = values.number(inertial, "mass", 1);
//   if (auto ok = values.status(); !ok) return ...   // "robot.sdf:12: <mass> is a number, not 'heavy'"
//
// The first thing that is wrong is kept, and a harmless value goes on in its place: readers look at the status once,
// behind all that they read.
#pragma once

#include <string>
#include <vector>

#include "convoy/geometry.h"
#include "physics/mujoco/document.h"
#include "physics/mujoco/losses.h"
#include "world/model_files.h"

namespace convoy::mujoco {

class SdfValues {
 public:
  const Status& status() const { return status_; }
  void refuse(const Element& at, std::string why, ErrorCode code = ErrorCode::kInvalid);

  // The text of the element. `count` numbers, all finite; else it is refused, and they are all 0.
  std::vector<double> numbers(const Element& e, std::size_t count);
  // Of a child; `otherwise` if there is none.
  double number(const Element& parent, const char* tag, double otherwise);
  double limit(const Element& parent, const char* tag, double otherwise);  // may be infinite
  bool flag(const Element& parent, const char* tag, bool otherwise);
  double size(const Element& parent, const char* tag);  // must be there, and above 0
  Vec3 vector(const Element& e);
  // Of a <pose>, in whatever frame: six numbers, or seven with a quaternion.
  Pose pose(const Element& e);
  std::string name(const Element& e);  // the attribute: must be there, and none of SDF's own

 private:
  bool all_numbers(const Element& e, bool infinite, std::vector<double>& out);

  Status status_;
};

std::string text_of(const Element& parent, const char* tag);  // of a child; "" if there is none

}  // namespace convoy::mujoco
