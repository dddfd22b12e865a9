#include "agent/driver.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"

namespace convoy {

namespace {

// A driver whose memory is one struct with fields().
template <class Memory>
class DriverWith : public Driver {
 public:
  bool subscribes_to(const std::string&) const override { return false; }
  void receive(const Message&, Instant) override {}
  void save(SaveFields& out) const override { fields(out, memory_); }
  bool load(Reader& in) override {
    LoadFields v(in);
    fields(v, memory_);
    return in.ok();
  }
  void describe(DescribeFields::List& out) const override {
    DescribeFields v(out);
    v("driver", memory_);
  }

 protected:
  Memory memory_;
};

double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

struct Heading {
  double cos, sin;
};
Heading heading_of(const Pose& pose) {
  const Quat& q = pose.q;
  return {1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.w * q.z + q.x * q.y)};
}
Heading turned(const Heading& h, double cos, double sin) {
  return {h.cos * cos - h.sin * sin, h.sin * cos + h.cos * sin};
}

// Free distance ahead in a direction, m: the static map by a ray, neighbours by discs of their bounding radius.
double free_distance(const DriverView& view, const Pose& pose, const Heading& h, double range, double own,
                     std::span<const Slot> near) {
  double free = view.world.map().ray(pose.p.x, pose.p.y, h.cos, h.sin, range);
  for (Slot slot : near) {
    const Vec3 d = view.world.snapshot().state(slot).pose.p - pose.p;
    const double along = d.x * h.cos + d.y * h.sin, across = d.y * h.cos - d.x * h.sin;
    const double radius = view.world.radii()[slot.index()] + own;
    if (along > 0 && std::fabs(across) < radius) free = std::min(free, std::max(0.0, along - radius));
  }
  return free;
}

// Body twist that drives towards a point; slows down for the turn.
Twist towards(const DriverView& view, const Pose& pose, const Vec2& goal) {
  const Heading h = heading_of(pose);
  const double dx = goal.x - pose.p.x, dy = goal.y - pose.p.y;
  const double error = math::atan2(dy * h.cos - dx * h.sin, dx * h.cos + dy * h.sin);
  const double speed = view.spec.speed * view.model.max_speed, turn = view.spec.speed * view.model.max_turn_rate;
  Twist command;
  command.w.z = clamp(2 * error, -turn, turn);
  const bool turns_on_the_spot = view.model.drive == Drive::kDifferential;
  const double share = std::fabs(error) > 1 ? 0 : 1 - error * error;
  command.v.x = speed * (turns_on_the_spot ? share : std::max(share, 0.3));
  return command;
}

bool reached(const Pose& pose, const Vec2& goal, double tolerance) {
  const double dx = goal.x - pose.p.x, dy = goal.y - pose.p.y;
  return dx * dx + dy * dy <= tolerance * tolerance;
}

// ------------------------------------------------------------------------------------------------- random walk

struct WalkMemory {
  double turn = 0;           // rad/s wanted while driving freely
  std::int8_t escape = 0;    // -1, 1: turning away to that side until the way is free; 0: driving
  std::int8_t retreat = 0;   // -1, 1: backing off, or going on, from where it could not even turn
  std::int32_t blocked = 0;  // decisions in a row without progress; of a retreat: still to go
  double last_x = 0, last_y = 0;
};
template <class V, MaybeConst<WalkMemory> T>
void fields(V& v, T& m) {
  v("turn", m.turn), v("escape", m.escape), v("retreat", m.retreat), v("blocked", m.blocked);
  v("last_x", m.last_x), v("last_y", m.last_y);
}

constexpr std::int32_t kBlocked = 5;   // decisions without progress that are too many
constexpr std::int32_t kRetreat = 10;  // decisions that a retreat takes

class RandomWalk final : public DriverWith<WalkMemory> {
 public:
  void decide(const DriverView& view, Random& random, DriverActions& actions) override {
    const Pose& pose = view.world.snapshot().state(view.slot).pose;
    const double own = circumscribed_radius(view.model);
    const double range = std::min(view.spec.range, view.view_radius);
    static thread_local std::vector<Slot> near;
    near.clear();
    view.grid.query(view.world.snapshot(), pose.p.x, pose.p.y, own + 0.6, view.slot, near);
    const Heading h = heading_of(pose);
    // cos and sin of 35 degrees: rays ahead and to both sides.
    const double ahead = free_distance(view, pose, h, range, own, near);
    const double left = free_distance(view, pose, turned(h, 0.8191520442889918, 0.5735764363510461), range, own, near);
    const double right =
        free_distance(view, pose, turned(h, 0.8191520442889918, -0.5735764363510461), range, own, near);
    const double need = own + 0.25;

    const double moved = math::hypot(pose.p.x - memory_.last_x, pose.p.y - memory_.last_y);
    memory_.last_x = pose.p.x, memory_.last_y = pose.p.y;
    const double speed = view.spec.speed * view.model.max_speed, turn = view.spec.speed * view.model.max_turn_rate;
    const bool turns = std::fabs(view.world.snapshot().state(view.slot).twist.w.z) > 0.05 * turn;
    if (memory_.retreat != 0) {
      if (--memory_.blocked > 0) return retreat(speed, turn, actions);
      memory_.retreat = 0;
    } else {
      const bool progress = moved >= 0.1 * speed * seconds(view.spec.period) || (memory_.escape != 0 && turns);
      memory_.blocked = progress ? 0 : memory_.blocked + 1;
    }

    const bool free = ahead > need && left > own + 0.05 && right > own + 0.05;
    if (memory_.escape != 0 && memory_.blocked > kBlocked) {  // wedged in: it cannot even turn to this side
      memory_.escape = random.below(2) == 0 ? 1 : -1;
      memory_.retreat = random.below(2) == 0 ? 1 : -1;
      memory_.blocked = kRetreat;
      return retreat(speed, turn, actions);
    }
    if (memory_.escape == 0 && (!free || memory_.blocked > kBlocked)) {
      memory_.escape = left > right ? 1 : left < right ? -1 : random.below(2) == 0 ? 1 : -1;
      if (memory_.blocked > kBlocked && random.below(2) == 0)
        memory_.escape = static_cast<std::int8_t>(-memory_.escape);
      memory_.blocked = 0;
    } else if (memory_.escape != 0 && free && random.below(3) != 0) {
      memory_.escape = 0;
      memory_.blocked = 0;
    }
    if (memory_.escape != 0) {
      actions.command.w.z = memory_.escape * 0.6 * turn;
      actions.command.v.x = view.model.drive == Drive::kDifferential ? 0 : -0.4 * speed;
      return;
    }
    memory_.turn = clamp(0.9 * memory_.turn + 0.1 * turn * (random.uniform() - 0.5), -0.3 * turn, 0.3 * turn);
    actions.command.v.x = speed * clamp((ahead - own) / 0.6, 0.2, 1);
    actions.command.w.z = memory_.turn;
  }

