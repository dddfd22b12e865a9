// Whether rays meet the same, to the bit, with every instruction set that this processor has.
//
//   ray_probe [RAYS]
//
// A quarter of the rays go at corners and edges of meshes; bodies overlap, and some have faces in common. Prints a hash
// of all hits for each instruction set; the exit code is 1 if two differ.
#include <cstdio>
#include <cstdlib>
#include <set>

#include "core/hash.h"
#include "sensing/embree/ray_rig.h"

using namespace convoy;
using namespace convoy::ray_rig;

namespace {

std::uint64_t hash_of(const std::vector<Hit>& hits) {
  Bytes bytes;
  Writer w(bytes);
  for (const Hit& hit : hits) w.f64(hit.range), w.u32(hit.number.value()), w.u32(hit.shape), w.u32(hit.triangle);
  return hash64(bytes);
}

}  // namespace

int main(int argc, char** argv) {
  const long rays = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  constexpr int kBatch = 100'000;
  const Shapes shapes = zoo();
  std::set<std::uint64_t> seen;
  for (const RayIsa isa : here()) {
    std::uint64_t all = 0;
    long met = 0;
    for (long batch = 0; batch * kBatch < rays; ++batch) {
      const auto seed = static_cast<std::uint64_t>(batch);
      const Vec3 where = batch % 2 == 0 ? Vec3{} : Vec3{800, -600, 3};
      const std::vector<Body> bodies = zoos(shapes, where, 24, seed);
      const std::vector<Hit> hits = Rig(isa, {}, bodies).cast(beams_at(bodies, where, kBatch, seed));
      for (const Hit& hit : hits) met += hit.any();
      all = chain(all, hash_of(hits));
    }
    std::printf("%s: %016llx, %ld rays met something\n", name_of(isa), static_cast<unsigned long long>(all), met);
    std::fflush(stdout);
    seen.insert(all);
  }
  return seen.size() == 1 ? 0 : 1;
}
