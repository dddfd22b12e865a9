#include "testing/signs.h"

#include <utility>

#include "session/side_links.h"

namespace convoy::testing {

void Signs::on_opened(LinkId link, Moment now) {
  if (link != link_) return;
  open_ = true;
  network_.send(link_, side_hello(SideLink::kLife, session_.number(), session_.token()));
  next_ = now;
}

void Signs::on_closed(LinkId link, Moment) {
  if (link == link_) link_ = 0, open_ = false;
}

void Signs::on_time(Moment now) {
  if (now < next_) return;
  const bool wanted = session_.welcome() && session_.liveness().count() > 0;
  next_ = now + (wanted ? Listening::most(session_.liveness()) : Duration(std::chrono::milliseconds(100)));
  if (!wanted) return;
  if (open_) {
    network_.send(link_, life_sign("callback of node '/test'"));
    ++sent_;
    return;
  }
  if (link_ != 0) network_.close(link_);  // was asked for with the last sign, and nobody answers
  link_ = network_.connect();
}

}  // namespace convoy::testing
