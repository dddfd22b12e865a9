// A file as a robot of Convoy's beside plain mj_step, for tests/e2e/test_equality.py.
//
//   mujoco_alone FILE
//
// One second under ground: none, without map and neighbours, driven by a seeded control at each tick; at the origin and
// at (20, 3, yaw 1.1). Prints JSON: whether MuJoCo loads the file, and for each place how many numbers of qpos and qvel
// differ in any bit, how far apart they are at most, and how far the poses in the world are from X_WF times MuJoCo's.
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string_view>

#include "core/random.h"
#include "physics/mujoco/engine.h"
#include "physics/mujoco/factory.h"
#include "physics/mujoco/guard.h"
#include "physics/mujoco/import.h"
#include "physics/mujoco/numbers.h"
#include "physics/mujoco/robot.h"
#include "shapes/shapes.h"
#include "world/world.h"

using namespace convoy;
using namespace convoy::mujoco;

namespace {

constexpr Duration kLength = std::chrono::seconds(1);

// Of a tick: some 10 ms.
int steps_of(Duration step) {
  return static_cast<int>(std::max<std::int64_t>(1, std::chrono::milliseconds(10) / step));
}

Result<Bytes> read_disk(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(ErrorCode::kNotFound, "no such file: " + path);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

// The file as MuJoCo itself has it: loaded, started from the keyframe from which Convoy starts.
struct Plain {
  mjModel* m = nullptr;
  mjData* d = nullptr;
  std::string trouble;

  explicit Plain(const std::string& path) {
    char text[1000] = "";
    guarded(trouble, [&] {
      m = mj_loadXML(path.c_str(), nullptr, text, sizeof text);
      if (!m) return;
      m->opt.disableflags |= mjDSBL_AUTORESET;
      d = mj_makeData(m);
      const int home = mj_name2id(m, mjOBJ_KEY, "home");
      if (m->nkey > 0) mj_resetDataKeyframe(m, d, std::max(home, 0));
      mj_fwdKinematics(m, d);
    });
    take_warning();
    if (!m && trouble.empty()) trouble = text;
  }
  ~Plain() { mj_deleteData(d), mj_deleteModel(m); }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;
};

struct Difference {
  int numbers = 0;            // of qpos and qvel, in any bit
  double apart = 0;           // at most
  double apart_in_world = 0;  // m, or of a quaternion's number
  double links_apart = 0;     // likewise, of all links as those have them who have no engine
  std::string fault;
};

double apart(const Pose& a, const Pose& b) {
  double out = norm(a.p - b.p);
  const double sign = a.q.w * b.q.w + a.q.x * b.q.x + a.q.y * b.q.y + a.q.z * b.q.z < 0 ? -1 : 1;
  for (const double d : {a.q.w - sign * b.q.w, a.q.x - sign * b.q.x, a.q.y - sign * b.q.y, a.q.z - sign * b.q.z})
    out = std::max(out, std::fabs(d));
  return out;
}

class Comparison {
 public:
  Comparison(const std::string& path, const ImportedModel& robot, const Pose& X_WF) : plain_(path), X_WF_(X_WF) {
    Setup setup;
    setup.models = {robot.model}, setup.files = robot.files;
    const Duration step(std::llround(plain_.m->opt.timestep * 1e9));
    steps_ = steps_of(step);
    setup.tick = tick_ = steps_ * step;
    EntitySpec spec;
    spec.name = "dut", spec.model = robot.model.name, spec.pose = X_WF;
    setup.entities = {spec};
    auto made = World::make(setup);
    if (!made) {
      out_.fault = made.error().message();
      return;
    }
    world_ = std::make_unique<World>(std::move(*made));
    physics_ = factory_.make(*world_->models()[0], *world_, tick_);
    state_ = world_->snapshot().state(Slot(0));
    physics_->reset(state_);
    tail_.assign(world_->snapshot().tail(Slot(0)).begin(), world_->snapshot().tail(Slot(0)).end());
    robot_ = dynamic_cast<const Robot*>(physics_.get());
    if (!robot_) out_.fault = "no robot can be made of it";
  }

  Difference run() {
    for (Instant now{}; now < Instant{} + kLength && out_.fault.empty(); now += tick_) tick(now);
    if (out_.fault.empty()) compare();
    return out_;
  }

 private:
  void tick(Instant now) {
    std::vector<Control> controls;
    for (int a = 0; a < plain_.m->nu; ++a) {
      const bool limited = plain_.m->actuator_ctrllimited[a] != 0;
      const double* range = plain_.m->actuator_ctrlrange + 2 * a;
      const double value = limited ? random_.uniform(range[0], range[1]) : random_.uniform(-1, 1);
      controls.push_back({static_cast<std::uint32_t>(a), value});
      plain_.d->ctrl[a] = value;
    }
    PhysicsInput input;
    input.begin = now, input.step = tick_, input.self = WorldNumber(1);
    input.map = &world_->map(), input.controls = controls, input.files = &world_->files();
    PhysicsEvents events;
    physics_->step(input, state_, tail_, events);
    out_.fault = events.fault;
    std::string trouble;
    if (!guarded(trouble, [&] {
          for (int i = 0; i < steps_; ++i) mj_step(plain_.m, plain_.d);
        }))
      out_.fault = "plain: " + trouble;
  }

  void compare() {
    const auto& row = robot_->compiled().row;
    const auto numbers = [&](std::size_t from, const mjtNum* plain, int n) {
      for (int i = 0; i < n; ++i) {
        const double ours = robot_->row()[from + static_cast<std::size_t>(i)];
        out_.numbers += std::bit_cast<std::uint64_t>(ours) != std::bit_cast<std::uint64_t>(plain[i]);
        out_.apart = std::max(out_.apart, std::fabs(ours - plain[i]));
      }
    };
    if (robot_->compiled().model->nq != plain_.m->nq || robot_->compiled().model->nv != plain_.m->nv) {
      out_.fault = "it has another number of positions";
      return;
    }
    numbers(row.qpos, plain_.d->qpos, plain_.m->nq);
    numbers(row.qvel, plain_.d->qvel, plain_.m->nv);
    compare_in_world();
  }

  // The base by the state; free bodies beside it by the joints, whose first one is their pose.
  void compare_in_world() {
    const Compiled& c = robot_->compiled();
    const auto there = [&](const JointPlace& place) { return X_WF_ * pose_at(plain_.d->qpos + place.qpos); };
    const Pose expected = c.fixed_base ? X_WF_ : there(c.free[0].place) * c.X_BR;
    out_.apart_in_world = apart(expected, state_.pose);
    for (std::size_t i = c.fixed_base ? 0 : 1; i < c.free.size(); ++i)
      for (std::size_t j = 0; j < c.joints.size(); ++j)
        if (c.joints[j].qpos == c.free[i].place.qpos)
          out_.apart_in_world = std::max(out_.apart_in_world, apart(there(c.free[i].place), pose_at(tail_.data() + j)));
    compare_links();
  }

  // What others see of it, from its state and tail alone.
  void compare_links() {
    const auto shapes = shapes_of(*world_->models()[0], world_->files());
    std::string trouble;
    if (!shapes || !guarded(trouble, [&] { mj_kinematics(plain_.m, plain_.d); })) {
      out_.fault = shapes ? "plain: " + trouble : shapes.error().message();
      return;
    }
    std::vector<Pose> X_WL;
    place_links(*shapes, {state_.pose, file_frame(*shapes, state_.pose, X_WF_), tail_}, X_WL);
    for (std::size_t b = 0; b < X_WL.size(); ++b) {
      const Pose expected = X_WF_ * Pose{vec(plain_.d->xpos + 3 * b), quat(plain_.d->xquat + 4 * b)};
      out_.links_apart = std::max(out_.links_apart, apart(expected, X_WL[b]));
    }
  }

  Plain plain_;
  Pose X_WF_;
  Factory factory_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Physics> physics_;
  const Robot* robot_ = nullptr;
  State state_;
  std::vector<double> tail_;
  Random random_{stream_key(1, 1, "controls")};
  Duration tick_{};
  int steps_ = 1;
  Difference out_;
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text)
    if (c == '"' || c == '\\') out += '\\', out += c;
    else out += c == '\n' ? ' ' : c;
  return out + '"';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: mujoco_alone FILE\n");
    return 2;
  }
  const std::string path = argv[1];
  if (auto ok = start(CONVOY_MUJOCO_PLUGINS); !ok) {
    fmt::print(stderr, "mujoco_alone: {}\n", ok.error().message());
    return 1;
  }
  std::int64_t step_ns = 0;
  {
    const Plain plain(path);
    if (!plain.m) {
      fmt::print("{{\"loads\": false, \"why\": {}}}\n", quoted(plain.trouble));
      return 0;
    }
    step_ns = std::llround(plain.m->opt.timestep * 1e9);
  }
  const auto robot = import_model(path, {read_disk, {}, "dut", {}, {}, Ground::kNone});
  if (!robot) {
    fmt::print("{{\"loads\": true, \"refused\": {}}}\n", quoted(robot.error().message()));
    return 0;
  }
  std::string places;
  for (const auto& [x, y, yaw] : {std::array{0.0, 0.0, 0.0}, {20.0, 3.0, 1.1}}) {
    const Difference d = Comparison(path, *robot, {{x, y, 0}, {std::cos(yaw / 2), 0, 0, std::sin(yaw / 2)}}).run();
    places += fmt::format(
        "{}{{\"numbers\": {}, \"apart\": {:.3g}, \"apart_in_world\": {:.3g}, \"links_apart\": {:.3g}, "
        "\"fault\": {}}}",
        places.empty() ? "" : ", ", d.numbers, d.apart, d.apart_in_world, d.links_apart, quoted(d.fault));
  }
  fmt::print("{{\"loads\": true, \"step_ns\": {}, \"tick_ns\": {}, \"places\": [{}]}}\n", step_ns,
             steps_of(Duration(step_ns)) * step_ns, places);
  return 0;
}
