// ranges_of_box(): compiled with the vectorizer on, for processors with and without AVX2. Sums and products are of single
// numbers either way, and never contracted, so the bits are the same.
// (Not for AVX-512, which brings instructions that contract.)
#include "sensing/box_span.h"
#include "sensing/intersect.h"

namespace convoy {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
__attribute__((target_clones("default", "avx2")))
#endif
void ranges_of_box(const LinePacket& lines, const ShapeFrame& frame, const Vec3& half, double* __restrict ranges) {
  const Vec3 p = frame.origin(), x = frame.axes()[0], y = frame.axes()[1], z = frame.axes()[2];
  for (std::size_t i = 0; i < LinePacket::kSize; ++i) {
    const double ox = lines.origin[0][i] - p.x, oy = lines.origin[1][i] - p.y, oz = lines.origin[2][i] - p.z;
    const double dx = lines.direction[0][i], dy = lines.direction[1][i], dz = lines.direction[2][i];
    BoxSpan s;
    s.cut(x.x * ox + x.y * oy + x.z * oz, x.x * dx + x.y * dy + x.z * dz, half.x);
    s.cut(y.x * ox + y.y * oy + y.z * oz, y.x * dx + y.y * dy + y.z * dz, half.y);
    s.cut(z.x * ox + z.y * oy + z.z * oz, z.x * dx + z.y * dy + z.z * dz, half.z);
    ranges[i] = s.range(lines.near[i]);
  }
}

}  // namespace convoy
