#include "world/body_boxes.h"

#include <algorithm>
#include <cmath>

namespace convoy {

namespace {

bool is_sound(const BodyBox& box, const Model& model) {
  const auto sound = [](const Vec3& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); };
  return model.joints.size() >= 7 && box.joint <= model.joints.size() - 7 && sound(box.centre) && sound(box.half) &&
         box.half.x > 0 && box.half.y > 0 && box.half.z > 0;
}

}  // namespace

std::vector<BodyBox> body_boxes(const Model& model, const ModelFiles& files) {
  BodyBoxes out;
  for (const ModelFile& file : model.files) {
    const auto found = file.name == kBodyBoxes ? files.find(file.hash) : files.end();
    if (found == files.end()) continue;
    const auto fits = [&](const BodyBox& box) { return is_sound(box, model); };
    if (!load(ByteView(*found->second), out) || !std::all_of(out.boxes.begin(), out.boxes.end(), fits))
      out.boxes.clear();
  }
  return out.boxes;
}

}  // namespace convoy
