// The server's side of joining, staying and leaving: one state machine for each connection, without sockets.
//
//   state         event                                  next        action
//   AwaitRequest  Hello, all checks pass, room           Numbered    Welcome with number and token; number is pending
//   AwaitRequest  bad Hello, full, timeout               closed      Decline with code and text (timeout: close)
//   Numbered      Ready, or the exchange is over         AwaitUdp    (Registered at once if it sends no datagrams)
//   AwaitUdp      datagram with pending number + token   Registered  pending -> endpoint map
//   AwaitUdp      timeout, free mode                     closed      number is dropped
//   AwaitUdp      timeout, lockstep                      Registered  a warning: it goes on without datagrams
//   Registered    datagram, same endpoint                Registered  to the role
//   Registered    datagram, other endpoint               Registered  nonce over TCP; dropped until it is answered
//   any member    anything else                          same        dropped and counted by reason
//   any member    goodbye                                closed      left(goodbye)
//   any member    link lost                              same        lost(); frames are kept
//   any member    Hello with number and token            same        resumed(); kept frames are sent again
//   any member    silent for longer than the liveness    closed      left(timeout)
//   silent since  Hello with the same name and role      closed      left(superseded): its Welcome was lost on the way
//   its Hello, unless that Hello is older (attempt): then its link is closed, and nothing else happens
//   a host, all links    Hello of a new process of its    closed      left(replaced)
//   closed               name
//   a host, with a link  the same                         same        Decline(name held): the new one dials again
//
// A datagram may come before the exchange is over (the register datagram is sent as soon as the number is known).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "convoy/result.h"
#include "core/access.h"
#include "core/ports.h"
#include "session/channel.h"
#include "session/datagram_link.h"
#include "session/drops.h"
#include "session/listening.h"
#include "session/reception.h"
#include "session/side_links.h"
#include "wire/datagram.h"
#include "world/edit.h"

namespace convoy {

namespace proto {
class Hello;
}

inline constexpr std::uint32_t kProtocolVersion = 16;
inline constexpr std::size_t kControlSeats = 2;  // beyond max_members, for control alone

// Numbers as in proto Role.
enum class PeerRole : std::uint8_t {
  kNobody = 0,
  kRobotClient = 1,
  kSensorHost = 2,
  kViewer = 3,
  kControl = 4,
  kForeign = 5
};
const char* name_of(PeerRole role);

enum class LeaveReason : std::uint8_t {
  kGoodbye,
  kTimeout,
  kUdpTimeout,
  kSlow,
  kProtocol,
  kSuperseded,
  kReplaced,
  kKilled,
  kDeclined,
  kTickDeadline,
  kKicked,
};
const char* name_of(LeaveReason reason);

enum class MemberState : std::uint8_t { kNumbered, kAwaitUdp, kRegistered };
const char* name_of(MemberState state);

struct Member {
  Owner number = kNobody;
  PeerRole role = PeerRole::kNobody;
  std::string name;
  Endpoint from;  // of its newest control link
  Grant grant;
  MemberState state = MemberState::kNumbered;
  bool ready = false;
  bool datagrams = false;
  Token token{};
  Channel channel;
  FrameReader reader;
  std::uint64_t payload_hash = 0;  // of the frame that is being handed over
  Endpoint endpoint;
  bool has_endpoint = false;
  Endpoint challenged;                 // a changed endpoint that must answer the nonce
  std::uint64_t nonce = 0;             // 0: none open
  Duration joined{}, last_received{};  // of Listening::time()
  Moment lost_since = kNever;          // kNever: it has a link
  std::uint64_t bytes_in = 0;
  std::uint32_t attempt = 0;  // the client's links up to the one that was welcomed
  std::uint32_t datagrams_in = 0;
  DatagramLink numbers;  // of datagrams
  Bytes ready_payload;   // free mode: of the Ready that waits for the first datagram
};

AuditLine audit_line(std::string_view what, const Member& member, std::string_view text);

// Callbacks to the role, made from inside the membership's calls. The role may send from them, but must not drop
// members.
class MembershipEvents {
 public:
  virtual ~MembershipEvents() = default;
  virtual void joined(Member& member, Moment now) = 0;
  virtual void frame(Member& member, FrameType type, ByteView payload, Moment now) = 0;
  // False: it cannot be used now. It is not acknowledged (until keep()), so the peer sends its content again.
  virtual bool datagram(Member& member, const Datagram& datagram, Moment now) = 0;
  virtual void acked(Member&, std::uint32_t) {}  // the member has acknowledged that datagram; called once for each
  virtual void lost(Member& member, Moment now) = 0;
  virtual void resumed(Member& member, Moment now) = 0;
  virtual void left(Member& member, LeaveReason reason, Moment now) = 0;
};

struct MembershipOptions {
  std::string build;          // ours
  std::string host_build;     // of the library convoy::host, made together with ours; empty: none
  std::string program_build;  // of programs that join with their own nodes, made together with ours; empty: none
  std::vector<std::string> programs;  // the names under which they join; no other client may have them
  std::uint64_t fingerprint = 0;      // ours
  bool equal_hosts = true;            // lockstep: builds and fingerprints of hosts must match
  bool free_mode = false;
  std::uint64_t scenario = 0;
  bool checkpoints = false;
  std::uint16_t udp_port = 0;
  std::vector<Credential> credentials;  // empty: none asked for
  std::size_t max_members = 1000;
  ReceptionRules reception;
  Audit* audit = nullptr;        // outlives it
  RelayEvents* relay = nullptr;  // of members' links for samples; null: they carry nothing; outlives it
  Duration udp_timeout = std::chrono::seconds(10);
  Duration liveness = std::chrono::seconds(5);  // 0: off
  ChannelRules channel;
  bool check_tokens = true;          // false: a planted bug, for tests
  bool check_datagrams = true;       // false: another one: checksums are not verified
  std::function<Token()> new_token;  // 16 unguessable bytes
};

class Membership {
 public:
  Membership(MembershipOptions options, Network& network, MembershipEvents& events, Log& log);

