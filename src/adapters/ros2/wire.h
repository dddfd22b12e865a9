// DDS as the rest of this folder sees it: endpoints that carry CDR, and what is known of everybody else's.
//
//   auto writer = wire.make_writer({.topic = "rt/chatter", .type = "std_msgs::msg::dds_::String_"});
//   (*writer)->write(cdr);
//   Received got;
//   while ((*reader)->take(got)) ...
//
// Bytes come and go with their four-byte header (XCDR1), and no one here knows what is in them. Calls are made from one
// thread; what an implementation's own threads receive waits inside it until it is taken.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "convoy/time.h"
#include "core/bytes.h"

namespace convoy::ros2 {

// 12 bytes of the participant, 4 of the endpoint in it.
using Guid = std::array<std::uint8_t, 16>;
inline bool same_participant(const Guid& a, const Guid& b) { return std::equal(a.begin(), a.begin() + 12, b.begin()); }
inline constexpr Guid kNoGuid{};

// What is matched between peers, and how much is kept on our side. ROS 2's default.
struct Qos {
  bool reliable = true;
  bool transient_local = false;  // who comes later gets the last ones, too
  std::int32_t depth = 10;       // samples kept; 0: all of them, up to a bound of the implementation
  friend bool operator==(const Qos&, const Qos&) = default;
};
inline constexpr Qos kSensorData{.reliable = false, .depth = 5};
inline constexpr Qos kLatched{.transient_local = true, .depth = 1};

struct EndpointSpec {
  std::string topic, type;  // as DDS has them: "rt/chatter", "std_msgs::msg::dds_::String_"
  Qos qos;
  std::string user_data;
};

// An endpoint of another participant.
struct RemoteEndpoint {
  Guid guid{};
  bool writer = false;
  std::string topic, type, user_data;
  Qos qos;  // its depth is not on the wire
};
struct RemoteParticipant {
  Guid guid{};
  std::string user_data;
};
// What has changed among the others.
struct Discovery {
  enum class Kind : std::uint8_t { kParticipant, kParticipantGone, kEndpoint, kEndpointGone };
  Kind kind{};
  RemoteParticipant participant;  // of the first two
  RemoteEndpoint endpoint;        // of the others; gone: its guid alone
};

// Which request a reply is to; in a request of Fast DDS's manner which reader waits for the reply.
struct Related {
  Guid guid{};
  std::int64_t sequence = 0;
};

struct Received {
  Bytes cdr;
  Guid writer{};
  std::int64_t sequence = 0;
  Related related;
};

class WireWriter {
 public:
  virtual ~WireWriter() = default;
  virtual Guid guid() const = 0;
  // Never waits for a peer. The sample's number; 0: it could not be written.
  virtual std::int64_t write(ByteView cdr, const Related* related = nullptr) = 0;
  virtual std::size_t matched() const = 0;
  virtual bool matches(const Guid& reader) const = 0;
  // Has everything been received by all reliable readers?
  virtual bool acknowledged() const = 0;
  // What is kept of a transient local one for who comes later is kept no more.
  virtual void forget() = 0;
};

class WireReader {
 public:
  virtual ~WireReader() = default;
  virtual Guid guid() const = 0;
  virtual bool take(Received& out) = 0;  // false: there is nothing
  virtual std::size_t matched() const = 0;
};

// One participant.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual Guid guid() const = 0;
  // Of any topic and type, also of several types of one topic. kUnavailable: it has no room. Endpoints go before their wire.
  virtual Result<std::unique_ptr<WireWriter>> make_writer(const EndpointSpec& spec) = 0;
  virtual Result<std::unique_ptr<WireReader>> make_reader(const EndpointSpec& spec) = 0;
  // Readers for which something has come since the last call, each once; none that is gone.
  virtual std::vector<WireReader*> take_ready() = 0;
  virtual std::vector<Discovery> take_discoveries() = 0;
  // Readable when there may be something of these two, until it is cleared.
  virtual int descriptor() const = 0;
  virtual void clear_descriptor() = 0;
};

}  // namespace convoy::ros2
