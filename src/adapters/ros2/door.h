// The door of one robot client to ROS 2: its robots' nodes, and its own.
//
// Bytes come and go on the wires' own threads; all that is done with them is done here, on the host's thread: commands before
// a tick act in it, states leave after it. Nothing of it enters a digest but the inputs, which are journalled.
#pragma once

#include <memory>
#include <vector>

#include "adapters/ros2/audience.h"
#include "adapters/ros2/client_door.h"
#include "adapters/ros2/nodes_door.h"
#include "adapters/ros2/robot_doors.h"
#include "agent/gateway.h"

namespace convoy::ros2 {

class Door final : public Gateway, private SampleTaker {
 public:
  // The domain may be that of several doors, each a party of its own.
  // `importer`: reads descriptions of robots; none: they are refused. `sensors`: types of users' libraries, which outlive
  // the door; none: only Convoy's own are published.
  Door(std::shared_ptr<Domain> domain, Party party, Settings settings, std::uint64_t nonce, Log& log,
       std::unique_ptr<RobotImporter> importer = nullptr, UsersSensors* sensors = nullptr);
  ~Door() override;

  void before_tick(const Fleet& fleet, Tick k, std::vector<Input>& inputs) override;
  void after_tick(const Fleet& fleet, Tick reached, const Snapshot& states) override;
  void before_step(const Fleet& fleet, std::vector<Input>& inputs) override;
  void after_step(const Fleet& fleet, const Snapshot& states) override;
  void on_time(const Fleet* fleet, Moment now) override;
  Moment deadline() const override;
  void at_boundary(const Fleet& fleet, const HostPosition& position) override;
  std::optional<Tick> horizon() const override { return control_.stepping().horizon(); }
  bool awaits_held_at() const override { return control_.stepping().entering(); }
  void held_at(const Fleet* fleet, std::uint32_t run, Tick tick) override;
  std::vector<GatewayWish> take_wishes() override { return control_.take_wishes(); }
  void answered(const Fleet* fleet, const GatewayAnswer& answer) override;
  SampleTaker* taker() override { return this; }
  void left() override;
  std::vector<int> descriptors() const override { return domain_->descriptors(); }
  std::vector<GatewayCount> counts() const override;

 private:
  class Visit;  // a call from the host: the fleet is there while it lasts
  void keep_up(const Fleet& fleet);
  void spin(const Fleet* fleet);
  Instant clock_at(const Fleet& fleet, Tick tick) const { return instant(tick * nanos(fleet.tick())) + start_; }
  bool takes(WorldNumber robot, const SensorSpec& sensor, const DueSample& due) const override;
  void took(WorldNumber robot, const SensorSpec& sensor, const Sample& sample, Instant now) override;

  std::shared_ptr<Domain> domain_;
  Settings settings_;
  DoorCounts counts_;
  control::ControlCore control_;
  DoorHere here_;
  std::unique_ptr<RobotImporter> importer_;
  ClientDoor client_;
  RobotDoors robots_;
  NodesDoors nodes_;
  Audience audience_;
  std::uint32_t run_ = 0;
  Duration start_{};    // what clocks show at instant 0
  bool again_ = false;  // the run began anew
  Moment beat_{}, ticked_{};
};

}  // namespace convoy::ros2
