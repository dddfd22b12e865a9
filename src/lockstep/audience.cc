#include "lockstep/audience.h"

#include "session/world_image.h"

namespace convoy {

void Audience::leave(Owner member) {
  waiting_guests_.erase(member);
  guests_.erase(member);
  new_guests_.erase(member);
  viewers_.leave(member);
  samples_.places().host_left(member);
}

void Audience::edits(const Edits& edits) {
  to_all(FrameType::kEdits, save(edits));
  viewers_.note(edits);
}

void Audience::open(const Open& message) {
  to_all(FrameType::kOpen, save(message));
  viewers_.note(message.edits);
}

void Audience::finish() {
  to_all(FrameType::kFinish, {});
  viewers_.to_all(FrameType::kFinish, {});
}

bool Audience::anybody_waits() const { return !waiting_guests_.empty() || !books_.roll.joining_owners().empty(); }

bool Audience::admit(Tick tick, std::size_t image_chunk) {
  const std::vector<Payload> image = image_pieces(books_.world, books_.run, tick, image_chunk);  // the same for all
  const auto send_image = [&](Owner owner) {
    for (const Payload& piece : image) books_.send(owner, FrameType::kImage, piece);
  };
  for (Owner guest : waiting_guests_) send_image(guest);
  new_guests_.insert(waiting_guests_.begin(), waiting_guests_.end());
  guests_.merge(waiting_guests_);
  waiting_guests_.clear();
  const std::vector<Owner> hosts = books_.roll.joining_owners();
  for (Owner host : hosts) {
    send_image(host);
    books_.roll.admit(host, tick);
  }
  return !hosts.empty();
}

// One copy for all, where there are several.
Payload Audience::shared(const Payload& payload, std::size_t without) const {
  return books_.roll.all().size() + guests_.size() > 1 + without ? payload.shared() : payload;
}

void Audience::to_hosts(FrameType type, const Payload& payload) {
  const Payload out = shared(payload, 0);
  for (const auto& [owner, host] : books_.roll.all())
    if (host.present) books_.send(owner, type, out);
}

void Audience::to_all(FrameType type, const Payload& payload) {
  const Payload out = shared(payload, 0);
  to_hosts(type, out);
  for (Owner guest : guests_) books_.send(guest, type, out);
}

std::size_t Audience::to_others(Owner from, FrameType type, const Payload& payload) {
  const Payload out = shared(payload, 1);
  std::size_t others = 0;
  for (const auto& [owner, host] : books_.roll.all()) {
    if (!host.present || owner == from) continue;
    books_.send(owner, type, out);
    ++others;
  }
  for (Owner guest : guests_) books_.send(guest, type, out);
  return others;
}

}  // namespace convoy
