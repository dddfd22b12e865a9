#include "physics/mujoco/robot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "physics/mujoco/guard.h"
#include "physics/mujoco/numbers.h"
#include "physics/mujoco/panel.h"

namespace convoy::mujoco {

namespace {

constexpr double kNearby = 0.25;   // m beyond its reach where somebody may begin to matter
constexpr double kTraction = 0.6;  // of what friction bears; beyond it two halves of a contact drift apart
constexpr Duration kStrained = std::chrono::milliseconds(500);
constexpr double kFast = 10;  // m/s; what is faster is met a tick late

double clamped(double x, double bound) { return std::isfinite(x) ? std::min(std::max(x, -bound), bound) : 0; }
double approached(double x, double target, double step) {
  return target > x ? std::min(target, x + step) : std::max(target, x - step);
}
// A robot that is stopped by MuJoCo says it in one line, without the engine's own advice on further ones.
std::string first_line(const std::string& text) { return text.substr(0, std::min(text.find('\n'), std::size_t{300})); }

}  // namespace

// While one lives, data_ is an mjData in the robot's state, or null if none can be made. Within another it does nothing.
class Robot::Borrowed {
 public:
  explicit Borrowed(const Robot& robot) : robot_(robot) {
    if (robot.data_ || !robot.usable_) return;
    const Compiled& c = *robot.compiled_;
    loan_ = c.pool.take(c.model, trouble_);
    robot.data_ = loan_.data();
    if (robot.data_)
      guarded(trouble_, [&] { mj_setState(c.model, robot.data_, robot.row_.data(), mjSTATE_INTEGRATION); });
  }
  ~Borrowed() {
    if (loan_.data()) robot_.data_ = nullptr;
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  const std::string& trouble() const { return trouble_; }

 private:
  const Robot& robot_;
  std::string trouble_;
  DataPool::Loan loan_;
};

Robot::Robot(const Model& model, std::shared_ptr<const Compiled> compiled, std::shared_ptr<Library> library)
    : limits_(model),
      bare_(std::move(compiled)),
      compiled_(bare_),
      library_(std::move(library)),
      row_(static_cast<std::size_t>(compiled_->state_size)),
      encounter_(limits_, compiled_, library_) {
  limits_.footprint.clear(), limits_.joints.clear(), limits_.start.clear();
  const Borrowed borrowed(*this);
  usable_ = data_ != nullptr;
  if (!usable_) inner_.fault = "no memory for its state: " + first_line(borrowed.trouble());
}

void Robot::keep() {
  std::string ignored;
  guarded(ignored, [this] { mj_getState(compiled_->model, data_, row_.data(), mjSTATE_INTEGRATION); });
  stale_ = true;  // but after a step
  inner_.engine.resize(row_.size() * sizeof(double));
  if (!row_.empty()) std::memcpy(inner_.engine.data(), row_.data(), inner_.engine.size());
}

// `d` may have ghosts behind all that is the robot's own.
void Robot::keep_derived(const mjData* d) const {
  sensors_.assign(d->sensordata, d->sensordata + compiled_->model->nsensordata);
  qacc_.assign(d->qacc, d->qacc + compiled_->model->nv);
  stale_ = false;
}

void Robot::restore() {
  if (!row_.empty()) std::memcpy(row_.data(), inner_.engine.data(), inner_.engine.size());
  stale_ = true;
  if (!data_) return;
  std::string ignored;
  guarded(ignored, [&] {
    // After an error the stack inside is not unwound: a reset puts it back, and everything else comes from the row.
    mj_resetData(compiled_->model, data_);
    mj_setState(compiled_->model, data_, row_.data(), mjSTATE_INTEGRATION);
  });
}

// Works out what follows from the state where no step has done it: sensors above all. The state stays bit for bit.
void Robot::refresh() const {
  if (!stale_) return;
  const Borrowed borrowed(*this);
  std::string ignored;
  if (data_ && guarded(ignored, [&] { mj_forward(compiled_->model, data_); })) return keep_derived(data_);
  if (data_) guarded(ignored, [&] { mj_resetData(compiled_->model, data_); });
  sensors_.assign(static_cast<std::size_t>(compiled_->model->nsensordata), 0.0);
  qacc_.assign(static_cast<std::size_t>(compiled_->model->nv), 0.0);
}

bool Robot::view(EngineView& out) const {
  if (!usable_) return false;
  refresh();
  const auto part = [this](std::size_t from, int n) {
    return std::span(row_).subspan(from, static_cast<std::size_t>(n));
  };
  const mjModel* m = compiled_->model;
  const auto& at = compiled_->row;
  out = {part(at.qpos, m->nq), part(at.qvel, m->nv), part(at.act, m->na), part(at.ctrl, m->nu), sensors_};
  return true;
}

bool Robot::propose(const EngineValues& values, State& state, std::span<double> tail, Bytes& saved) const {
  const Borrowed borrowed(*this);
  if (!data_) return false;
  const mjModel* m = compiled_->model;
  const auto fits = [](const std::vector<double>& v, int n) {
    return v.empty() || (v.size() == static_cast<std::size_t>(n) &&
                         std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); }));
  };
  if (!fits(values.qpos, m->nq) || !fits(values.qvel, m->nv) || !fits(values.act, m->na) || !fits(values.ctrl, m->nu))
    return false;
  const auto put = [](const std::vector<double>& from, double* to) { std::copy(from.begin(), from.end(), to); };
  put(values.qpos, data_->qpos), put(values.qvel, data_->qvel), put(values.act, data_->act),
      put(values.ctrl, data_->ctrl);
  std::fill_n(data_->qacc_warmstart, m->nv, 0.0);  // of another place
  RobotState there = inner_;
  there.speed = there.turn_rate = 0;
  there.fault.clear();
  std::vector<double> row(row_.size());
  std::string trouble;
  const bool done = guarded(trouble, [&] {
    mj_normalizeQuat(m, data_->qpos);
    mj_getState(m, data_, row.data(), mjSTATE_INTEGRATION);
  });
  there.engine.resize(row.size() * sizeof(double));
  if (!row.empty()) std::memcpy(there.engine.data(), row.data(), there.engine.size());
  read(state, tail);
  std::fill(tail.end() - static_cast<std::ptrdiff_t>(std::min(tail.size(), kWrenchSize)), tail.end(), 0.0);
  saved.clear();
  SaveFields out(saved);
  fields(out, there);
  return done;
}

