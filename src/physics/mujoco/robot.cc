#include "physics/mujoco/robot.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "physics/mujoco/guard.h"
#include "physics/mujoco/numbers.h"
#include "physics/mujoco/panel.h"
#include "physics/mujoco/sensor_frames.h"
#include "physics/mujoco/touches.h"

namespace convoy::mujoco {

namespace {

constexpr double kNearby = 0.25;  // m beyond its reach where a neighbour may begin to matter
constexpr Duration kStrained = std::chrono::milliseconds(500);
constexpr double kFast = 10;  // m/s; what is faster is met a tick late

// The model's own among all of the world.
ModelFiles files_of(const Model& model, const ModelFiles& files) {
  ModelFiles out;
  for (const ModelFile& file : model.files)
    if (const auto found = files.find(file.hash); found != files.end()) out.insert(*found);
  return out;
}

// A robot that MuJoCo stops reports one line, without the engine's own advice on further lines.
std::string first_line(const std::string& text) { return text.substr(0, std::min(text.find('\n'), std::size_t{300})); }

// Its own numbers are first in the data of an encounter, too.
void show(StepWatcher& watcher, Instant at, const Station& station, const mjData* d, const State& before,
          std::size_t tail_size) {
  if (!watcher.wants(at)) return;
  State shown = before;
  std::vector<double> tail(tail_size);
  station.read(d, {}, shown, tail);
  shown.stamp = at;
  if (make_canonical(shown)) watcher.saw(at, shown, tail);
}

// What MuJoCo counted of what it should not do, or nothing.
std::string warned(const mjData* data) {
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

}  // namespace

// While one lives, data_ is an mjData in the robot's state, or null if none can be made. Within another it does nothing.
namespace {

Felt felt(const Environment* world, const OptionValues& options) {
  return {world ? world->gravity : std::nullopt, world ? world->wind : std::nullopt, options};
}

}  // namespace

class Robot::Borrowed {
 public:
  explicit Borrowed(const Robot& robot) : robot_(robot) {
    if (robot.data_ || !robot.usable_) return;
    const Compiled& c = *robot.compiled_;
    loan_ = c.pool.take(c.model, trouble_);
    robot.data_ = loan_.data();
    if (robot.data_) robot.row_.set(c.model, robot.data_, trouble_);
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

Robot::Robot(const Model& model, std::shared_ptr<const Compiled> compiled, std::shared_ptr<Library> library,
             std::shared_ptr<const Walls> walls, const ModelFiles& files)
    : limits_(model),
      files_(files_of(model, files)),
      bare_(std::move(compiled)),
      compiled_(bare_),
      library_(std::move(library)),
      station_(*compiled_),
      row_(compiled_->state_size),
      key_(compiled_->key),
      wheels_(limits_),
      encounter_({limits_, files_, compiled_, nullptr, library_, std::move(walls)}) {
  limits_.footprint.clear(), limits_.joints.clear(), limits_.start.clear();
  limits_.bodies.clear(), limits_.mocaps.clear(), limits_.keyframes.clear();
  const Borrowed borrowed(*this);
  usable_ = data_ != nullptr;
  if (!usable_) inner_.fault = "no memory for its state: " + first_line(borrowed.trouble());
}

void Robot::keep() {
  std::string ignored;
  row_.get(compiled_->model, data_, ignored);
  seen_.stale = true;  // but after a step
  row_.write(inner_.engine);
  inner_.X_WF = station_.X_WF();
}

// `d` may have ghosts behind all that is the robot's own.
void Robot::keep_derived(const mjData* d) const {
  seen_.sensors.assign(d->sensordata, d->sensordata + compiled_->model->nsensordata);
  sensors_to_world(compiled_->model, station_.X_WF(), seen_.sensors.data());
  seen_.qacc.assign(d->qacc, d->qacc + compiled_->model->nv);
  seen_.stale = false;
}

void Robot::restore() {
  row_.read(inner_.engine);
  station_.stand(inner_.X_WF);
  seen_.stale = true;
  if (!data_) return;
  std::string ignored;
  // After an error the stack inside is not unwound: a reset puts it back, and everything else comes from the row.
  if (guarded(ignored, [&] { mj_resetData(compiled_->model, data_); })) row_.set(compiled_->model, data_, ignored);
}

// Works out what follows from the state where no step has done it: sensors above all. The state stays bit for bit.
void Robot::refresh() const {
  if (!seen_.stale) return;
  const Borrowed borrowed(*this);
  std::string ignored;
  if (data_ && guarded(ignored, [&] { mj_forward(station_.model(), data_); })) return keep_derived(data_);
  if (data_) guarded(ignored, [&] { mj_resetData(compiled_->model, data_); });
  seen_.sensors.assign(static_cast<std::size_t>(compiled_->model->nsensordata), 0.0);
  seen_.qacc.assign(static_cast<std::size_t>(compiled_->model->nv), 0.0);
}

bool Robot::view(EngineView& out) const {
  if (!usable_) return false;
  refresh();
  const auto part = [this](std::size_t from, int n) { return row().subspan(from, static_cast<std::size_t>(n)); };
  const mjModel* m = compiled_->model;
  const auto& at = compiled_->row;
  out = {part(at.qpos, m->nq), part(at.qvel, m->nv), part(at.act, m->na), part(at.ctrl, m->nu), seen_.sensors};
  if (compiled_->free.empty()) return true;
  seen_.qpos.assign(out.qpos.begin(), out.qpos.end()), seen_.qvel.assign(out.qvel.begin(), out.qvel.end());
  station_.to_world(seen_.qpos.data(), seen_.qvel.data());
  out.qpos = seen_.qpos, out.qvel = seen_.qvel;
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
  for (const auto& [mocap, X_WM] : values.mocaps)
    if (mocap >= static_cast<std::size_t>(m->nmocap)) return false;
  const auto put = [](const std::vector<double>& from, double* to) { std::copy(from.begin(), from.end(), to); };
  put(values.qpos, data_->qpos), put(values.qvel, data_->qvel), put(values.act, data_->act),
      put(values.ctrl, data_->ctrl);
  station_.to_file(values.qpos.empty() ? nullptr : data_->qpos, values.qvel.empty() ? nullptr : data_->qvel);
  for (const auto& [mocap, X_WM] : values.mocaps) {
    const Pose X_FM = station_.X_WF().inverse() * X_WM;
    mujoco::put(data_->mocap_pos + 3 * mocap, X_FM.p), mujoco::put(data_->mocap_quat + 4 * mocap, unit(X_FM.q));
  }
  std::fill_n(data_->qacc_warmstart, m->nv, 0.0);  // of another place
  RobotState there = inner_;
  there.wheels.speed = there.wheels.turn_rate = 0;
  there.fault.clear();
  EngineRow row(compiled_->state_size);
  std::string trouble;
  const bool done = guarded(trouble, [&] { mj_normalizeQuat(m, data_->qpos); }) && row.get(m, data_, trouble);
  row.write(there.engine);
  station_.read(data_, {}, state, tail);
  std::fill(tail.end() - static_cast<std::ptrdiff_t>(std::min(tail.size(), kWrenchSize)), tail.end(), 0.0);
  saved.clear();
  SaveFields out(saved);
  fields(out, there);
  return done;
}

void Robot::reset(const State& state) {
  const Borrowed borrowed(*this);
  if (!data_) return;
  const Compiled& c = *compiled_;
  std::string trouble;
  const bool done = guarded(trouble, [&] {
    if (key_ >= 0) mj_resetDataKeyframe(c.model, data_, key_);
    else mj_resetData(c.model, data_);
  });
  inner_ = {};
  if (!done) inner_.fault = first_line(trouble);
  station_.begin(state, data_);
  keep();
}

void Robot::put(const State& state, std::span<const double> tail) {
  const Borrowed borrowed(*this);
  if (!data_) return;
  station_.move(state, data_);
  if (!tail.empty()) station_.rest(tail, data_);
  std::fill_n(data_->qacc_warmstart, compiled_->model->nv, 0.0);  // of another place
  inner_.wheels.speed = inner_.wheels.turn_rate = 0;
  keep();
}

void Robot::take_controls(std::span<const Control> controls, Instant now) {
  if (controls.empty()) let_lapse(inner_.controller, compiled_->model, data_, now);
  for (const Control& control : controls) {
    const Taken taken = take_control(inner_.controller, compiled_->model, data_, control, now);
    inner_.refused += taken == Taken::kRefused;
    if (taken == Taken::kControl)
      inner_.wheels.own_controls = inner_.wheels.own_controls || turns_wheel(*compiled_, control.actuator);
  }
}

// Empty, or why it ends here.
std::string Robot::advance(const PhysicsInput& input, int steps, const State& before, std::size_t tail_size) {
  const bool together = encounter_.any();
  const mjModel* m = together ? encounter_.model() : station_.model();
  const int outside = together ? encounter_.outside() : -1;
  mjData* d = together ? encounter_.data() : data_;
  const double dt = m->opt.timestep;
  const int first = static_cast<int>(input.before / compiled_->step);
  std::memset(d->warning, 0, sizeof d->warning);
  std::string trouble;
  const bool done = guarded(trouble, [&] {
    for (int i = 0; i < steps; ++i) {
      wheels_.drive(inner_.wheels, *compiled_, input.command, dt, d);
      if (input.may_play) play(inner_.controller, plan_, m, d, compiled_->step);
      apply(inner_.controller, m, d);
      if (!inner_.pushes.empty()) press(inner_.pushes, station_.X_WF().q, input.begin + i * compiled_->step, d);
      if (together) encounter_.move((first + i) * dt);
      mj_step(m, d);
      if (meter_.on()) meter_.add(m, d, compiled_->free[0].body, outside, inner_.pushes);
      if (input.watcher && (i + 1 < steps || input.behind > Duration(0)))
        show(*input.watcher, input.begin + (i + 1) * compiled_->step, station_, d, before, tail_size);
    }
    press(inner_.pushes, station_.X_WF().q, input.begin + input.step, d);
  });
  if (!done) return "MuJoCo: " + first_line(trouble);
  if (std::string why = warned(d); !why.empty()) return why;
  for (int i = 0; i < m->nq; ++i)
    if (!std::isfinite(d->qpos[i])) return "it diverged: a position is no number";
  for (int i = 0; i < m->nv; ++i)
    if (!std::isfinite(d->qvel[i])) return "it diverged: a velocity is no number";
  return {};
}

// The same among the ghosts that were chosen.
std::string Robot::advance_together(const PhysicsInput& input, int steps, const State& before, std::size_t tail_size) {
  std::string trouble;
  const bool first = input.before == Duration(0);
  if (!row_.get(compiled_->model, data_, trouble) ||
      !(first ? encounter_.enter(row_.numbers(), trouble) : encounter_.resume(row_.numbers(), trouble)))
    return "no room beside walls and neighbours: " + first_line(trouble);
  if (std::string why = advance(input, steps, before, tail_size); !why.empty()) return why;
  const bool left = encounter_.leave(row_.numbers()) && row_.set(compiled_->model, data_, trouble) &&
                    (input.behind == Duration(0) || encounter_.hold(trouble));
  return left ? "" : "MuJoCo: " + first_line(trouble);
}

// With what is static and no ground: walls, and what its own file fixes.
void Robot::count_contacts(const mjModel* m, const mjData* d, int outside, PhysicsEvents& events) const {
  const auto is_static = [&](int body) { return m->body_weldid[body] == 0 || body == outside; };
  const auto own = [&](int body) { return body < compiled_->model->nbody && m->body_weldid[body] != 0; };
  for (int i = 0; i < d->ncon && !events.touched_map; ++i) {
    const int *geom = d->contact[i].geom, a = geom[0], b = geom[1];
    if (a < 0 || b < 0 || m->geom_type[a] == mjGEOM_PLANE || m->geom_type[b] == mjGEOM_PLANE) continue;
    const int body_a = m->geom_bodyid[a], body_b = m->geom_bodyid[b];
    events.touched_map = (is_static(body_a) && own(body_b)) || (is_static(body_b) && own(body_a));
  }
}

double Robot::neighbourhood(const Model& model, Duration tick, std::span<const Carried> carried) const {
  double radius = bounding_radius(model);
  for (const Carried& one : carried) radius = std::max(radius, norm(one.X_BC.p) + bounding_radius(*one.model));
  return radius + kNearby + 2 * std::max(model.max_speed, kFast) * seconds(tick);
}

void Robot::start_from(const std::string& keyframe) {
  key_ = keyframe.empty() ? bare_->key : mj_name2id(bare_->model, mjOBJ_KEY, keyframe.c_str());
}

void Robot::set_part(const SetPart& part, Instant now) {
  switch (part.kind) {
    case SetPart::Kind::kForce: {
      const int base = bare_->free.empty() ? 1 : bare_->free[0].body;
      const int body = part.name.empty() ? base : body_of(bare_->model, part.name);
      const double* v = part.values.data();
      if (body > 0 && part.values.size() == 6) set_push(inner_.pushes, {body, vec(v), vec(v + 3), now + part.lasts});
      break;
    }
    case SetPart::Kind::kOption: set_option(inner_.options, part); break;
    case SetPart::Kind::kJoint:
    case SetPart::Kind::kMocap: {
      const Borrowed borrowed(*this);
      if (data_ && put_part(*compiled_, station_.X_WF(), part, data_)) keep();
      break;
    }
  }
  seen_.stale = true;
}

// Works the state through once more beside what it may meet, in data of its own: a tick in progress does not see it.
bool Robot::feel(const PhysicsInput& input, const State& state, std::span<const double> tail, Feeling& out) const {
  const Borrowed borrowed(*this);
  if (!data_) return false;
  Encounter here(encounter_.party());
  here.choose(input, state, tail, station_.X_WF(), station_.felt());
  std::string trouble;
  const bool together = here.any() && here.enter(row_.numbers(), trouble);
  const mjModel* m = together ? here.model() : station_.model();
  mjData* d = together ? here.data() : data_;
  const bool done = guarded(trouble, [&] { mj_forward(m, d); });
  if (done) {
    read_contacts(
        m, d, compiled_->model->nbody, station_.X_WF(), [&](int body) { return here.who(body); }, out.contacts);
    out.sensors.assign(d->sensordata, d->sensordata + compiled_->model->nsensordata);  // what is not its own is behind
    sensors_to_world(compiled_->model, station_.X_WF(), out.sensors.data());
  }
  if (!done && !together) guarded(trouble, [&] { mj_resetData(compiled_->model, data_); });
  if (together) here.end();
  return done;
}

// Steps from now on in the model with what it carries now. Not empty: why it cannot.
std::string Robot::take_load(const PhysicsInput& input) {
  if (!input.files || same_load(carried_, input.carried)) return {};
  const auto load = library_->load(bare_.get(), input.carried, *input.files);
  std::shared_ptr<const Compiled> wanted = bare_;
  if (load) {
    auto made = library_->laden(limits_, files_, *bare_, *load);
    if (!made) return "what it carries: " + first_line(made.error().message());
    wanted = std::move(*made);
  }
  if (wanted != compiled_) {
    compiled_ = std::move(wanted);
    encounter_.carry(compiled_, load);
    station_.take(*compiled_);
    seen_.stale = true;
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
  const bool first = input.before == Duration(0), last = input.behind == Duration(0);
  std::string why = take_load(input);
  const Compiled& c = *compiled_;
  const Borrowed borrowed(*this);
  if (!data_) {  // a thread more than before, and no memory for what it needs
    inner_.fault = events.fault = "no memory for its state: " + first_line(borrowed.trouble());
    return stop_for_good();
  }
  if (first) {
    station_.feel(felt(input.environment, inner_.options));
    encounter_.choose(input, state, tail, station_.X_WF(), station_.felt());
    meter_.begin(!input.neighbours.empty() && encounter_.soon_near() && c.model->nu > 0 && !c.fixed_base);
  }
  take_controls(input.controls, input.begin);
  wheels_.mark(c, data_);
  const Vec3 from = station_.X_WR(data_).p;
  const WheelDriveState before = inner_.wheels;
  const int steps = static_cast<int>(input.step / c.step);
  if (why.empty())
    why = encounter_.any() ? advance_together(input, steps, state, tail.size())
                           : advance(input, steps, state, tail.size());
  if (why.empty() && last) meter_.average();
  if (!why.empty()) {
    encounter_.forget();
    restore();
    inner_.wheels.speed = before.speed, inner_.wheels.turn_rate = before.turn_rate;
    inner_.fault = events.fault = std::move(why);
    return stop_for_good();
  }
  keep();
  keep_derived(encounter_.any() ? encounter_.data() : data_);
  station_.read(data_, last ? meter_.wrench() : std::array<double, kWrenchSize>{}, state, tail);
  const double dt = seconds(input.step), dx = state.pose.p.x - from.x, dy = state.pose.p.y - from.y;
  events.distance = std::sqrt(dx * dx + dy * dy);
  const WheelDrive::Ways ways = wheels_.since_mark(c, data_);
  events.wheel_left = ways.left / dt, events.wheel_right = ways.right / dt;
  if (!last) return encounter_.end();
  if (!encounter_.any()) return count_contacts(c.model, data_, -1, events);
  count_contacts(encounter_.model(), encounter_.data(), encounter_.outside(), events);
  inner_.one_sided += encounter_.count_contacts(events.touched);
  encounter_.end();
  watch_traction(input.tick(), events);
}

std::optional<Vec3> Robot::gravity(const Environment& environment) const {
  const PlacedModel here(compiled_->model, station_.X_WF(), felt(&environment, inner_.options));
  return rotate(station_.X_WF().q, vec(here.get()->opt.gravity));
}

void Robot::watch_traction(Duration step, PhysicsEvents& events) {
  if (inner_.straining > kStrained) return;  // it was reported
  if (!meter_.on() || events.touched.empty()) return;
  // Contacts of pushes come and go from tick to tick: more often so than not counts.
  inner_.straining = meter_.near_limit() ? inner_.straining + step : std::max(inner_.straining - step, Duration(0));
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
  mujoco::read(compiled_->model, now, seen_.qacc, compiled_->panel, out);
  return true;
}

void Robot::save(SaveFields& out) const { fields(out, inner_); }

bool Robot::read_inner(Reader& in, RobotState& loaded) const {
  LoadFields v(in);
  fields(v, loaded);
  if (!in.ok() || !usable_ || !row_.fits(loaded.engine)) return false;
  if (!is_sound(loaded.controller, compiled_->model)) return false;
  if (!is_sound(loaded.pushes, compiled_->model) || !is_sound(loaded.options)) return false;
  EngineRow row(compiled_->state_size);
  row.read(loaded.engine);
  const Pose& X = loaded.X_WF;
  return row.is_finite() && is_finite(X.p) && std::fabs(length(X.q) - 1) < 1e-9;
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
  row_.describe(compiled_->model, out);
}

}  // namespace convoy::mujoco
