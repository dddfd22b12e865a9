// Bounding boxes of a model's free bodies (loose objects, and bodies beside a base), for code that has no physics
// engine.
//
// The pose of each such body is seven numbers among the model's joints. The boxes are one of the model's files.
#pragma once

#include <string>
#include <vector>

#include "core/fields.h"
#include "world/model_files.h"

namespace convoy {

inline constexpr const char* kBodyBoxes = "convoy:bodies";  // that file's name

struct BodyBox {
  std::uint32_t joint = 0;  // the first of the seven numbers of its pose in W: x, y, z, qw, qx, qy, qz
  Vec3 centre;              // of the box, in the body's own frame, m
  Vec3 half;                // half of the box's edges, along the body's own axes, m
  friend bool operator==(const BodyBox&, const BodyBox&) = default;
};
template <class V, MaybeConst<BodyBox> T>
void fields(V& v, T& b) {
  v("joint", b.joint), v("centre", b.centre), v("half", b.half);
}

// The content of the file.
struct BodyBoxes {
  std::vector<BodyBox> boxes;
};
template <class V, MaybeConst<BodyBoxes> T>
void fields(V& v, T& b) {
  v("boxes", b.boxes);
}

// Reads the boxes of a model. Empty: the model has no such file, or a box in it belongs to none of its bodies.
std::vector<BodyBox> body_boxes(const Model& model, const ModelFiles& files);

}  // namespace convoy