  void on_opened(LinkId link, Moment now);
  void on_bytes(LinkId link, ByteView bytes, Moment now);
  void on_closed(LinkId link, Moment now);
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now);
  void on_time(Moment now);
  Moment deadline() const;

  SideLinks& side() { return side_; }
  void set_udp_port(std::uint16_t port) { options_.udp_port = port; }
  // Hosts that come now are declined with this text (the run is over).
  void close_doors(std::string why) { closed_ = std::move(why); }

  void send(Owner to, FrameType type, const Payload& payload);
  // The datagram's number; 0 if the member has no endpoint (yet).
  std::uint32_t send_datagram(Owner to, DatagramType type, std::uint8_t flags, std::uint16_t run, ByteView payload);
  // A datagram that the role took later than it came is acknowledged from here on. False: the member is gone.
  bool keep(Owner from, std::uint32_t datagram);
  void check_members(Moment now);
  void drop(Owner member, LeaveReason reason, Moment now);
  void flush();
  Member* find(Owner number);
  const std::map<Owner, std::unique_ptr<Member>>& members() const { return members_; }
  Drops& drops() { return drops_; }
  const Drops& drops() const { return drops_; }
  std::uint64_t bytes_in() const { return bytes_.in; }
  std::uint64_t bytes_out() const;

 private:
  // A Hello is one of three greetings: another link of a member, a member that is back, or a newcomer.
  void greet(LinkId link, ByteView payload, Moment now);
  void open_side(LinkId link, const proto::Hello& hello);
  void resume(LinkId link, const proto::Hello& hello, Moment now);
  void join(LinkId link, const proto::Hello& hello, Moment now);
  bool make_way(LinkId link, const proto::Hello& hello, Moment now);
  // The member whose number and token these are; otherwise the link is declined, and null.
  Member* identify(LinkId link, Owner number, const std::string& token);
  void read(Member& member, Moment now);
  void control(Member& member, FrameType type, ByteView payload, Moment now);
  void lose(Member& member, Moment now);
  void registered(Member& member, const Endpoint& from, Moment now);
  void listen(Moment now) { listening_.pass(now, options_.liveness); }

  MembershipOptions options_;
  Network& network_;
  MembershipEvents& events_;
  Log& log_;
  Reception reception_;  // counts in drops_
  std::map<LinkId, Owner> by_link_;
  std::map<Endpoint, Owner> by_endpoint_;
  std::map<Owner, std::unique_ptr<Member>> members_;
  Member* last_found_ = nullptr;  // of them: several calls in a row are mostly for one member
  std::uint32_t next_number_ = 1;
  std::uint64_t nonces_ = 0;
  std::string closed_;
  Moment next_heartbeat_{}, next_check_{};
  Listening listening_;
  Drops drops_;
  SideLinks side_;  // counts in drops_
  struct {
    std::uint64_t in = 0, out_gone = 0;
  } bytes_;
  Bytes datagram_;  // that is going out: its memory is used again
};

}  // namespace convoy
