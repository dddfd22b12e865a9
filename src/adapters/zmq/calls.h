// Calls of programs outside: sessions, leases, stepped time, and what is done with robots. No sockets: bytes come in,
// and answers go out; what they ask of the world leaves as wishes (agent/gateway.h). docs/calls.md has all operations.
//
//   calls.take(peer, bytes, fleet, now);             // one request
//   for (auto& answer : calls.take_answers()) ...    // now, or after ticks and answers of the server
//
// Who steps has a boundary up to which it lets the world go; the host's horizon is the least of them. What commands it
// gives act in the first tick behind the boundary at which it waits.
#pragma once

#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "adapters/zmq/robots.h"

namespace convoy::zmq {

inline constexpr std::size_t kMaxSessions = 1000;
inline constexpr std::size_t kMaxOpenCalls = 10'000;                   // that wait for something
inline constexpr Duration kSlowStep = std::chrono::milliseconds(100);  // without a tick: is the run paused?
inline constexpr std::int64_t kMostTicks = 1'000'000;                  // of one step

struct CallsOptions {
  std::string doors = "{}";  // JSON: the endpoints of this client
  std::string version, mujoco_version;
  int mujoco_version_int = 0;
  std::uint64_t nonce = 0;          // in the names of sessions: another in each process
  double (*unix_time)() = nullptr;  // s; may be absent
};

// Why a call is not carried out.
struct Refusal {
  std::string code, message;
};
template <class T>
using Checked = tl::expected<T, Refusal>;
inline tl::unexpected<Refusal> refuse(std::string code, std::string message) {
  return tl::unexpected<Refusal>(Refusal{std::move(code), std::move(message)});
}

// All that a Refusal's code can be.
const std::vector<std::string>& error_codes();

class Calls {
 public:
  using Peer = std::vector<Bytes>;  // what stands before an answer to reach who has asked
  struct Answer {
    Peer peer;
    Bytes bytes;
  };

  explicit Calls(CallsOptions options);

  // `fleet`: null before there is a world.
  void take(Peer peer, ByteView request, const Fleet* fleet, Moment now);
  std::vector<Answer> take_answers() { return std::exchange(answers_, {}); }

  // As of a Gateway.
  void before_tick(const Fleet& fleet, std::size_t& room, std::vector<Input>& inputs);
  void after_tick(const Fleet& fleet, Tick reached, const Snapshot& states);
  void at_boundary(const Fleet& fleet, const Standing& standing);
  void on_time(const Fleet* fleet, Moment now);
  std::optional<Tick> horizon() const;
  void held_at(const Fleet* fleet, std::uint32_t run, Tick tick);
  std::vector<GatewayWish> take_wishes() { return std::exchange(wishes_, {}); }
  void answered(const Fleet* fleet, const GatewayAnswer& answer);

  // Does somebody's session rule this robot? Then nobody else commands it.
  bool leased(WorldNumber number) const { return owners_.count(number) > 0; }
  std::size_t sessions() const { return sessions_.size(); }
  // Does somebody wait to be told where the world stands?
  bool entering() const {
    return std::any_of(sessions_.begin(), sessions_.end(), [](const auto& one) { return one.second.entering; });
  }

 private:
  struct Session {
    Moment heard{};
    Duration timeout{};
    Level level = Level::kStandard;
    std::vector<WorldNumber> leases;  // in the order in which they were asked for
    std::optional<Tick> target;       // of who steps: the boundary up to which the world may go
    bool entering = false;            // the server has not said yet where the world stands for it
  };
  // A call that waits: for a boundary, for the server, for both in turn.
  struct Open {
    using Then = std::function<void(const Fleet&, Open&)>;
    Peer peer;
    Encoding encoding{};
    std::string op, session;
    bool ends = false;  // answered
    std::optional<Tick> until;
    std::set<std::uint64_t> asked;
    std::optional<Refusal> refused;  // by the server
    std::string text;                // of its last answer
    Tick tick = 0;
    Moment since{};
    Then then;  // once nothing is waited for
  };
  struct Call {
    const Json& request;
    const Fleet& fleet;
    Open& open;
    Session* session;  // null: it has none
  };
  struct Operation {
    const char *name, *category, *required, *returns;
    bool with_session;
    void (Calls::*carry_out)(Call&);
  };
  static const std::vector<Operation>& operations();

  // calls_time.cc: modes, steps, what concerns the whole run
  void hello(Call& call);
  void meta(Call& call);
  void status(Call& call);
  void bye(Call& call);
  void set_mode(Call& call);
  void set_paused(Call& call);
  void set_sim_speed(Call& call);
  void step(Call& call);
  Checked<Tick> ticks_of(const Call& call) const;
  Json hello_reply(const Fleet& fleet, const std::string& id, const Json& look) const;
  // calls_robots.cc: leases, resets, states, commands
  void lease(Call& call);
  void release(Call& call);
  void reset(Call& call);
  void get_state(Call& call);
  void set_state(Call& call);
  void set_twist(Call& call);
  void set_actions(Call& call);
  void set_control_source(Call& call);
  void set_gains(Call& call);
  void list_keyframes(Call& call);
  Checked<std::vector<WorldNumber>> named(const Call& call, const char* field, bool to_command) const;
  Checked<const Robots::Robot*> find(const Call& call, const std::string& name, bool to_command) const;
  std::vector<WorldNumber> robots_of(const Session* session) const;
  struct Command {
    WorldNumber number;
    std::vector<double> controls;  // NaN: leave as it is
  };
  Checked<std::vector<Command>> read_commands(const Call& call) const;
  Checked<std::vector<Command>> read_packed(const Call& call) const;
  // A robot to be put back, and what of it shall be otherwise then.
  struct Put {
    WorldNumber number;
    EngineValues values;
    int keyframe = -1;
  };
  Checked<Put> read_put(const Call& call, const Robots::Robot& robot, const Json* qpos, const Json* qvel,
                        const Json* keyframe) const;
  Checked<std::vector<Put>> read_resets(const Call& call) const;
  Checked<std::vector<Put>> read_reset_after(const Call& call) const;
  void put_back(Open& open, const Reset& reset, std::vector<Put> puts, Open::Then then);
  void put_them(const Fleet& fleet, Open& open, const std::vector<Put>& puts);

  Checked<Shown> read_shown(const Call& call) const;
  void show(const Fleet& fleet, Open& open, const Shown& shown);
  void reply(Open& open, Json fields);
  void refuse_open(Open& open, const Refusal& why);
  std::uint64_t wish(GatewayWish wish);
  std::uint64_t ask(Open& open, GatewayWish wanted);
  void settle(const Fleet* fleet);
  void settle(const Fleet& fleet, Open& open);
  void end(const std::string& id);
  bool rests(const Session& session) const {
    return session.target && !session.entering && *session.target <= stands_.tick;
  }
  bool may_command(WorldNumber number, const std::string& session) const;

  CallsOptions options_;
  Robots robots_;
  std::map<std::string, Session> sessions_;
  std::map<WorldNumber, std::string> owners_;  // of robots, by lease
  std::list<Open> open_;
  std::vector<Answer> answers_;
  std::vector<GatewayWish> wishes_;
  Standing stands_;
  std::uint64_t wishes_made_ = 0, sessions_made_ = 0, looked_ = 0;  // looked_: the wish of a step that is slow
  bool ticked_ = false;
  Moment now_{}, last_tick_{};
};

}  // namespace convoy::zmq
