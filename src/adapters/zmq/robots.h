// The robots of a client as calls see them: what they are made of, what they count, and what they were told since the
// last tick.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "adapters/zmq/layout.h"
#include "adapters/zmq/values.h"
#include "agent/gateway.h"

namespace convoy::zmq {

inline constexpr double kUntold = std::numeric_limits<double>::quiet_NaN();  // of a control: leave it as it is

// What an answer shows of a robot: qpos and qvel; and act and sensors; and ctrl.
enum class Level : std::uint8_t { kNone, kMinimal, kStandard, kFull };
struct Shown {
  Level level = Level::kStandard;
  bool packed = false;
  std::vector<WorldNumber> robots;
};

// Are these the fleet's agents, in their order?
template <class Robot>
bool are_agents_of(const Fleet& fleet, const std::vector<Robot>& robots) {
  return std::equal(fleet.all().begin(), fleet.all().end(), robots.begin(), robots.end(),
                    [](const auto& agent, const Robot& robot) { return agent->number() == robot.number; });
}

// A setting of the robot's controller.
void add_parameter(std::vector<Input>& inputs, WorldNumber robot, std::string name, std::string value, Source source);

// What a patch says; as many inputs as gain_inputs() counts.
void add_gains(std::vector<Input>& inputs, WorldNumber robot, const GainPatch& patch);
std::size_t gain_inputs(const GainPatch& patch);

class Robots {
 public:
  struct Robot {
    WorldNumber number = kNoEntity;
    std::string name, model;
    bool has_drive = false, from_engine = false;
    Panel panel;
    // Told since the last tick.
    std::vector<double> controls;  // by actuator; NaN: nothing
    bool any_control = false;
    std::optional<Twist> twist;
    std::optional<Source> source;  // who shall rule it
    std::optional<std::uint32_t> actions;
    std::vector<GainPatch> gains;  // one an actuator
  };

  // They are the fleet's agents, which come, go and move between hosts.
  void follow(const Fleet& fleet);
  Robot* find(std::string_view name);
  const Robot* find(std::string_view name) const { return const_cast<Robots*>(this)->find(name); }
  Robot* find(WorldNumber number);
  const Robot* find(WorldNumber number) const { return const_cast<Robots*>(this)->find(number); }
  const std::vector<Robot>& all() const { return robots_; }
  void forget_commands();

  // Where states of the boundary stand that the agents have reached, until all others have; null: in the snapshot.
  void set_ahead(const Snapshot* states) { ahead_ = states; }
  void give(std::size_t& room, std::vector<Input>& inputs);
  // Borrowed until the next call or tick.
  EngineView view(const Fleet& fleet, const Robot& robot);
  Json describe(const Robot& robot) const;
  Json show(const Fleet& fleet, const Robot& robot, Level level);
  // Little-endian f64: qpos, qvel, then act and sensors, then ctrl.
  void pack(const Fleet& fleet, const Robot& robot, Level level, Bytes& out);

  // All that moves it, and back; nothing: these are not the bytes of such a robot.
  Bytes state(const Fleet& fleet, const Robot& robot, Tick tick) const;
  std::optional<PutBody> read_state(const Fleet& fleet, const Robot& robot, ByteView bytes) const;
  // Where it would be with these values; nothing: they do not fit.
  std::optional<PutBody> propose(const Fleet& fleet, const Robot& robot, const EngineValues& values, Tick tick) const;
  // A keyframe, with what is free put as if the robot's place of creation were the world's origin.
  EngineValues keyframe(const Fleet& fleet, const Robot& robot, std::size_t index) const;

 private:
  const Snapshot& present(const Fleet& fleet) const { return ahead_ ? *ahead_ : fleet.world().snapshot(); }

  std::vector<Robot> robots_;  // by world number
  std::map<std::string, std::size_t, std::less<>> by_name_;
  const Snapshot* ahead_ = nullptr;
  std::vector<double> row_;
};

}  // namespace convoy::zmq
