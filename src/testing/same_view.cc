#include "testing/same_view.h"

namespace convoy::testing {

namespace {

std::string of_structure(const World& a, const World& b) {
  if (a.entities().size() != b.entities().size())
    return std::to_string(b.entities().size()) + " entities instead of " + std::to_string(a.entities().size());
  if (a.models().size() != b.models().size()) return "another number of models";
  for (std::size_t i = 0; i < a.models().size(); ++i)
    if (!(save(*a.models()[i]) == save(*b.models()[i]))) return "model " + a.models()[i]->name;
  if (!(a.environment() == b.environment())) return "the environment";
  for (Slot slot : SlotRange(a.entities().size())) {
    const Entity &x = a.entity(slot), &y = b.entity(slot);
    const std::string who = x.name + ": ";
    if (x.number != y.number || x.name != y.name) return who + "another entity, " + y.name;
    if (x.parent != y.parent || !(x.X_PC == y.X_PC)) return who + "attached otherwise";
    if (x.frozen != y.frozen) return who + (x.frozen ? "not frozen" : "frozen");
    if (x.owner != y.owner) return who + "another owner";
    if (!(x == y)) return who + "another spec or model";
    if (a.snapshot().state(slot).discontinuity != b.snapshot().state(slot).discontinuity) return who + "discontinuity";
  }
  return {};
}

bool same_place(const State& a, const State& b) { return a.pose == b.pose && a.twist == b.twist; }

std::string text(const State& s) {
  char out[160];
  std::snprintf(out, sizeof out, "(%.6f, %.6f, %.4f) v (%.3f, %.3f)", s.pose.p.x, s.pose.p.y, yaw_of(s.pose.q),
                s.twist.v.x, s.twist.v.y);
  return out;
}

QuantizedState bytes_of(const State& state, WorldNumber number, const BatchOrigin& origin) {
  QuantizedState bytes{};
  quantize(state, number, origin, bytes.data());
  return bytes;
}

bool same_joints(ByteView server_state, std::span<const double> tail) {
  Bytes mine(tail.size() / 2 * kJointSize);
  return pack_joints(tail, mine.data()) &&
         std::equal(server_state.begin(), server_state.end(), mine.begin(), mine.end());
}

}  // namespace

std::string difference(const LiveServer& server, const LiveHost& host, Owner me) {
  if (!host.fleet()) return "it has no world yet";
  if (host.run() != server.run())
    return "run " + std::to_string(host.run()) + " instead of " + std::to_string(server.run());
  const World &a = server.world(), &b = host.fleet()->world();
  if (const std::string wrong = of_structure(a, b); !wrong.empty()) return wrong;
  for (Slot slot : SlotRange(a.entities().size())) {
    const Entity& entity = a.entity(slot);
    const State &theirs = a.snapshot().state(slot), &seen = b.snapshot().state(slot);
    const auto differs = [&](const char* what) {
      return entity.name + ": " + what + ": " + text(seen) + " instead of " + text(theirs);
    };
    const MirroredState &server_state = server.mirror().shown().states[slot.index()],
                        &received = host.mirror().shown().states[slot.index()];
    const bool mine = entity.owner == me;
    if (entity.parent == kNoEntity && mine) {
      if (!server_state.received) return differs("the server has heard nothing of what is its own");
      if (bytes_of(seen, entity.number, server_state.origin) != server_state.bytes)
        return differs("the server has other bytes of what is its own");
      if (!same_joints(server.mirror().shown().joints_of(server_state), b.joints(slot)))
        return differs("the server has other joints of what is its own");
    } else if (entity.parent == kNoEntity) {
      if (server_state.received != received.received)
        return differs(server_state.received ? "nothing heard" : "heard of what nobody tells");
      if (server_state.received && (server_state.bytes != received.bytes || server_state.origin != received.origin ||
                                    server_state.stamp != received.stamp))
        return differs("other bytes");
      if (!server_state.received && !same_place(theirs, seen)) return differs("not where the edit left it");
    }
    // What rides on a robot of this host is where that is, which the host knows more exactly than the server.
    Slot root = slot;
    while (a.entity(root).parent != kNoEntity) root = a.slot_of(a.entity(root).parent);
    if (host.tick() == server.tick() && a.entity(root).owner != me && !mine && !same_place(theirs, seen))
      return differs("another place");
  }
  return {};
}

}  // namespace convoy::testing
