#include "apps/network.h"

#include <arpa/inet.h>

#include <atomic>

#include "os/clock.h"
#include "os/machine.h"
#include "os/signals.h"

namespace convoy::apps {

namespace {

// Adds a steady beat to a role's deadlines, for progress.
class WithBeat final : public Role {
 public:
  WithBeat(Role& role, const std::function<void(Moment)>& beat) : role_(role), beat_(beat) {}
  void on_opened(LinkId link, Moment now) override { role_.on_opened(link, now); }
  void on_bytes(LinkId link, ByteView bytes, Moment now) override { role_.on_bytes(link, bytes, now); }
  void on_closed(LinkId link, Moment now) override { role_.on_closed(link, now); }
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now) override { role_.on_datagram(from, bytes, now); }
  void on_time(Moment now) override {
    role_.on_time(now);
    if (!beat_ || now < next_) return;
    next_ = now + std::chrono::milliseconds(200);
    beat_(now);
  }
  Moment deadline() const override { return beat_ ? std::min(role_.deadline(), next_) : role_.deadline(); }
  bool finished() const override { return role_.finished(); }

 private:
  Role& role_;
  const std::function<void(Moment)>& beat_;
  Moment next_{};
};

}  // namespace

Result<bool> drive(os::NetLoop& loop, Role& role, const std::function<void()>& stop,
                   const std::function<void(Moment)>& tick) {
  std::atomic<bool> interrupted{false};
  os::Signals signals([&](int) {
    interrupted = true;
    loop.post([&] { stop(); });
  });
  WithBeat with_beat(role, tick);
  if (auto ok = loop.run(with_beat); !ok) return tl::unexpected(ok.error());
  return interrupted.load();
}

std::string host_to_dial(const std::string& listen) {
  const std::string host = listen.substr(0, listen.rfind(':'));
  return host == "0.0.0.0" ? "127.0.0.1" : host == "[::]" ? "[::1]" : host;
}

bool loopback(const std::string& address) {
  const std::string host = address.substr(0, address.rfind(':'));
  in_addr number{};
  const bool v4 = inet_pton(AF_INET, host.c_str(), &number) == 1;  // a name that only resembles one is none
  return (v4 && ntohl(number.s_addr) >> 24 == 127) || host == "localhost" || host == "[::1]";
}

}  // namespace convoy::apps