void Robot::put_free(const FreeBody& free, const Pose& X_WB, const Twist& v) {
  mujoco::put(data_->qpos + free.place.qpos, Pose{X_WB.p, unit(X_WB.q)});
  double* qvel = data_->qvel + free.place.qvel;
  mujoco::put(qvel, v.v), mujoco::put(qvel + 3, rotate(X_WB.q.conjugate(), v.w));
}

void Robot::reset(const State& state) {
  const Borrowed borrowed(*this);
  if (!data_) return;
  const Compiled& c = *compiled_;
  std::string trouble;
  const bool done = guarded(trouble, [&] {
    if (c.key >= 0) mj_resetDataKeyframe(c.model, data_, c.key);
    else mj_resetData(c.model, data_);
  });
  inner_ = {};
  if (!done) inner_.fault = first_line(trouble);
  const Pose& X_WF = state.pose;
  if (c.fixed_mocap >= 0) {
    mujoco::put(data_->mocap_pos + 3 * c.fixed_mocap, X_WF.p);
    mujoco::put(data_->mocap_quat + 4 * c.fixed_mocap, unit(X_WF.q));
  }
  for (const FreeBody& free : c.free) {
    const Pose X_WB = X_WF * free.X_FB;
    const bool base = !c.fixed_base && &free == &c.free[0];
    Twist own{rotate(X_WF.q, free.v_FB_B.v), rotate(X_WB.q, free.v_FB_B.w)};
    if (base && !(state.twist == Twist{})) own = {state.twist.v + cross(state.twist.w, X_WB.p - X_WF.p), state.twist.w};
    put_free(free, X_WB, own);
  }
  keep();
}

