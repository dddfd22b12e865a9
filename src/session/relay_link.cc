#include "session/relay_link.h"

#include "core/check.h"
#include "session/side_links.h"

namespace convoy {

void RelayLink::want(Owner me, const Token& token) {
  if (!wanted_) wanted_ = {me, token};
}

void RelayLink::send(FrameType type, ByteView payload) {
  EXPECTS(up_);
  Bytes frame;
  put_frame(frame, type, 0, 0, payload);
  network_.send(link_, frame);
}

void RelayLink::on_opened() {
  up_ = true;
  network_.send(link_, side_hello(SideLink::kRelay, wanted_->me, wanted_->token));
}

void RelayLink::close(Moment now) {
  network_.close(link_);
  on_closed(now);
}

void RelayLink::on_closed(Moment now) {
  link_ = 0;
  up_ = false;
  next_ = now + kPause;
}

void RelayLink::on_time(Moment now) {
  if (!wanted_ || link_ != 0 || now < next_) return;
  reader_.clear();
  reader_.set_limit(kMaxFrame);
  link_ = network_.connect();
}

}  // namespace convoy
