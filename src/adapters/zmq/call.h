// One call of a program outside, while it is read and carried out, and the way that its answer takes.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "adapters/zmq/layout.h"
#include "adapters/zmq/values.h"
#include "agent/fleet_looks.h"
#include "control/control_core.h"
#include "core/access.h"

namespace convoy::zmq {

// Why a call is not carried out, in the protocol's words.
struct Refusal {
  std::string code, message;
};
template <class T>
using Checked = tl::expected<T, Refusal>;
inline tl::unexpected<Refusal> refuse(std::string code, std::string message) {
  return tl::unexpected<Refusal>(Refusal{std::move(code), std::move(message)});
}
Refusal in_words(const control::Refusal& refusal);
// All that a Refusal's code can be.
const std::vector<std::string>& error_codes();

using Peer = std::vector<Bytes>;  // what is written before an answer, so that it reaches the caller
struct Answer {
  Peer peer;
  Bytes bytes;
};

// Who gets the answer, and how it is written. A copy may outlive the call.
class Reply {
 public:
  // `answers` outlives it.
  Reply(Peer peer, Encoding encoding, std::vector<Answer>& answers)
      : peer_(std::move(peer)), encoding_(encoding), answers_(&answers) {}
  void set_op(std::string op) { op_ = std::move(op); }
  void ok(const Json& fields) const;
  void refuse(const Refusal& why) const;

  // Answers by `write(reply, reached)`, or by why it was not reached.
  template <class Write>
  control::Done once_reached(Write write) const {
    return [reply = *this, write = std::move(write)](const control::Checked<control::Reached>& reached) {
      if (reached) write(reply, *reached);
      else reply.refuse(in_words(reached.error()));
    };
  }

 private:
  Peer peer_;
  Encoding encoding_;
  std::string op_;
  std::vector<Answer>* answers_;
};

// What the calls report of the program that they are a part of.
struct CallsOptions {
  std::string doors = "{}";     // JSON: the endpoints of this client
  Access role = Access::kEdit;  // of all who come by these doors
  std::string version{}, mujoco_version{};
  int mujoco_version_int = 0;
  double (*unix_time)() = nullptr;  // s; may be absent
  // Switches the stream of one, or leaves it as it is; its place, or nothing: it has no stream.
  std::function<std::optional<CameraPlace>(const CameraName&, std::optional<bool> on)> stream_camera{};
};

// What waits for the world to be where its agents are.
using AtBoundary = std::vector<std::function<void(const Fleet&, Moment now)>>;
inline constexpr std::size_t kMaxWaiting = 1000;  // calls

struct Call {
  const Json& request;
  const Fleet& fleet;
  control::ControlCore& control;
  const CallsOptions& options;
  AtBoundary& at_boundary;  // these three outlive its reply
  Reply reply;
  Moment now{};
  std::string peer;    // tells connections apart
  std::string caller;  // the name of its session; empty: it has none
  control::Level level = control::Level::kStandard;
};

// A field that is there and not null.
const Json* field_of(const Json& object, const char* name);
// Finite numbers, as many as they may be.
Checked<std::vector<double>> read_row(const Json& field, const std::string& what,
                                      std::initializer_list<std::size_t> sizes);

enum class For : std::uint8_t { kReading, kCommanding };
Checked<const control::RobotEntry*> find(const Call& call, const std::string& name, For what);
// A list of names, or one; absent: those of the caller.
Checked<std::vector<WorldNumber>> named(const Call& call, const char* field, For what);
inline std::vector<WorldNumber> robots_of(const Call& call) { return control::robots_of(call.control, call.caller); }
// A robot that a call goes on with may have gone.
inline Refusal gone() { return {"unknown_articulation", "a robot of this session is no longer here"}; }

}  // namespace convoy::zmq
