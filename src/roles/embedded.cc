#include "roles/embedded.h"

#include <algorithm>

#include "core/check.h"

namespace convoy {

class Embedded::Side final : public Network {
 public:
  Side(Embedded& all, std::size_t index) : all_(all), index_(index) {}
  void send(LinkId link, ByteView bytes) override { all_.send_from(index_, link, bytes); }
  void close(LinkId link) override { all_.close_from(index_, link); }
  void send_datagram(const Endpoint& to, ByteView bytes) override {
    // Endpoints are the sides' indices: the server is port 0.
    if (to.port < all_.sides_.size())
      all_.push({Event::Kind::kDatagram, to.port, 0, Bytes(bytes.begin(), bytes.end()),
                 Endpoint{0, 0, static_cast<std::uint16_t>(index_)}});
  }
  LinkId connect() override {
    const LinkId link = all_.next_link_++;
    all_.links_[link] = {index_, true};
    all_.push({Event::Kind::kOpened, 0, link, {}, {}});
    all_.push({Event::Kind::kOpened, index_, link, {}, {}});
    return link;
  }
  std::size_t backlog(LinkId) const override { return 0; }

 private:
  Embedded& all_;
  std::size_t index_;
};

Embedded::Embedded() {
  sides_.push_back(std::make_unique<Side>(*this, 0));
  roles_.push_back(nullptr);
}
Embedded::~Embedded() = default;

Network& Embedded::server_network() { return *sides_[0]; }

Network& Embedded::add_client() {
  sides_.push_back(std::make_unique<Side>(*this, sides_.size()));
  roles_.push_back(nullptr);
  return *sides_.back();
}

void Embedded::set_server(Role& server) { roles_[0] = &server; }
void Embedded::set_client(std::size_t client, Role& role) { roles_[client + 1] = &role; }

void Embedded::push(Event event) { events_.push_back(std::move(event)); }

void Embedded::send_from(std::size_t side, LinkId link, ByteView bytes) {
  const auto it = links_.find(link);
  if (it == links_.end() || !it->second.open) return;
  push({Event::Kind::kBytes, side == 0 ? it->second.client : 0, link, Bytes(bytes.begin(), bytes.end()), {}});
}

void Embedded::close_from(std::size_t side, LinkId link) {
  const auto it = links_.find(link);
  if (it == links_.end() || !it->second.open) return;
  it->second.open = false;
  push({Event::Kind::kClosed, side == 0 ? it->second.client : 0, link, {}, {}});
}

void Embedded::deliver(Moment now) {
  Event event = std::move(events_.front());
  events_.pop_front();
  Role* role = roles_[event.to];
  if (!role || role->finished()) return;
  switch (event.kind) {
    case Event::Kind::kOpened: role->on_opened(event.link, now); break;
    case Event::Kind::kBytes: role->on_bytes(event.link, event.bytes, now); break;
    case Event::Kind::kClosed:
      role->on_closed(event.link, now);
      links_.erase(event.link);
      break;
    case Event::Kind::kDatagram: role->on_datagram(event.from, event.bytes, now); break;
  }
  role->on_time(now);
}

void Embedded::run(const std::function<Moment()>& now, const std::function<void(Moment)>& wait,
                   const std::function<bool()>& until) {
  EXPECTS(roles_[0] != nullptr);
  for (Role* role : roles_)
    if (role) role->on_time(now());
  while (!(until && until())) {
    while (!events_.empty()) deliver(now());
    if (roles_[0]->finished()) return;
    Moment next = kNever;
    const Moment time = now();
    bool called = false;
    for (Role* role : roles_) {
      if (!role || role->finished()) continue;
      if (role->deadline() <= time) {
        role->on_time(time);
        called = true;
      }
      next = std::min(next, role->deadline());
    }
    if (!events_.empty() || called) continue;
    wait(next);
    for (Role* role : roles_)  // they may watch more than their links
      if (role && !role->finished()) role->on_time(now());
  }
}

}  // namespace convoy
