// A membership on a fake network for tests, with its callbacks logged as text.
#pragma once

#include <doctest/doctest.h>

#include <optional>

#include "convoy/control.pb.h"
#include "session/fake_network.h"
#include "session/membership.h"

namespace convoy::testing {

inline Moment at(Duration d) { return Moment{} + d; }

struct Door : MembershipEvents, RelayEvents {
  explicit Door(MembershipOptions o = {}) : options(std::move(o)) {
    options.build = "b1";
    options.fingerprint = 7;
    options.scenario = 99;
    options.relay = this;
    options.new_token = [this] {
      Token token{};
      token[0] = static_cast<std::uint8_t>(++tokens);
      token[15] = 0x5a;
      return token;
    };
    membership.emplace(options, network, *this, log);
  }

  void joined(Member& m, Moment) override { events_text += "joined " + m.name + ";"; }
  void frame(Member& m, FrameType type, ByteView payload, Moment) override {
    events_text += std::string(name_of(type)) + " of " + m.name +
                   (payload.empty() ? "" : ":" + std::string(as_text(payload))) + ";";
  }
  bool datagram(Member& m, const Datagram&, Moment) override {
    events_text += "datagram of " + m.name + ";";
    return useful;
  }
  void lost(Member& m, Moment) override { events_text += "lost " + m.name + ";"; }
  void resumed(Member& m, Moment) override { events_text += "resumed " + m.name + ";"; }
  void left(Member& m, LeaveReason reason, Moment) override {
    events_text += "left " + m.name + ": " + convoy::name_of(reason) + ";";
  }
  bool relay_frame(Owner from, FrameType type, ByteView payload) override {
    events_text += std::string(name_of(type)) + " by the link of " + membership->find(from)->name + ":" +
                   std::string(as_text(payload)) + ";";
    return type == FrameType::kSamples;
  }
  void relay_lost(Owner peer) override { events_text += "lost link of " + membership->find(peer)->name + ";"; }

  std::string take_events() { return std::exchange(events_text, {}); }
  std::uint64_t drops(Drop reason) { return membership->drops().of(reason); }

  static proto::Hello hello(const std::string& name, PeerRole role = PeerRole::kRobotClient) {
    proto::Hello h;
    h.set_protocol(kProtocolVersion);
    h.set_build("b1");
    h.set_fingerprint(7);
    h.set_role(static_cast<proto::Role>(role));
    h.set_name(name);
    return h;
  }
  void bytes(LinkId link, FrameType type, ByteView payload, std::uint32_t seq = 0, std::uint32_t ack = 0,
             Moment now = {}) {
    Bytes out;
    put_frame(out, type, seq, ack, payload);
    membership->on_bytes(link, out, now);
    membership->flush();
  }
  // Sends Hello on a new link; returns the link.
  LinkId knock(const proto::Hello& h, Moment now = {}) {
    const LinkId link = network.connect();
    membership->on_opened(link, now);
    bytes(link, FrameType::kHello, as_bytes(h.SerializeAsString()), 0, 0, now);
    return link;
  }
  // "code: text" of the Decline on the link; "" if there was none.
  std::string declined(LinkId link) {
    for (const auto& frame : network.take(link)) {
      if (frame.header.type != FrameType::kDecline) continue;
      proto::Decline d;
      CHECK(d.ParseFromArray(frame.payload.data(), static_cast<int>(frame.payload.size())));
      return std::to_string(d.code()) + ": " + d.text();
    }
    return {};
  }
  proto::Welcome welcome(LinkId link) {
    proto::Welcome w;
    const auto frames = network.take(link);
    REQUIRE_MESSAGE(!frames.empty(), "no answer");
    REQUIRE(frames[0].header.type == FrameType::kWelcome);
    CHECK(w.ParseFromArray(frames[0].payload.data(), static_cast<int>(frames[0].payload.size())));
    return w;
  }
  void datagram_from(const Endpoint& from, DatagramType type, Owner number, ByteView payload, Moment now = {},
                     std::uint32_t seq = 1) {
    Bytes out;
    CHECK(put_datagram(out, {type, 0, 0, number, seq, 0, 0, payload}));
    membership->on_datagram(from, out, now);
    membership->flush();
  }
  Token token_of(Owner number) { return membership->find(number)->token; }
  std::string state(Owner number) {
    const Member* m = membership->find(number);
    return m ? convoy::name_of(m->state) : "gone";
  }

  MembershipOptions options;
  FakeNetwork network;
  QuietLog log;
  int tokens = 0;
  std::string events_text;
  bool useful = true;  // what datagram() answers
  std::optional<Membership> membership;
};

}  // namespace convoy::testing
