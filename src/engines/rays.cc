#include <array>

#include "engines/engines.h"
#include "os/signals.h"
#include "sensing/embree/caster.h"

namespace convoy::engines {

std::unique_ptr<RayCasters> ray_casters() { return embree_casters(); }
std::string embree_version() { return version_of_embree(); }

namespace {

void cast_fixed_scene(Bytes& out) {
  Writer w(out);
  const auto caster = embree_caster();
  if (!caster) return;
  Shapes shapes;
  shapes.links.push_back({"base", Link::Base::kRobot, kNoPart, 0, {}, {}});
  for (int i = 0; i < 20; ++i) {
    Shape shape;
    shape.kind = i % 2 == 0 ? Shape::Kind::kBox : Shape::Kind::kEllipsoid;
    shape.size = {0.1 + 0.01 * i, 0.2, 0.3 - 0.01 * i}, shape.X_LS.p = {0.37 * i, 0.11 * (i % 5), 0.05 * i};
    shapes.shapes.push_back(shape);
  }
  const auto model = (*caster)->prepare(shapes);
  const std::array<Pose, 1> links{};
  const RayBody body{WorldNumber(1), model.get(), links};
  const auto field = (*caster)->field(nullptr, {&body, 1});
  std::array<Beam, 64> beams;
  for (std::size_t i = 0; i < beams.size(); ++i)
    beams[i] = {{-1, 0.01 * static_cast<double>(i), 0.2}, {0.8, 0.6 - 0.02 * static_cast<double>(i), 0.01}, 0, 50};
  std::array<Hit, 64> hits;
  field->cast(beams, kNoEntity, hits);
  for (const Hit& hit : hits) w.f64(hit.range), w.u32(hit.shape);
}

}  // namespace

// Embree's threads stay, and have the signals of who starts them. Of those that a program starts before it listens to
// signals (os/signals.h) one would take what is meant for the program, and end it at once.
void probe_rays(Bytes& out) {
  os::thread_without_signals([&] { cast_fixed_scene(out); }).join();
}

}  // namespace convoy::engines
