// URLab's streams for the robots of one client: states, controls, info, calls and cameras on a block of ports.
//
//   first     state out     robot/joint/..., robot/sensor/..., robot/base_state/..., robot/twist, robot/actions,
//                           robot/sample/...
//   first+1   control in    robot/control, robot/set_gains
//   first+2   info out      JSON, one message a robot
//   first+4   calls         requests and replies, msgpack or JSON (calls.h)
//   first+3, first+5 ...    one camera each
//
// Controls are read before each tick, in free mode before each physics step, and act in it; states leave after it. What
// comes from strangers and makes no sense is counted. Nothing is computed without a subscriber.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "adapters/zmq/calls.h"
#include "adapters/zmq/cameras.h"
#include "adapters/zmq/command_stream.h"
#include "adapters/zmq/info_stream.h"
#include "adapters/zmq/state_stream.h"
#include "agent/taker_list.h"

namespace convoy::zmq {

inline constexpr Duration kIdlePeriod = std::chrono::milliseconds(100);  // states again, while no tick comes
inline constexpr Duration kIdlePicturePeriod = std::chrono::milliseconds(500);

struct StreamsOptions {
  Block block;
  WireProfile profile = WireProfile::kSeed;
  PictureHeader header = PictureHeader::kNone;
  CallsOptions calls;       // but the doors
  std::uint64_t nonce = 0;  // in the names of sessions: another in each process
};

class Streams final : public Gateway {
 public:
  // kUnavailable: a port is taken.
  static Result<std::unique_ptr<Streams>> open(StreamsOptions options, Log& log);
  ~Streams() override;

  void before_tick(const Fleet& fleet, Tick k, std::vector<Input>& inputs) override;
  void after_tick(const Fleet& fleet, Tick reached, const Snapshot& states) override;
  void before_step(const Fleet& fleet, std::vector<Input>& inputs) override;
  void after_step(const Fleet& fleet, const Snapshot& states) override;
  void on_time(const Fleet* fleet, Moment now) override;
  Moment deadline() const override { return at_.beat; }
  void at_boundary(const Fleet& fleet, const HostPosition& position) override;
  std::optional<Tick> horizon() const override { return control_.stepping().horizon(); }
  bool awaits_held_at() const override { return control_.stepping().entering(); }
  void held_at(const Fleet* fleet, std::uint32_t run, Tick tick) override;
  std::vector<GatewayWish> take_wishes() override { return control_.take_wishes(); }
  void answered(const Fleet* fleet, const GatewayAnswer& answer) override;
  SampleTaker* taker() override { return takers_.taker(); }
  std::vector<int> descriptors() const override { return {door_->descriptor()}; }
  std::vector<GatewayCount> counts() const override { return counters_.list(); }

 private:
  Streams(StreamsOptions options, Log& log);
  Status open_sockets();
  void follow(const Fleet& fleet);
  void serve(const Fleet* fleet);
  void send_answers();
  void beat(const Fleet& fleet);

  StreamsOptions options_;
  Log& log_;
  StreamsCounters counters_;
  Context context_;
  control::ControlCore control_;
  Calls calls_;
  std::unique_ptr<Socket> door_;
  std::optional<InfoStream> info_;
  std::optional<StateStream> state_;
  std::optional<CommandStream> commands_;
  Cameras cameras_;
  TakerList takers_;
  std::uint64_t version_ = 0;  // of the roster
  bool ticked_ = false;        // since the clock was last read
  Moment now_{};
  struct {
    Moment beat{}, picture{};  // the next one
    Moment tick{};             // the last one
  } at_;
};

}  // namespace convoy::zmq
