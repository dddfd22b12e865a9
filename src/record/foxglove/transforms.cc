#include "record/foxglove/transforms.h"

#include "record/foxglove/geometry.h"

namespace convoy {

void encode_frame_transforms(Instant stamp, std::span<const FrameTransform> transforms, Bytes& out) {
  out.clear();
  Proto all(out);
  for (const FrameTransform& t : transforms) {
    all.message(1, [&](Proto& p) {
      put_time(p, 1, stamp);
      p.text(2, t.parent_frame);
      p.text(3, t.child_frame);
      put_vector(p, 4, t.X_PC.p);
      put_turn(p, 5, t.X_PC.q);
    });
  }
}

}  // namespace convoy