 private:
  void retreat(double speed, double turn, DriverActions& actions) const {
    actions.command.v.x = memory_.retreat * 0.4 * speed;
    actions.command.w.z = memory_.escape * 0.3 * turn;
  }
};

// ---------------------------------------------------------------------------------------------------- waypoints

struct RouteMemory {
  std::uint32_t next = 0;
  bool finished = false;
};
template <class V, MaybeConst<RouteMemory> T>
void fields(V& v, T& m) {
  v("next", m.next), v("finished", m.finished);
}

class Route final : public DriverWith<RouteMemory> {
 public:
  void decide(const DriverView& view, Random&, DriverActions& actions) override {
    const std::vector<Vec2>& points = view.spec.waypoints;
    if (points.empty() || memory_.finished) return;
    if (memory_.next >= points.size()) memory_.next = 0;
    const Pose& pose = view.world.snapshot().state(view.slot).pose;
    if (reached(pose, points[memory_.next], view.spec.tolerance) && ++memory_.next == points.size()) {
      memory_.next = 0;
      memory_.finished = !view.spec.loop;
    }
    if (memory_.finished || reached(pose, points[memory_.next], view.spec.tolerance))
      return;  // a loop of one point ends
    actions.command = towards(view, pose, points[memory_.next]);
  }
};

// ------------------------------------------------------------------------------------------------- right of way

// What a robot sends the others: where it is and the way it means to go within the horizon.
struct Intent {
  double x = 0, y = 0;    // m, world
  double vx = 0, vy = 0;  // m/s, world: wanted velocity
  double radius = 0;      // m
};
template <class V, MaybeConst<Intent> T>
void fields(V& v, T& i) {
  v("x", i.x), v("y", i.y), v("vx", i.vx), v("vy", i.vy), v("radius", i.radius);
}

struct ReceivedIntent {
  WorldNumber from = kNoEntity;
  Instant at{};
  Intent intent;
};
template <class V, MaybeConst<ReceivedIntent> T>
void fields(V& v, T& h) {
  v("from", h.from), v("at", h.at), v("intent", h.intent);
}

struct RightOfWayMemory {
  bool has_goal = false;
  Vec2 goal;
  std::int32_t waiting = 0;           // decisions in a row spent yielding or blocked
  std::vector<ReceivedIntent> heard;  // latest intent of each sender, by number
};
template <class V, MaybeConst<RightOfWayMemory> T>
void fields(V& v, T& m) {
  v("has_goal", m.has_goal), v("goal", m.goal), v("waiting", m.waiting), v("heard", m.heard);
}

constexpr const char* kIntentTopic = "intent";
constexpr Duration kIntentLife = std::chrono::seconds(1);
constexpr double kHorizon = 3.0;          // s
constexpr std::size_t kMaxIntents = 256;  // oldest sender numbers beyond it are not kept

// Least distance of two points that move at constant velocity during the horizon, m.
double closest(const Intent& a, const Intent& b) {
  const double dx = b.x - a.x, dy = b.y - a.y, vx = b.vx - a.vx, vy = b.vy - a.vy;
  const double vv = vx * vx + vy * vy;
  const double t = vv > 0 ? clamp(-(dx * vx + dy * vy) / vv, 0, kHorizon) : 0;
  return math::hypot(dx + t * vx, dy + t * vy);
}

class RightOfWay final : public DriverWith<RightOfWayMemory> {
 public:
  bool subscribes_to(const std::string& topic) const override { return topic == kIntentTopic; }