void Robot::put(const State& state) {
  const Borrowed borrowed(*this);
  if (!data_) return;
  const Compiled& c = *compiled_;
  if (!c.fixed_base) {
    const Pose X_WB = state.pose * c.X_BF.inverse();
    put_free(c.free[0], X_WB, {state.twist.v + cross(state.twist.w, X_WB.p - state.pose.p), state.twist.w});
  }
  if (c.fixed_base && c.fixed_mocap >= 0) {
    mujoco::put(data_->mocap_pos + 3 * c.fixed_mocap, state.pose.p);
    mujoco::put(data_->mocap_quat + 4 * c.fixed_mocap, unit(state.pose.q));
  }
  std::fill_n(data_->qacc_warmstart, c.model->nv, 0.0);  // of another place
  inner_.speed = inner_.turn_rate = 0;
  keep();
}

Pose Robot::X_WF() const {
  const Compiled& c = *compiled_;
  if (!c.fixed_base) return pose_at(data_->qpos + c.free[0].place.qpos) * c.X_BF;
  if (c.fixed_mocap < 0) return {};
  return {vec(data_->mocap_pos + 3 * c.fixed_mocap), quat(data_->mocap_quat + 4 * c.fixed_mocap)};
}

Twist Robot::twist() const {
  const Compiled& c = *compiled_;
  if (c.fixed_base) return {};
  const Pose X_WB = pose_at(data_->qpos + c.free[0].place.qpos);
  const double* qvel = data_->qvel + c.free[0].place.qvel;
  const Vec3 w = rotate(X_WB.q, vec(qvel + 3));
  return {vec(qvel) + cross(w, rotate(X_WB.q, c.X_BF.p)), w};
}

void Robot::read(State& state, std::span<double> tail) const {
  state.pose = X_WF();
  state.pose.q = unit(state.pose.q);
  state.twist = twist();
  const std::size_t n = compiled_->joints.size();
  if (tail.size() != 2 * n + kWrenchSize) return;
  for (std::size_t i = 0; i < n; ++i) {
    tail[i] = data_->qpos[compiled_->joints[i].qpos];
    const int rate = compiled_->joints[i].qvel;
    tail[n + i] = rate < 0 ? 0 : data_->qvel[rate];
  }
  std::copy(wrench_.begin(), wrench_.end(), tail.begin() + static_cast<std::ptrdiff_t>(2 * n));
}

void Robot::angles(std::vector<double>& out) const {
  out.clear();
  for (const auto* side : {&compiled_->left, &compiled_->right})
    for (const Wheel& wheel : *side) out.push_back(data_->qpos[wheel.place.qpos]);
}

// The mean way of one side's rims since `before`, m.
double Robot::rolled(const std::vector<Wheel>& wheels, const std::vector<double>& before) const {
  const std::size_t first = &wheels == &compiled_->left ? 0 : compiled_->left.size();
  double sum = 0;
  for (std::size_t i = 0; i < wheels.size(); ++i)
    sum += wheels[i].sign * (data_->qpos[wheels[i].place.qpos] - before[first + i]);
  return wheels.empty() ? 0 : sum / static_cast<double>(wheels.size()) * limits_.wheel_radius;
}

bool Robot::turns_wheel(std::uint32_t actuator) const {
  const auto is_it = [&](const Wheel& wheel) { return wheel.actuator == static_cast<int>(actuator); };
  return std::any_of(compiled_->left.begin(), compiled_->left.end(), is_it) ||
         std::any_of(compiled_->right.begin(), compiled_->right.end(), is_it);
}

void Robot::take_controls(std::span<const Control> controls, Instant now) {
  if (controls.empty()) let_lapse(inner_.controller, compiled_->model, data_, now);
  for (const Control& control : controls) {
    const Taken taken = take_control(inner_.controller, compiled_->model, data_, control, now);
    inner_.refused += taken == Taken::kRefused;
    if (taken == Taken::kControl) inner_.own_wheels = inner_.own_wheels || turns_wheel(control.actuator);
  }
}

void Robot::drive(const Twist& command, double dt, mjData* data) {
  const Compiled& c = *compiled_;
  if (c.left.empty() && c.right.empty()) return;
  if (inner_.own_wheels && command == Twist{}) return;
  inner_.own_wheels = false;
  inner_.speed = approached(inner_.speed, clamped(command.v.x, limits_.max_speed), limits_.max_acceleration * dt);
  inner_.turn_rate =
      approached(inner_.turn_rate, clamped(command.w.z, limits_.max_turn_rate), limits_.max_turn_acceleration * dt);
  const double side = inner_.turn_rate * limits_.half_separation;
  for (const Wheel& w : c.left) data->ctrl[w.actuator] = w.sign * (inner_.speed - side) / limits_.wheel_radius;
  for (const Wheel& w : c.right) data->ctrl[w.actuator] = w.sign * (inner_.speed + side) / limits_.wheel_radius;
}

