#include "physics/mujoco/cameras.h"

#include <fmt/format.h>

#include "core/math.h"
#include "physics/mujoco/numbers.h"
#include "physics/mujoco/outside_parts.h"

namespace convoy::mujoco {

namespace {

// x right, y up, z backwards, as OpenGL has them, to x right, y down, z forward.
constexpr Quat kOptical{0, 1, 0, 0};

// Empty, or why it is left out.
const char* unlike(const Compiled& c, int camera) {
  const mjModel* m = c.model;
  if (m->cam_mode[camera] != mjCAMLIGHT_FIXED) return "follows something, and cameras here are fixed to their links";
#if mjVERSION_HEADER >= 4000000
  if (m->cam_projection[camera] != mjPROJ_PERSPECTIVE) return "has no perspective";
#endif
  if (m->cam_bodyid[camera] == 0 && !c.fixed_base) return "stands in the file's world, and the robot goes elsewhere";
  return nullptr;
}

void set_lens(const mjModel* m, int camera, ModelCamera& out) {
  const int* resolution = m->cam_resolution + 2 * camera;
  if (resolution[0] > 1 && resolution[1] > 1)
    out.width = static_cast<std::uint32_t>(resolution[0]), out.height = static_cast<std::uint32_t>(resolution[1]);
  const double middle[2] = {(out.width - 1) / 2.0, (out.height - 1) / 2.0};
  const float *sensor = m->cam_sensorsize + 2 * camera, *intrinsic = m->cam_intrinsic + 4 * camera;
  if (sensor[0] > 0 && sensor[1] > 0) {
    const double pixels[2] = {out.width / static_cast<double>(sensor[0]), out.height / static_cast<double>(sensor[1])};
    out.fx = intrinsic[0] * pixels[0], out.fy = intrinsic[1] * pixels[1];
    // Where the middle of the picture is from the optical axis: the other way round than the centre of others' cameras.
    out.cx = middle[0] - intrinsic[2] * pixels[0], out.cy = middle[1] - intrinsic[3] * pixels[1];
    return;
  }
  double s, c;
  math::sincos(m->cam_fovy[camera] * math::kDegree / 2, s, c);
  out.fx = out.fy = out.height / 2.0 * c / s;
  out.cx = middle[0], out.cy = middle[1];
}

}  // namespace

std::vector<ModelCamera> cameras_of(const Compiled& c, ImportReport& report) {
  const mjModel* m = c.model;
  std::vector<ModelCamera> out;
  for (int i = 0; i < m->ncam; ++i) {
    const char* name = mj_id2name(m, mjOBJ_CAMERA, i);
    const std::string called = name && *name ? name : fmt::format("camera_{}", i);
    if (const char* why = unlike(c, i)) {
      report.lost.push_back(fmt::format("the camera '{}' {}", called, why));
      continue;
    }
    ModelCamera& camera = out.emplace_back();
    camera.name = called;
    if (const int body = m->cam_bodyid[i]; body > 0) camera.link = body_name(m, body);
    camera.X_LC = {vec(m->cam_pos + 3 * i), unit(quat(m->cam_quat + 4 * i) * kOptical)};
    set_lens(m, i, camera);
#if mjVERSION_HEADER >= 4000000
    camera.depth = (m->cam_output[i] & mjCAMOUT_DEPTH) != 0, camera.parts = (m->cam_output[i] & mjCAMOUT_SEG) != 0;
    camera.color = (m->cam_output[i] & mjCAMOUT_RGB) != 0 || !(camera.depth || camera.parts);
#endif
  }
  return out;
}

}  // namespace convoy::mujoco