  void receive(const Message& message, Instant now) override {
    ReceivedIntent heard{message.from, now, {}};
    if (!convoy::load(message.payload, heard.intent)) return;
    auto& list = memory_.heard;
    auto it = std::lower_bound(list.begin(), list.end(), heard.from,
                               [](const ReceivedIntent& h, WorldNumber n) { return h.from < n; });
    if (it != list.end() && it->from == heard.from) *it = heard;
    else if (list.size() < kMaxIntents) list.insert(it, heard);
  }

  void decide(const DriverView& view, Random& random, DriverActions& actions) override {
    const Pose& pose = view.world.snapshot().state(view.slot).pose;
    std::erase_if(memory_.heard, [&](const ReceivedIntent& h) { return view.now - h.at > kIntentLife; });
    if (memory_.has_goal && (reached(pose, memory_.goal, view.spec.tolerance) || memory_.waiting > 40))
      memory_.has_goal = false;
    for (int tries = 0; !memory_.has_goal && tries < 4; ++tries) choose_goal(view, pose, random);

    Twist wanted = memory_.has_goal ? towards(view, pose, memory_.goal) : Twist{};
    const Heading h = heading_of(pose);
    const Intent mine{pose.p.x, pose.p.y, wanted.v.x * h.cos, wanted.v.x * h.sin, circumscribed_radius(view.model)};
    if (must_yield(view.self, mine)) wanted.v.x = 0;
    static thread_local std::vector<Slot> near;
    near.clear();
    view.grid.query(view.world.snapshot(), pose.p.x, pose.p.y, mine.radius + 0.4, view.slot, near);
    if (free_distance(view, pose, h, 1.0, mine.radius, near) < 0.05 && wanted.v.x > 0) wanted.v.x = 0;
    const bool still = std::fabs(wanted.v.x) < 1e-3 && std::fabs(wanted.w.z) < 0.1;
    memory_.waiting = still ? memory_.waiting + 1 : 0;
    actions.command = wanted;
    actions.sent.push_back({kIntentTopic, convoy::save(mine)});
  }

 private:
  void choose_goal(const DriverView& view, const Pose& pose, Random& random) {
    double sin, cos;
    math::sincos(random.uniform(-math::kPi, math::kPi), sin, cos);
    const double margin = circumscribed_radius(view.model) + 0.3;
    const double free = view.world.map().ray(pose.p.x, pose.p.y, cos, sin, view.spec.range + margin) - margin;
    if (free < 0.3) return;
    const double length = free * random.uniform(0.5, 1.0);
    memory_.goal = {pose.p.x + length * cos, pose.p.y + length * sin};
    memory_.has_goal = true;
    memory_.waiting = 0;
  }

  // Robots of smaller number go first; one that is already close and would come closer makes this one wait.
  bool must_yield(WorldNumber self, const Intent& mine) const {
    for (const ReceivedIntent& h : memory_.heard) {
      if (h.from >= self) continue;
      if (closest(mine, h.intent) < mine.radius + h.intent.radius + 0.1) return true;
    }
    return false;
  }
};

}  // namespace

std::unique_ptr<Driver> make_driver(const DriverSpec& spec) {
  switch (spec.kind) {
    case DriverKind::kRandomWalk: return std::make_unique<RandomWalk>();
    case DriverKind::kWaypoints: return std::make_unique<Route>();
    case DriverKind::kRightOfWay: return std::make_unique<RightOfWay>();
    case DriverKind::kNone: break;
  }
  return nullptr;
}

}  // namespace convoy
