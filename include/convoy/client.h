// A client for programs that are no part of Convoy: join a run with your own simulator, tool or controller.
//
//   auto client = convoy::Client::connect({.address = "127.0.0.1:7447", .name = "mine"});
//   if (!client) return complain(client.error().message());
//   while (client->poll(10ms)) {                        // until the run is over
//     client->push("convoy.Vehicle", convoy::ElementId(1), *client->now(), bytes);
//     for (const convoy::ElementEvent& event : client->drain()) ...
//     for (const convoy::EntityState& robot : client->entities()) ...
//   }
//
// Elements are protobuf messages of any type with the fields connection, id and stamp (docs/foreign.md); they cross
// this header as the type's name and serialised bytes. Poses and twists are in the world frame, SI units.
//
// Threads: none of its own; all calls of one Client from one thread. The network works only inside connect(), poll(),
// the calls and leave(): poll at least every second, or the server takes this program for dead.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "convoy/geometry.h"
#include "convoy/ids.h"
#include "convoy/result.h"
#include "convoy/time.h"

namespace convoy {

// Free exchange with the server's user function, after joining and before this program counts as ready.
class TcpPhase {
 public:
  virtual ~TcpPhase() = default;
  // At most 1 MiB.
  virtual Status send(std::span<const std::uint8_t> bytes) = 0;
  // kUnavailable: nothing came within `timeout`, or the server is gone.
  virtual Result<std::vector<std::uint8_t>> receive(Duration timeout) = 0;
};

struct ElementEvent {
  enum class Kind : std::uint8_t { kAppeared, kChanged, kGone };
  Kind kind{};
  std::string type;                 // "convoy.Vehicle"
  Owner connection;                 // who owns it
  ElementId id;                     // the owner's number for it
  Instant stamp{};                  // kGone: 0
  std::vector<std::uint8_t> bytes;  // kGone: empty
};

struct EntityState {
  WorldNumber number = kNoEntity;  // never used again in the run
  std::string name, model;
  Pose pose;                             // X_WB, m
  Twist twist;                           // of B in W, m/s and rad/s, expressed in W
  Instant stamp{};                       // of all of it
  std::vector<double> joints;            // positions, rad or m, in the model's order
  std::vector<double> joint_velocities;  // rad/s or m/s
  WorldNumber parent = kNoEntity;        // the entity on which it rides
  Owner owner = kNobody;                 // the connection that runs it
  bool frozen = false;                   // whoever ran it is gone: it stands where it was
  std::vector<std::string> tags;
  std::uint64_t jumps = 0;  // how often it was put somewhere, attached or parted
};

// Weather and what bodies feel everywhere. All from 0 to 1, but for the hours.
struct Weather {
  double fog = 0, rain = 0, wetness = 0, cloudiness = 0, road_damage = 0;
  double time_of_day = 12;      // h
  std::optional<Vec3> gravity;  // m/s^2, in the world; nothing: as the robots' files say
  std::optional<Vec3> wind;     // m/s
  friend bool operator==(const Weather&, const Weather&) = default;
};

// One touch of a robot's body, as its physics has it at a boundary. Vectors are expressed in the world.
struct Contact {
  std::string body;        // of the robot; empty: it is one body
  std::string other;       // the other entity; empty: the robot's own file, or the static world
  std::string other_body;  // of the robot's own file; empty: not that
  Vec3 position, normal;   // m; the normal points to the robot's body
  Vec3 force;              // on the robot's body, N; 0 of a robot of the built-in physics, which knows none
  double depth = 0;        // m; below 0: a gap
};

struct SpawnOptions {
  std::string name;      // unique; letters, digits and '_', a letter first
  std::string model;     // one of the scenario's
  Pose pose;             // in `frame`
  std::string frame;     // an entity's name; empty: the world
  std::string host;      // robot client that shall run it; empty: the server chooses
  std::string keyframe;  // of its model, in which it begins; empty: the model's own start
  std::string ns;        // namespace of its interfaces; empty: its name
  std::vector<std::string> tags;
};

// Functions that poll() calls; any may be empty. They may call everything of the Client but poll(), and the references
// end with the call.
struct WatchFunctions {
  std::function<void(const EntityState&)> appeared, changed, gone;  // changed: pose, twist or joints
  std::function<void(const EntityState&)> moved;                    // it did not go there: somebody put it there
  std::function<void(const EntityState&)> attached;                 // it rides on another now, or on none any more
  std::function<void(const EntityState&)> tagged;                   // it has other tags
  std::function<void(const EntityState&)> owner_changed;            // another runs it now, or nobody
  std::function<void(const Weather&)> weather;                      // at first too
};

// What a program draws for those who look at the run (docs/page.md): nothing of it is in the world.
struct Drawing {
  enum class Kind : std::uint8_t {
    kLines,   // a pair of points each
    kStrip,   // one line through all points
    kArrows,  // a pair of points each, from the first to the second
    kPoints,
    kText,  // at the first point
  };
  std::string name;  // unique in the run: it takes the place of another's of that name
  Kind kind = Kind::kLines;
  std::vector<Vec3> points;  // in `frame`, m
  std::string frame{};       // an entity, with which it moves; empty: the world
  std::string text{};
  std::string color{};  // #rrggbb or #rrggbbaa; empty: amber
  double size = 0;      // of lines, points and letters, m; 0: thin, small
  Duration lasts{0};    // of simulated time; 0: until it is erased, or the whole world is reset
};

// What a program asks of the server. Calls block until the server reports their outcome. The Error's text is the
// server's, or that of the deadline: kUnavailable, and the call may still be carried out.
class ClientCalls {
 public:
  Result<WorldNumber> spawn(const SpawnOptions& options, Duration deadline = std::chrono::seconds(5));  // its number
  Status remove(std::string_view entity, Duration deadline = std::chrono::seconds(5));
  struct Drive {
    double forward = 0;  // m/s
    double turn = 0;     // rad/s, to the left
    Duration hold{0};    // of simulated time; 0: the model's
  };
  // client.drive("courier_1", {.forward = 0.2, .turn = 0.5})
  Status drive(std::string_view robot, const Drive& drive, Duration deadline = std::chrono::seconds(5));
  struct Control {  // what one actuator is told
    std::string actuator;
    double value = 0;
  };
  // Actuators by name, in the model's units, from the next tick on; what is not named keeps its control.
  Status control(std::string_view robot, std::span<const Control> controls,
                 Duration deadline = std::chrono::seconds(5));
  struct Gains {  // of one actuator; what is absent stays as it is
    std::string actuator;
    std::optional<double> kp{}, kv{}, torque_limit{};
  };
  // Of a MuJoCo robot's motors, which turn targets into torques by PD from the next tick on.
  Status set_gains(std::string_view robot, std::span<const Gains> gains, Duration deadline = std::chrono::seconds(5));
  // Puts an entity somewhere, at rest unless `twist` is given; relative to the entity `frame`, if it is not empty.
  Status set(std::string_view entity, const Pose& pose, std::optional<Twist> twist = {}, std::string_view frame = {},
             Duration deadline = std::chrono::seconds(5));
  // From now on the child rides on the parent, where it stands relative to it; and goes its own way again.
  Status attach(std::string_view parent, std::string_view child, Duration deadline = std::chrono::seconds(5));
  Status detach(std::string_view child, Duration deadline = std::chrono::seconds(5));
  // These, instead of the tags that it has.
  Status set_tags(std::string_view entity, const std::vector<std::string>& tags,
                  Duration deadline = std::chrono::seconds(5));
  // To their beginning; none named: the whole world, to tick 0.
  Status reset(std::span<const std::string> robots = {}, Duration deadline = std::chrono::seconds(5));
  // Of the whole run. step() while it is paused; it returns when the ticks are done. kState: it is not paused.
  Status pause(Duration deadline = std::chrono::seconds(5));
  Status resume(Duration deadline = std::chrono::seconds(5));
  Status step(std::uint64_t ticks, Duration deadline = std::chrono::seconds(30));
  // Robots for this program alone, under its name, until it gives them back or leaves: who commands them through any
  // other door is refused. All of them or none; kLeased: another has one.
  Status lease(std::span<const std::string> robots, Duration deadline = std::chrono::seconds(5));
  // Empty: all that it has.
  Status release(std::span<const std::string> robots = {}, Duration deadline = std::chrono::seconds(5));
  // Relative to the entity `frame`, if it is not empty.
  Result<EntityState> get(std::string_view entity, std::string_view frame = {},
                          Duration deadline = std::chrono::seconds(5));

