// The engine values of robots at the boundary that they have reached, and the edits that put robots elsewhere.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "control/roster.h"

namespace convoy::control {

// A robot to be put somewhere: into a keyframe, and over that these values. What neither names stays as it is.
struct Put {
  WorldNumber robot = kNoEntity;
  std::optional<std::size_t> keyframe;  // of its panel
  std::vector<double> qpos, qvel;       // the first of them, as many as are given; in the world
  std::vector<std::pair<std::size_t, double>> qpos_at, qvel_at;  // single ones
  std::vector<std::pair<std::size_t, Pose>> mocaps;              // of its panel, in the world
};

// Robots are of the roster, and the fleet has their agents.
class Bodies {
 public:
  // The states that the agents have reached, until the snapshot has them; null: those of the snapshot.
  void set_ahead(const Snapshot* states) { ahead_ = states; }

  // Borrowed until the next call or tick. A robot without an engine has the counts of its panel.
  EngineView view(const Fleet& fleet, const RobotEntry& robot);
  // The twist that was commanded from outside the run.
  Twist operator_twist(const Fleet& fleet, const RobotEntry& robot) const;

  // All that moves it, as bytes, and back; nothing: these are not the bytes of such a robot.
  Bytes save(const Fleet& fleet, const RobotEntry& robot, Tick tick) const;
  std::optional<PutBody> load(const Fleet& fleet, const RobotEntry& robot, ByteView bytes) const;

  // What puts it where it is wanted; `tick`: its boundary.
  struct Move {
    bool fits = false;
    std::optional<PutBody> edit;  // nothing: it stays as it is
  };
  Move move(const Fleet& fleet, const RobotEntry& robot, const Put& put, Tick tick);

 private:
  const Snapshot& present(const Fleet& fleet) const { return ahead_ ? *ahead_ : fleet.world().snapshot(); }
  PutBody body(const Fleet& fleet, const RobotEntry& robot, Tick tick) const;
  std::optional<PutBody> propose(const Fleet& fleet, const RobotEntry& robot, const EngineValues& values,
                                 Tick tick) const;

  const Snapshot* ahead_ = nullptr;
  std::vector<double> row_;
};

// What a robot's panel reads at a state of its own: of its engine, or of what state and tail show.
void read_panel(const Fleet& fleet, const RobotEntry& robot, const Snapshot& states, PanelReadings& out);

}  // namespace convoy::control