// What MuJoCo counted of what it should not do, or nothing.
std::string Robot::warned(const mjData* data) const {
  constexpr const char* kWhat[mjNWARNING] = {
      "its inertia matrix is singular",
      "its arena is full and contacts were left out: set <size memory> higher",
      "its arena is full and constraints were left out: set <size memory> higher",
      "it diverged: a position is no number or huge",
      "it diverged: a velocity is no number or huge",
      "it diverged: an acceleration is no number or huge",
      "a control is no number"};
  for (int i = 0; i < mjNWARNING; ++i)
    if (data->warning[i].number > 0) return kWhat[i];
  return {};
}

// Adds the forces of the static world on the base's tree, and their torques about its centre of mass, in this step.
void Robot::measure(const mjModel* m, const mjData* d) {
  const int root = compiled_->free[0].body;
  const Vec3 com = vec(d->subtree_com + 3 * root);
  Vec3 force, torque;
  for (int i = 0; i < d->ncon; ++i) {
    const mjContact& contact = d->contact[i];
    const int a = contact.geom[0] < 0 ? -1 : m->geom_bodyid[contact.geom[0]];
    const int b = contact.geom[1] < 0 ? -1 : m->geom_bodyid[contact.geom[1]];
    if (a < 0 || b < 0 || contact.efc_address < 0) continue;
    const bool on_b = m->body_rootid[b] == root && m->body_weldid[a] == 0;
    const bool on_a = m->body_rootid[a] == root && m->body_weldid[b] == 0;
    if (!on_a && !on_b) continue;
    double local[6];
    mj_contactForce(m, d, i, local);
    const double sign = on_b ? 1 : -1;  // from a on b
    const double* frame = contact.frame;
    Vec3 f, t;
    for (int k = 0; k < 3; ++k) {
      f = f + sign * local[k] * vec(frame + 3 * k);
      t = t + sign * local[3 + k] * vec(frame + 3 * k);
    }
    force = force + f, torque = torque + t + cross(vec(contact.pos) - com, f);
    pull_ += std::sqrt(local[1] * local[1] + local[2] * local[2]), grip_ += contact.friction[0] * local[0];
  }
  if (!(m->opt.disableflags & mjDSBL_GRAVITY)) force = force + m->body_subtreemass[root] * vec(m->opt.gravity);
  const double sum[] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
  for (std::size_t i = 0; i < kWrenchSize; ++i) wrench_[i] += sum[i];
}

// Empty, or why it ends here.
std::string Robot::advance(const PhysicsInput& input, int steps, bool together) {
  const mjModel* m = together ? encounter_.model() : compiled_->model;
  mjData* d = together ? encounter_.data() : data_;
  const double dt = m->opt.timestep;
  std::memset(d->warning, 0, sizeof d->warning);
  std::string trouble;
  const bool done = guarded(trouble, [&] {
    for (int i = 0; i < steps; ++i) {
      drive(input.command, dt, d);
      if (input.may_play) play(inner_.controller, plan_, m, d, compiled_->step);
      apply(inner_.controller, m, d);
      if (together) encounter_.move(i * dt);
      mj_step(m, d);
      if (measuring_) measure(m, d);
    }
  });
  if (!done) return "MuJoCo: " + first_line(trouble);
  if (std::string why = warned(d); !why.empty()) return why;
  for (int i = 0; i < m->nq; ++i)
    if (!std::isfinite(d->qpos[i])) return "it diverged: a position is no number";
  for (int i = 0; i < m->nv; ++i)
    if (!std::isfinite(d->qvel[i])) return "it diverged: a velocity is no number";
  for (double& sum : wrench_) sum /= steps;
  return {};
}

