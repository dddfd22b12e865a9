#include "os/role_thread.h"

#include <sys/eventfd.h>

#include <utility>

#include "os/clock.h"
#include "os/signals.h"

namespace convoy::os {

RoleThread::RoleThread(Network& there) : there_(there), bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void RoleThread::Here::send(LinkId link, ByteView bytes) {
  all_.from_role({Event::Kind::kBytes, link, {}, Bytes(bytes.begin(), bytes.end())});
}
void RoleThread::Here::close(LinkId link) { all_.from_role({Event::Kind::kClosed, link}); }
void RoleThread::Here::send_datagram(const Endpoint& to, ByteView bytes) {
  all_.from_role({Event::Kind::kDatagram, 0, to, Bytes(bytes.begin(), bytes.end())});
}
LinkId RoleThread::Here::connect() {
  all_.from_role({Event::Kind::kConnect, ++last_});
  return last_;
}

void RoleThread::start(Role& role) {
  thread_ = thread_without_signals([this, &role] { thread_main(role); });
}

void RoleThread::end() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  woken_.notify_one();
  if (thread_.joinable()) thread_.join();
}

bool RoleThread::post(std::function<void()> work) {
  {
    const std::scoped_lock lock(mutex_);
    if (over_) return false;
    inbox_.push_back({Event::Kind::kWork, 0, {}, {}, std::move(work)});
  }
  woken_.notify_one();
  return true;
}

void RoleThread::thread_main(Role& role) {
  role.on_time(now());
  std::deque<Event> taken;
  while (!role.finished()) {
    {
      std::unique_lock lock(mutex_);
      const auto something = [this] { return ending_ || !inbox_.empty(); };
      if (const Moment until = role.deadline(); until == kNever) woken_.wait(lock, something);
      else woken_.wait_for(lock, until - now(), something);
      if (ending_ && inbox_.empty()) break;
      taken.swap(inbox_);
      inbox_bytes_ = 0;
    }
    for (const Event& event : taken) {
      if (role.finished()) break;
      hand(role, event, now());
      role.on_time(now());
    }
    if (taken.empty()) role.on_time(now());
    taken.clear();
  }
  const std::scoped_lock lock(mutex_);
  over_ = true;
  inbox_.clear();
}

void RoleThread::hand(Role& role, const Event& event, Moment now) {
  switch (event.kind) {
    case Event::Kind::kConnect: break;
    case Event::Kind::kOpened: return role.on_opened(event.link, now);
    case Event::Kind::kBytes: return role.on_bytes(event.link, event.bytes, now);
    case Event::Kind::kClosed: return role.on_closed(event.link, now);
    case Event::Kind::kDatagram: return role.on_datagram(event.other, event.bytes, now);
    case Event::Kind::kWork: return event.work();
  }
}

void RoleThread::from_role(Event event) {
  const std::scoped_lock lock(mutex_);
  outbox_.push_back(std::move(event));
  (void)::eventfd_write(bell_.get(), 1);  // under the lock: it rings exactly while there is something
}

bool RoleThread::to_role(Event event, std::size_t limit) {
  {
    const std::scoped_lock lock(mutex_);
    if (over_) return true;  // nobody waits for it
    if (inbox_bytes_ + event.bytes.size() > limit) return false;
    inbox_bytes_ += event.bytes.size();
    inbox_.push_back(std::move(event));
  }
  woken_.notify_one();
  return true;
}

LinkId RoleThread::ours(LinkId theirs) const {
  for (const auto& [role, there] : links_)
    if (there == theirs) return role;
  return 0;
}

void RoleThread::on_opened(LinkId link, Moment) { to_role({Event::Kind::kOpened, ours(link)}); }

void RoleThread::on_bytes(LinkId link, ByteView bytes, Moment) {
  const LinkId mine = ours(link);
  if (mine == 0) return;  // it has been closed here
  if (!to_role({Event::Kind::kBytes, mine, {}, Bytes(bytes.begin(), bytes.end())}, kQueueLimit)) cut(mine);
}

void RoleThread::cut(LinkId link) {
  there_.close(links_[link]);
  links_.erase(link);
  to_role({Event::Kind::kClosed, link});
}

void RoleThread::on_closed(LinkId link, Moment) {
  const LinkId mine = ours(link);
  if (links_.erase(mine) > 0) to_role({Event::Kind::kClosed, mine});
}

void RoleThread::on_datagram(const Endpoint& from, ByteView bytes, Moment) {
  (void)to_role({Event::Kind::kDatagram, 0, from, Bytes(bytes.begin(), bytes.end())}, kDatagramLimit);
}

void RoleThread::on_time(Moment) {
  std::vector<Event> out;
  {
    const std::scoped_lock lock(mutex_);
    if (outbox_.empty()) return;
    out.swap(outbox_);
    eventfd_t rung;
    (void)::eventfd_read(bell_.get(), &rung);
  }
  for (Event& event : out) carry_out(event);
}

void RoleThread::carry_out(Event& event) {
  const auto link = links_.find(event.link);
  switch (event.kind) {
    case Event::Kind::kConnect: links_[event.link] = there_.connect(); return;
    case Event::Kind::kBytes:
      if (link != links_.end()) there_.send(link->second, event.bytes);
      return;
    case Event::Kind::kClosed:
      if (link == links_.end()) return;
      there_.close(link->second);
      links_.erase(link);
      return;
    case Event::Kind::kDatagram: return there_.send_datagram(event.other, event.bytes);
    case Event::Kind::kOpened:
    case Event::Kind::kWork: return;
  }
}

Moment RoleThread::deadline() const {
  const std::scoped_lock lock(mutex_);
  return outbox_.empty() ? kNever : Moment{};
}

bool RoleThread::finished() const {
  const std::scoped_lock lock(mutex_);
  return over_ && outbox_.empty();
}

}  // namespace convoy::os
