// How large the bodies of a model are whose poses stand among its joints, for those who have no engine to ask: loose
// objects, and what else moves freely beside a base. They are one of the files of the model, after its document.
#pragma once

#include <string>
#include <vector>

#include "world/model_files.h"

namespace convoy {

inline constexpr const char* kBodyBoxes = "convoy:bodies";  // that file's name

struct BodyBox {
  std::uint32_t joint = 0;  // the first of the seven numbers of its pose in W: x, y, z, qw, qx, qy, qz
  Vec3 centre;              // of what is solid of it, in its own frame, m
  Vec3 half;                // of the edges of the box around that, along its own axes, m
  friend bool operator==(const BodyBox&, const BodyBox&) = default;
};
template <class V>
void fields(V& v, BodyBox& b) {
  v("joint", b.joint), v("centre", b.centre), v("half", b.half);
}

// What stands in the file.
struct BodyBoxes {
  std::vector<BodyBox> boxes;
};
template <class V>
void fields(V& v, BodyBoxes& b) {
  v("boxes", b.boxes);
}

// Of a model; none if it names no such file, or if one of them is no box of a body of its.
std::vector<BodyBox> body_boxes(const Model& model, const ModelFiles& files);

}  // namespace convoy