// The same among the ghosts that were chosen.
std::string Robot::advance_together(const PhysicsInput& input, int steps) {
  std::string trouble;
  if (!guarded(trouble, [this] { mj_getState(compiled_->model, data_, row_.data(), mjSTATE_INTEGRATION); }) ||
      !encounter_.enter(input, row_, trouble))
    return "no room beside its neighbours: " + first_line(trouble);
  if (std::string why = advance(input, steps, true); !why.empty()) return why;
  const bool left = encounter_.leave(row_) && guarded(trouble, [this] {
                      mj_setState(compiled_->model, data_, row_.data(), mjSTATE_INTEGRATION);
                    });
  return left ? "" : "MuJoCo: " + first_line(trouble);
}

void Robot::count_contacts(const mjModel* m, const mjData* d, PhysicsEvents& events) const {
  const std::size_t own = compiled_->solid_geom.size();  // ghosts' geoms stand behind them
  const auto mine = [&](int geom) { return geom >= 0 && static_cast<std::size_t>(geom) < own; };
  const auto fixed = [&](int geom) { return mine(geom) && compiled_->solid_geom[static_cast<std::size_t>(geom)]; };
  const auto moves = [&](int geom) { return mine(geom) && m->body_weldid[m->geom_bodyid[geom]] != 0; };
  for (int i = 0; i < d->ncon && !events.touched_map; ++i) {
    const int a = d->contact[i].geom[0], b = d->contact[i].geom[1];
    events.touched_map = (fixed(a) && moves(b)) || (fixed(b) && moves(a));
  }
}

double Robot::neighbourhood(const Model& model, Duration tick, std::span<const Carried> carried) const {
  double radius = bounding_radius(model);
  for (const Carried& one : carried) radius = std::max(radius, norm(one.X_BC.p) + bounding_radius(*one.model));
  return radius + kNearby + 2 * std::max(model.max_speed, kFast) * seconds(tick);
}

// Steps from now on in the model with what it carries now. Not empty: why it cannot.
std::string Robot::take_load(const PhysicsInput& input) {
  if (!input.files || same_load(carried_, input.carried)) return {};
  const auto load = library_->load(bare_.get(), input.carried, *input.files);
  std::shared_ptr<const Compiled> wanted = bare_;
  if (load) {
    auto made = library_->laden(limits_, {input.files, input.map, input.static_world}, *bare_, *load);
    if (!made) return "what it carries: " + first_line(made.error().message());
    wanted = std::move(*made);
  }
  if (wanted != compiled_) {
    compiled_ = std::move(wanted);
    encounter_.carry(compiled_, load);
    stale_ = true;
  }
  carried_.assign(input.carried.begin(), input.carried.end());
  return {};
}

void Robot::step(const PhysicsInput& input, State& state, std::span<double> tail, PhysicsEvents& events) {
  state.stamp = input.begin + input.step;
  const auto stop_for_good = [&] {
    state.twist = {};
    for (std::size_t i = compiled_->joints.size(); i < tail.size(); ++i) tail[i] = 0;
  };
  if (!inner_.fault.empty()) return stop_for_good();
  std::string why = take_load(input);
  const Compiled& c = *compiled_;
  const Borrowed borrowed(*this);
  if (!data_) {  // a thread more than before, and no memory for what it needs
    inner_.fault = events.fault = "no memory for its state: " + first_line(borrowed.trouble());
    return stop_for_good();
  }
  wrench_ = {};
  pull_ = grip_ = 0;
  if (input.neighbours.empty()) encounter_.forget();
  const bool together = !input.neighbours.empty() && encounter_.choose(input, state, tail);
  measuring_ = !input.neighbours.empty() && encounter_.soon_near() && c.model->nu > 0 && !c.fixed_base;
  take_controls(input.controls, input.begin);
  angles(before_);
  const Vec3 from = X_WF().p;
  const double speed = inner_.speed, turn_rate = inner_.turn_rate;
  const int steps = static_cast<int>(input.step / c.step);
  if (why.empty()) why = together ? advance_together(input, steps) : advance(input, steps, false);
  if (!why.empty()) {
    encounter_.forget();
    restore();
    inner_.speed = speed, inner_.turn_rate = turn_rate;
    inner_.fault = events.fault = std::move(why);
    return stop_for_good();
  }
  keep();
  keep_derived(together ? encounter_.data() : data_);
  read(state, tail);
  const double dt = seconds(input.step), dx = state.pose.p.x - from.x, dy = state.pose.p.y - from.y;
  events.distance = std::sqrt(dx * dx + dy * dy);
  events.wheel_left = rolled(compiled_->left, before_) / dt;
  events.wheel_right = rolled(compiled_->right, before_) / dt;
  if (!together) return count_contacts(c.model, data_, events);
  count_contacts(encounter_.model(), encounter_.data(), events);
  inner_.one_sided += encounter_.count_contacts(events.touched);
  encounter_.end();
  watch_traction(input.step, events);
}

