#include "physics/mujoco/engine.h"

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include "physics/mujoco/guard.h"

namespace convoy::mujoco {

namespace {

// Contacts of most shapes, a driven joint, and friction: what the solver and the collider do.
constexpr const char* kScene = R"(
<mujoco>
  <option timestep="0.005"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body pos="0 0 0.3" euler="10 20 30">
      <freejoint/>
      <geom type="box" size="0.1 0.08 0.05"/>
      <body pos="0.1 0 0">
        <joint name="j" axis="0 1 0" damping="0.1"/>
        <geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.03"/>
      </body>
    </body>
    <body pos="0.1 0.05 0.6"><freejoint/><geom type="ellipsoid" size="0.05 0.06 0.07"/></body>
  </worldbody>
  <actuator><position joint="j" kp="2"/></actuator>
</mujoco>)";

}  // namespace

std::string version() { return mj_versionString(); }
int version_int() { return mj_version(); }

Status start(const std::string& plugins) {
  take_over_log();
  if (mj_version() != mjVERSION_HEADER)
    return fail(ErrorCode::kUnsupported,
                fmt::format("the MuJoCo library is {}, but the build was made for {}", version(), mjVERSION_HEADER));
#ifdef CONVOY_MUJOCO_EXACTLY
  if (version() != CONVOY_MUJOCO_EXACTLY)
    return fail(ErrorCode::kUnsupported,
                fmt::format("the MuJoCo library is {}, and this build needs {}", version(), CONVOY_MUJOCO_EXACTLY));
#endif
  if (plugins.empty()) return {};
  std::string trouble;
  if (!guarded(trouble, [&] { mj_loadAllPluginLibraries(plugins.c_str(), nullptr); }))
    return fail(ErrorCode::kUnsupported, "MuJoCo's plugins: " + trouble);
  return {};
}

void probe(Bytes& out) {
  Writer w(out);
  w.text(version());
  mjSpec* spec = nullptr;
  mjModel* model = nullptr;
  mjData* data = nullptr;
  std::string trouble;
  const bool done = guarded(trouble, [&] {
    spec = mj_parseXMLString(kScene, nullptr, nullptr, 0);
    if (spec) model = mj_compile(spec, nullptr);
    if (model) data = mj_makeData(model);
    for (int i = 0; data && i < 200; ++i) {
      data->ctrl[0] = 0.01 * i;
      mj_step(model, data);
    }
  });
  if (done && data)
    for (int i = 0; i < model->nq; ++i) w.f64(data->qpos[i]);
  guarded(trouble, [&] {
    mj_deleteData(data);
    mj_deleteModel(model);
    mj_deleteSpec(spec);
  });
}

}  // namespace convoy::mujoco
