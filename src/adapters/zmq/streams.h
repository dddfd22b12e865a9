// URLab's streams for the robots of one client: states, controls, info, calls and cameras on a block of ports.
//
//   first     state out     robot/joint/..., robot/sensor/..., robot/base_state/..., robot/twist, robot/actions
//   first+1   control in    robot/control, robot/set_gains
//   first+2   info out      JSON, one message a robot
//   first+4   calls         requests and replies, msgpack or JSON (calls.h)
//   first+3, first+5 ...    one camera each
//
// Controls are read before each tick and act in it; states leave after it. What comes from strangers and makes no sense
// is counted. Nothing is computed that nobody has subscribed to.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "adapters/zmq/calls.h"
#include "adapters/zmq/info_rhythm.h"
#include "adapters/zmq/layout.h"
#include "adapters/zmq/publisher.h"
#include "adapters/zmq/socket.h"
#include "agent/gateway.h"
#include "core/ports.h"

namespace convoy::zmq {

inline constexpr std::uint16_t kBlock = 20;                              // ports that one client uses
inline constexpr int kMaxHeardAtOnce = 10'000;                           // messages read before one tick
inline constexpr std::size_t kMaxPrefixes = 10'000;                      // that peers may subscribe to
inline constexpr Duration kIdlePeriod = std::chrono::milliseconds(100);  // states again, while no tick comes
inline constexpr Duration kPicturePeriod = std::chrono::milliseconds(100);

struct StreamsOptions {
  std::string listen = "127.0.0.1";
  std::uint16_t port = 5555;  // the first of the block
  WireProfile profile = WireProfile::kSeed;
  std::string secret_key;  // CURVE; empty: in the clear
  CallsOptions calls;      // but the doors
};

struct StreamsCounters {
  std::uint64_t received = 0, published = 0;
  // Why something that came was dropped, whole or in part.
  std::uint64_t malformed = 0, unknown_topic = 0, unknown_robot = 0, unknown_actuator = 0, not_finite = 0, too_many = 0;
  std::uint64_t leased = 0;
  std::uint64_t dropped() const {
    return malformed + unknown_topic + unknown_robot + unknown_actuator + not_finite + too_many + leased;
  }
  std::vector<GatewayCount> list() const;
  std::string text() const;
};

class Streams final : public Gateway {
 public:
  // kUnavailable: a port is taken.
  static Result<std::unique_ptr<Streams>> open(StreamsOptions options, Log& log);
  ~Streams() override;

  void before_tick(const Fleet& fleet, Tick k, std::vector<Input>& inputs) override;
  void after_tick(const Fleet& fleet, Tick reached, const Snapshot& states) override;
  void on_time(const Fleet* fleet, Moment now) override;
  Moment deadline() const override { return next_beat_; }
  void at_boundary(const Fleet& fleet, const Standing& standing) override;
  std::optional<Tick> horizon() const override { return calls_->horizon(); }
  bool awaits_held_at() const override { return calls_->entering(); }
  void held_at(const Fleet* fleet, std::uint32_t run, Tick tick) override;
  std::vector<GatewayWish> take_wishes() override { return calls_->take_wishes(); }
  void answered(const Fleet* fleet, const GatewayAnswer& answer) override;
  std::vector<int> descriptors() const override { return {door_->descriptor()}; }
  std::vector<GatewayCount> counts() const override { return counters_.list(); }

  const StreamsCounters& counters() const { return counters_; }

 private:
  struct Line {  // one topic of a robot
    std::string topic;
    bool wanted = false;
  };
  struct Camera {
    std::string name, topic, endpoint;
    int place = 0;  // in the block
    std::unique_ptr<Socket> socket;
    std::set<std::string> prefixes;
  };
  struct Robot {
    WorldNumber number = kNoEntity;
    std::string name;
    bool has_drive = false, from_engine = false;
    Panel panel;
    std::vector<Line> joints, bases, sensors;
    Line twist, actions;
    bool wanted = false;  // any of them
    std::vector<Camera> cameras;
    // Said last, to say again while the run waits.
    bool known = false;  // they were read
    PanelReadings readings;
    Twist told;
    std::uint32_t held_keys = 0;
    // Commands since the last tick.
    std::map<std::uint32_t, double> controls;
    std::vector<GainPatch> gains;  // the last that came
    bool new_gains = false;
  };

  Streams(StreamsOptions options, Log& log) : options_(std::move(options)), log_(log) {}
  Status open_sockets();
  SocketOptions socket_at(SocketOptions::Kind kind, int port) const;
  void follow(const Fleet& fleet);
  Robot make_robot(const Fleet& fleet, const Agent& agent);
  void add_cameras(Robot& robot);
  Robot* find(std::string_view name);
  void hear();
  void take_gains(Robot& robot, ByteView payload);
  void give_gains(Robot& robot, std::size_t& room, std::vector<Input>& inputs);
  void take(ByteView topic, ByteView payload);
  void serve(const Fleet* fleet);
  void send_answers();
  template <class Publishing>
  bool take_subscriptions(Publishing& socket, std::set<std::string>& prefixes);
  void find_wanted();
  void read(const Fleet& fleet, Robot& robot, Instant at, const Snapshot& states);
  void say(const Robot& robot);
  void say_again(const Fleet& fleet);
  void say_info();
  void show();

  StreamsOptions options_;
  Log& log_;
  Context context_;
  std::unique_ptr<Publisher> state_;
  std::unique_ptr<Socket> control_, info_, door_;
  std::unique_ptr<Calls> calls_;
  std::set<int> camera_places_;                     // in use
  std::set<std::string> prefixes_, info_prefixes_;  // subscribed to
  std::vector<Robot> robots_;                       // as the fleet's agents
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::vector<Bytes> parts_;
  std::vector<ControlPair> pairs_;
  Bytes payload_, picture_;
  StreamsCounters counters_;
  InfoRhythm rhythm_;
  bool ticked_ = false;  // since the last look at the clock
  bool told_trouble_ = false;
  std::uint64_t pictures_ = 0;
  Moment now_{}, next_beat_{}, last_tick_{}, next_picture_{};
};

}  // namespace convoy::zmq
