// Rays through 2,000 boxes, with our caster and with MuJoCo's mj_multiRay over the same rays.
//
//   bench_rays [--scans N]
//
// Boxes of 0.2 to 2 m stand turned on 100 x 100 m. A flat scan has 360 beams at 0.2 m, a solid one 16 rings of 1800. Both
// sides get the beams ready made, block by block in turn, so that a noisy machine disturbs both alike. Every range must
// agree. Then 1,000 and 10,000 boxes that move: what it takes to place them anew.
//
// Prints JSON: million rays a second of CPU of both, for each instruction set that is here; ms to place.
#include <fmt/format.h>
#include <mujoco/mujoco.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "sensing/embree/caster.h"
#include "world/state.h"

using namespace convoy;

namespace {

constexpr int kBoxes = 2000;
constexpr double kFar = 100;  // m

double cpu_s() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

[[noreturn]] void die(const std::string& why) {
  fmt::print(stderr, "bench_rays: {}\n", why);
  std::exit(1);
}

// One link, all boxes fixed to it.
Shapes boxes(int count, Random& random) {
  Shapes out;
  out.links = {{"world", Link::Base::kPlace, kNoPart, 0, {}, {}}};
  for (int i = 0; i < count; ++i) {
    Shape box;
    box.kind = Shape::Kind::kBox;
    box.size = {random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.1, 1)};
    box.X_LS = {{random.uniform(-50, 50), random.uniform(-50, 50), box.size.z}, from_yaw(random.uniform(0, 6))};
    out.shapes.push_back(box);
  }
  return out;
}

struct Plain {
  explicit Plain(const Shapes& shapes) {
    std::string xml = "<mujoco><worldbody>";
    for (const Shape& s : shapes.shapes)
      xml += fmt::format("<geom type='box' size='{} {} {}' pos='{} {} {}' quat='{} 0 0 {}'/>", s.size.x, s.size.y,
                         s.size.z, s.X_LS.p.x, s.X_LS.p.y, s.X_LS.p.z, s.X_LS.q.w, s.X_LS.q.z);
    char error[500] = "";
    mjSpec* spec = mj_parseXMLString((xml + "</worldbody></mujoco>").c_str(), nullptr, error, sizeof error);
    model = spec ? mj_compile(spec, nullptr) : nullptr;
    if (!model) die(error);
    data = mj_makeData(model);
    mj_forward(model, data);
  }
  ~Plain() { mj_deleteData(data), mj_deleteModel(model); }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;
  void cast(std::span<const Beam> beams, std::vector<double>& ranges) {
    std::vector<double> directions;
    for (const Beam& b : beams) directions.insert(directions.end(), {b.direction.x, b.direction.y, b.direction.z});
    const double from[] = {beams[0].origin.x, beams[0].origin.y, beams[0].origin.z};
    std::vector<int> geoms(beams.size());
    ranges.resize(beams.size());
#if mjVERSION_HEADER >= 4000000
    mj_multiRay(model, data, from, directions.data(), nullptr, 1, -1, geoms.data(), ranges.data(), nullptr,
                static_cast<int>(beams.size()), kFar);
#else
    mj_multiRay(model, data, from, directions.data(), nullptr, 1, -1, geoms.data(), ranges.data(),
                static_cast<int>(beams.size()), kFar);
#endif
  }
  mjModel* model = nullptr;
  mjData* data = nullptr;
};

std::vector<Beam> scan_of(const Vec3& from, int rings, int beams) {
  std::vector<Beam> out;
  for (int i = 0; i < beams; ++i)
    for (int ring = 0; ring < rings; ++ring) {
      const double yaw = 2 * 3.14159265358979 * i / beams;
      const double pitch = rings == 1 ? 0 : (ring - (rings - 1) / 2.0) * 2 * 3.14159265358979 / 180;
      out.push_back(
          {from, {std::cos(yaw) * std::cos(pitch), std::sin(yaw) * std::cos(pitch), std::sin(pitch)}, 0, kFar});
    }
  return out;
}

struct Rates {
  double ours = 0, plain = 0;  // million rays a second
};