void Robot::watch_traction(Duration step, PhysicsEvents& events) {
  if (inner_.straining > kStrained) return;  // it was said
  if (!measuring_ || events.touched.empty()) return;
  // Contacts of pushes come and go from tick to tick: more often so than not counts.
  inner_.straining =
      pull_ > kTraction * grip_ ? inner_.straining + step : std::max(inner_.straining - step, Duration(0));
  if (inner_.straining > kStrained)
    events.advice =
        "it pushes near the limit of its traction, where each side of a contact alone is not exact; put both into one "
        "group";
}

void Robot::set_controller(const ControllerSpec& spec) {
  const Borrowed borrowed(*this);
  if (data_) inner_.controller = make_controller(spec, compiled_->model, data_, plan_);
}

std::vector<std::pair<std::string, std::string>> Robot::parameters() const {
  return mujoco::parameters(inner_.controller, plan_, compiled_->model);
}

bool Robot::set_parameter(const std::string& name, const std::string& value) {
  const Borrowed borrowed(*this);
  const bool known = data_ && mujoco::set_parameter(inner_.controller, plan_, compiled_->model, data_, name, value);
  inner_.refused += !known;
  return known;
}

bool Robot::read(PanelReadings& out) const {
  EngineView now;
  if (!view(now)) return false;
  mujoco::read(compiled_->model, now, qacc_, compiled_->panel, out);
  return true;
}

void Robot::save(SaveFields& out) const { fields(out, inner_); }

bool Robot::read_inner(Reader& in, RobotState& loaded) const {
  LoadFields v(in);
  fields(v, loaded);
  if (!in.ok() || !usable_ || loaded.engine.size() != row_.size() * sizeof(double)) return false;
  if (!is_sound(loaded.controller, compiled_->model)) return false;
  std::vector<double> row(row_.size());
  if (!row.empty()) std::memcpy(row.data(), loaded.engine.data(), loaded.engine.size());
  return std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); });
}

bool Robot::accepts(ByteView saved) const {
  Reader in(saved);
  RobotState ignored;
  return read_inner(in, ignored) && in.done();
}

bool Robot::load(Reader& in) {
  RobotState loaded;
  if (!read_inner(in, loaded)) return false;
  inner_ = std::move(loaded);
  restore();
  return true;
}

void Robot::describe(DescribeFields::List& out) const {
  RobotState plain = inner_;
  plain.engine.clear();
  for (auto& field : convoy::describe(plain)) out.push_back(std::move(field));
  if (!usable_) return;
  constexpr const char* kParts[] = {"time",           "qpos",       "qvel",         "act",          "history",
                                    "qacc_warmstart", "ctrl",       "qfrc_applied", "xfrc_applied", "eq_active",
                                    "mocap_pos",      "mocap_quat", "userdata",     "plugin"};
  int at = 0;
  for (int bit = 0; at < compiled_->state_size && bit < 31; ++bit) {
    if (!(mjSTATE_INTEGRATION & 1 << bit)) continue;
    const int n = mj_stateSize(compiled_->model, 1 << bit);
    const char* part = static_cast<std::size_t>(bit) < std::size(kParts) ? kParts[bit] : "more";
    for (int i = 0; i < n; ++i) {
      double value = 0;
      std::memcpy(&value, inner_.engine.data() + sizeof(double) * static_cast<std::size_t>(at + i), sizeof value);
      out.emplace_back(fmt::format("{}[{}]", part, i), fmt::format("{:.17g}", value));
    }
    at += n;
  }
}

void FailedRobot::step(const PhysicsInput& input, State& state, std::span<double>, PhysicsEvents& events) {
  state.stamp = input.begin + input.step;
  state.twist = {};
  if (!reported_) events.fault = why_;
  reported_ = true;
}

}  // namespace convoy::mujoco