  // Of a MuJoCo robot, from the tick at the next boundary on; each is journalled. kNotFound: it has no such part.
  // A force (N) and a torque (N m) in the world on one body (empty: the base), at its centre of mass, for `lasts`; they
  // take the place of what pushes that body already, and `lasts` 0 ends it.
  Status push_body(std::string_view robot, std::string_view body, Vec3 force, Vec3 torque, Duration lasts,
                   Duration deadline = std::chrono::seconds(5));
  // rad or m, and per second.
  Status put_joint(std::string_view robot, std::string_view joint, double position, double velocity = 0,
                   Duration deadline = std::chrono::seconds(5));
  // A mocap body's pose in the world.
  Status put_mocap(std::string_view robot, std::string_view body, const Pose& pose,
                   Duration deadline = std::chrono::seconds(5));
  // An option of its engine, by its name in MJCF's <option>; `solver` is 0 PGS, 1 CG, 2 Newton.
  Status set_option(std::string_view robot, std::string_view option, double value,
                    Duration deadline = std::chrono::seconds(5));
  Result<std::vector<Contact>> contacts(std::string_view robot, Duration deadline = std::chrono::seconds(5));
  // What a sensor of a robot shows, as JSON: sensor, type, message, period, index, stamp_ns, data (docs/sensors.md). Without
  // a sensor: which the robot has, under `sensors`.
  Result<std::string> sensor(std::string_view robot, std::string_view sensor = {},
                             Duration deadline = std::chrono::seconds(5));
  // Which actuators a robot has, as JSON: robot, pd, actuators (name, joint, low, high, control, kp, kv, torque_limit;
  // docs/protocol.md, `actuators`).
  Result<std::string> actuators(std::string_view robot, Duration deadline = std::chrono::seconds(5));
  // All of it or nothing. kInvalid says what is wrong with which.
  Status draw(std::span<const Drawing> drawings, Duration deadline = std::chrono::seconds(5));
  // By name; none named: all, whoever drew them. kNotFound: no drawing has such a name.
  Status erase(std::span<const std::string> names = {}, Duration deadline = std::chrono::seconds(5));
  // What an entity is, where it is and how its joints stand (by name, in the model's order), as JSON (docs/protocol.md, `get`
  // with details).
  Result<std::string> describe(std::string_view entity, Duration deadline = std::chrono::seconds(5));
  // What is drawn now, as JSON (docs/protocol.md, `drawings`).
  Result<std::string> drawings(Duration deadline = std::chrono::seconds(5));
  // What runs here, as JSON: name, seed, map, environment, models, places where entities begin (docs/protocol.md, `world`).
  Result<std::string> world(Duration deadline = std::chrono::seconds(5));