Rates compare(const RayField& field, Plain* plain, int rings, int beams, int scans, Random random) {
  double ours_s = 0, plain_s = 0;
  std::vector<std::vector<Beam>> all;
  for (int i = 0; i < scans; ++i)
    all.push_back(scan_of({random.uniform(-45, 45), random.uniform(-45, 45), 0.2}, rings, beams));
  std::vector<std::vector<Hit>> hits(all.size(), std::vector<Hit>(all[0].size()));
  constexpr int kBlock = 10;
  for (std::size_t first = 0; first < all.size(); first += kBlock) {
    const std::size_t end = std::min(all.size(), first + kBlock);
    double begin = cpu_s();
    for (std::size_t i = first; i < end; ++i) field.cast(all[i], kNoEntity, hits[i]);
    ours_s += cpu_s() - begin;
    if (!plain) continue;
    std::vector<double> ranges;
    begin = cpu_s();
    plain->cast(all[first], ranges);
    plain_s += cpu_s() - begin;
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      const double ours = hits[first][k].any() ? hits[first][k].range : -1;
      if (std::fabs(ours - ranges[k]) > 1e-9) die(fmt::format("beam {}: {} and {}", k, ours, ranges[k]));
    }
  }
  const double rays = static_cast<double>(all.size() * all[0].size()) / 1e6;
  const double blocks = static_cast<double>((all.size() + kBlock - 1) / kBlock);
  return {rays / ours_s, plain ? blocks * static_cast<double>(all[0].size()) / 1e6 / plain_s : 0};
}

}  // namespace

int main(int argc, char** argv) {
  int scans = 2000;
  for (int i = 1; i + 1 < argc; i += 2)
    if (std::string_view(argv[i]) == "--scans") scans = std::atoi(argv[i + 1]);
    else die(fmt::format("unknown option {}", argv[i]));
  if (scans < 10) die("--scans: at least 10");
  Random random{7};
  const Shapes world = boxes(kBoxes, random);
  Plain plain(world);
  std::map<std::string, double> out;
  for (const RayIsa isa : {RayIsa::kSse42, RayIsa::kAvx2, RayIsa::kAvx512}) {
    auto caster = embree_caster(isa);
    if (!caster) continue;
    const auto model = (*caster)->prepare(world);
    const std::vector<Pose> X_WL{{}};
    const RayBody body{kNoEntity, model.get(), X_WL};
    const auto field = (*caster)->field(nullptr, {&body, 1});
    const bool last = isa == best_isa();
    const Rates flat = compare(*field, last ? &plain : nullptr, 1, 360, scans, random);
    const Rates solid = compare(*field, last ? &plain : nullptr, 16, 1800, std::max(10, scans / 50), random);
    out[fmt::format("flat_{}", name_of(isa))] = flat.ours, out[fmt::format("solid_{}", name_of(isa))] = solid.ours;
    if (!last) continue;
    out["flat"] = flat.ours, out["solid"] = solid.ours, out["flat_plain"] = flat.plain,
    out["solid_plain"] = solid.plain;
    for (const int count : {1000, 10'000}) {
      const Shapes one = boxes(1, random);
      const auto box = (*caster)->prepare(one);
      std::vector<std::vector<Pose>> poses;
      std::vector<RayBody> bodies;
      for (int i = 0; i < count; ++i)
        poses.push_back({{{random.uniform(-50, 50), random.uniform(-50, 50), 0}, from_yaw(random.uniform(0, 6))}});
      for (int i = 0; i < count; ++i)
        bodies.push_back(
            {WorldNumber(static_cast<std::uint32_t>(i + 1)), box.get(), poses[static_cast<std::size_t>(i)]});
      double best = 1e9;
      for (int i = 0; i < 10; ++i) {
        const double begin = cpu_s();
        const auto moved = (*caster)->field(field, bodies);
        best = std::min(best, cpu_s() - begin);
      }
      out[fmt::format("place_{}_ms", count)] = best * 1e3;
    }
  }
  std::string text;
  for (const auto& [key, value] : out) text += fmt::format("{}\"{}\": {:.4g}", text.empty() ? "" : ", ", key, value);
  fmt::print("{{{}}}\n", text);
  return 0;
}
