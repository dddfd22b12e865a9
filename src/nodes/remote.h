// Messages, requests and responses between the graphs of different agents.
//
// A graph learns of other agents through an Outside. Messages for them leave through take_outgoing(), theirs enter
// through incoming(). Names that concern one agent only (/rosout, /parameter_events, /clock) stay inside.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "convoy/ids.h"
#include "convoy/time.h"
#include "core/bytes.h"
#include "core/fields.h"
#include "nodes/delay.h"
#include "nodes/receiver.h"

namespace convoy::nodes {

class Subscription;

inline constexpr Duration kNoDelay{-1};

struct RemoteMessage {
  enum class Kind : std::uint8_t { kTopic, kRequest, kResponse };
  Kind kind{};
  WorldNumber to;    // agent; kNoEntity: all who subscribe to the topic
  std::string name;  // of the topic or service
  std::string type;
  std::string node;           // full name of the publisher's, client's or server's node
  std::uint32_t ordinal = 0;  // distinguishes publishers of one node on one topic
  std::uint32_t rank = 0;     // of the publisher; of a request and its response: of the client
  std::uint64_t index = 0;    // counts the publisher's messages; of a request and its response: the call
  Instant published{};
  Duration delay = kNoDelay;  // by a rule of its sender's; kNoDelay: no rule applies
  bool reliable = true, transient_local = false;
  bool kept = false;  // was published before any subscription existed there
  Bytes bytes;        // the message
};
template <class V, MaybeConst<RemoteMessage> T>
void fields(V& v, T& m) {
  v("kind", m.kind), v("to", m.to), v("name", m.name), v("type", m.type), v("node", m.node), v("ordinal", m.ordinal);
  v("rank", m.rank), v("index", m.index), v("published", m.published), v("delay", m.delay), v("reliable", m.reliable);
  v("transient_local", m.transient_local), v("kept", m.kept), v("bytes", m.bytes);
}

// The interfaces of the other agents; constant during a tick.
class Outside {
 public:
  virtual ~Outside() = default;
  // Other agents that subscribe to a topic, ascending.
  virtual std::vector<WorldNumber> subscribers(std::string_view topic) const = 0;
  // The agent that answers for a service, or kNoEntity.
  virtual WorldNumber server(std::string_view service) const = 0;
};

// May other agents know of this name?
bool goes_outside(std::string_view name);

// A publisher of another agent, as its messages come in.
struct RemotePublisher {
  WorldNumber origin;
  std::uint32_t rank = 0;
  std::string node;
  std::uint32_t ordinal = 0;
  bool reliable = true, transient_local = false;
  struct Link {
    Subscription* subscription;
    DelaySource delay;
  };
  std::vector<Subscription*> direct;  // those that it reaches without a link delay
  std::vector<Link> links;
  std::vector<Delivery> kept;  // transient local, as at a publisher
};

}  // namespace convoy::nodes
