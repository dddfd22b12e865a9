// An attacker for tests: tries wrong tokens, sends garbage, and opens links that never send Hello.
#pragma once

#include <cstdint>
#include <map>

#include "core/ports.h"
#include "core/random.h"
#include "wire/frame.h"

namespace convoy::testing {

class Stranger final : public Role {
 public:
  Stranger(std::uint64_t seed, Network& network, Endpoint server)
      : random_{seed, 0}, network_(network), server_(server) {}

  void on_opened(LinkId link, Moment now) override;
  void on_bytes(LinkId link, ByteView bytes, Moment now) override;
  void on_closed(LinkId link, Moment now) override;
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now) override;
  void on_time(Moment now) override;
  Moment deadline() const override { return next_; }
  bool finished() const override { return false; }

  bool welcomed() const { return welcomed_; }  // must never be
  std::uint64_t wrong_tokens() const { return wrong_tokens_; }
  std::uint64_t garbage() const { return garbage_; }

 private:
  Random random_;
  Network& network_;
  Endpoint server_;
  Moment next_{};
  std::map<LinkId, FrameReader> readers_;
  bool welcomed_ = false;
  std::uint64_t wrong_tokens_ = 0, garbage_ = 0;
};

}  // namespace convoy::testing
