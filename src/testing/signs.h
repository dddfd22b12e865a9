// Signs of life of a host in virtual time, as its thread gives them (os/sign_of_life.h): the host may be busy meanwhile.
#pragma once

#include "session/session.h"

namespace convoy::testing {

class Signs final : public Role {
 public:
  // Of whom; both outlive it.
  Signs(const Session& session, Network& network) : session_(session), network_(network) {}

  void on_opened(LinkId link, Moment now) override;
  void on_bytes(LinkId, ByteView, Moment) override { declined_ = true; }
  void on_closed(LinkId link, Moment now) override;
  void on_datagram(const Endpoint&, ByteView, Moment) override {}
  void on_time(Moment now) override;
  Moment deadline() const override { return next_; }
  bool finished() const override { return declined_ || session_.ended().has_value(); }

  std::uint64_t sent() const { return sent_; }

 private:
  const Session& session_;
  Network& network_;
  LinkId link_ = 0;
  bool open_ = false, declined_ = false;
  Moment next_{};
  std::uint64_t sent_ = 0;
};

}  // namespace convoy::testing