 protected:
  struct Inside;
  explicit ClientCalls(std::unique_ptr<Inside> inside);
  ClientCalls(ClientCalls&&) noexcept;
  ClientCalls& operator=(ClientCalls&&) noexcept;
  ~ClientCalls();
  std::unique_ptr<Inside> inside_;
};

class Client : public ClientCalls {
 public:
  struct Options {
    std::string address = "127.0.0.1:7447";  // HOST:PORT
    std::string name;                        // unique in the run; empty: the server chooses
    std::string credentials;                 // empty: of a server of this user on this machine, what that has drawn
    // A serialised google.protobuf.FileDescriptorSet (protoc --include_imports -o) of your own types; those of
    // convoy/element.proto are known.
    std::vector<std::uint8_t> element_types;
    std::function<Status(TcpPhase&)> tcp_phase;   // may be empty; its Error ends connect()
    Duration timeout = std::chrono::seconds(10);  // for all of connect() but tcp_phase
  };
  // Joins, loads the scene, runs tcp_phase and reports that it is ready. kUnavailable: no server there; kDenied:
  // declined.
  static Result<Client> connect(Options options);
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();  // leaves

  // Lets the network work for `timeout` (0: only what is there), then calls the watch functions. The Error gives the
  // reason why it is over: the run has ended, the server is gone, or it broke the protocol.
  Status poll(Duration timeout);
  // In order, waiting a moment for the goodbye to get there.
  void leave();

  Owner connection() const;
  const std::string& name() const;
  bool free_mode() const;  // else lockstep
  bool running() const;    // the run has begun and the world is known here

  // The server's simulated time: by the synchronised clock in free mode; in lockstep that of the last whole tick, as
  // the last poll() showed it. Nothing before running().
  std::optional<Instant> now() const;

  // Sets one of this program's elements; it is sent at the next poll(), and again until the server has it. In lockstep
  // it takes effect for all at one boundary, and is in the journal with its tick. `id` is the program's own number for
  // it, `stamp` must grow from push to push. The common fields are filled in. kInvalid: unknown type, not such a
  // message, too large (64 KiB), or not a finite number in it; kState: not running().
  Status push(std::string_view type, ElementId id, Instant stamp, std::span<const std::uint8_t> bytes);
  // Takes one back: it goes for the others.
  void retract(ElementId id);
  // What happened to the others' elements since the last call, by (connection, id); the newest content of each. In
  // lockstep: up to the boundary that now() names, and as it was there.
  std::vector<ElementEvent> drain();

  // Lockstep: this program is done with the tick that the last poll() showed. What it pushed or took back before takes
  // effect at the next boundary, all of it; if the scenario waits for this program (wait_for), the next tick begins no
  // sooner than this. From the first call on, pushes leave with done() alone. Again for the same tick it does nothing;
  // in free mode neither. kState: not running().
  Status done();
  // Lockstep, instead of poll() and done(): the first call waits for a tick, each further one is done() with it and
  // waits for the next. kUnavailable: none began within `timeout`. In free mode it is poll().
  Status advance(Duration timeout);

  // As of the last poll(), by number.
  std::span<const EntityState> entities() const;
  const EntityState* find(std::string_view name) const;  // nullptr: no entity has the name
  Weather weather() const;                               // before running(): as by default
  // From the next poll() on; entities that are there already appear again.
  void watch(WatchFunctions functions);

  // Free mode: the server sends this program the states within `radius` m of a place, or of the entity `around`
  // wherever it goes, the nearest first; of what is farther away only that it comes and goes, and its state stays as it
  // was received last. At first, and with look_everywhere(), it sends everything. kState: not running, or lockstep,
  // where every program gets all states; kInvalid: not a positive number; kNotFound: no such entity.
  Status look_at(double x, double y, double radius);
  Status look_around(std::string_view entity, double radius);
  Status look_everywhere();

 private:
  explicit Client(std::unique_ptr<Inside> inside);
};

}  // namespace convoy
