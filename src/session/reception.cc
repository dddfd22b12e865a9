#include "session/reception.h"

#include <algorithm>

#include "convoy/control.pb.h"
#include "core/check.h"

namespace convoy {

namespace {

constexpr std::uint64_t kDeclineLines = 5;  // of log, in each
constexpr Duration kDeclinePeriod = std::chrono::seconds(1);

}  // namespace

void Reception::open(LinkId link, const Endpoint& from, Duration now) {
  const Endpoint address{from.high, from.low, 0};
  // A real client sends its Hello within a round trip; the oldest silent link is the least likely to be one.
  if (!is_this_machine(address)) {
    const auto count = static_cast<std::size_t>(
        std::count_if(links_.begin(), links_.end(), [&](const auto& l) { return l.second.from == address; }));
    if (count >= rules_.max_links_of_peer) close_oldest(&address);
  }
  if (links_.size() >= rules_.max_links) close_oldest(nullptr);
  Link& made = links_[link];
  made.from = address;
  made.since = now;
}

void Reception::close_oldest(const Endpoint* from) {
  auto oldest = links_.end();
  for (auto it = links_.begin(); it != links_.end(); ++it)
    if ((!from || it->second.from == *from) && (oldest == links_.end() || it->second.since < oldest->second.since))
      oldest = it;
  EXPECTS(oldest != links_.end());
  drops_.count(Drop::kFull);
  network_.close(oldest->first);
  links_.erase(oldest);
}

std::optional<ByteView> Reception::read(LinkId link, ByteView bytes) {
  Link& l = links_.at(link);
  if (l.declined) return {};
  l.reader.feed(bytes);
  FrameHeader header;
  ByteView payload;
  if (l.reader.next(header, payload)) {
    if (header.type == FrameType::kHello) return payload;
    drops_.count(Drop::kUnexpected);
    decline(link, DeclineCode::kMalformed, "the first message must be a Hello");
  } else if (const auto trouble = l.reader.trouble(); trouble != FrameReader::Trouble::kNone) {
    drops_.count(drop_of(trouble));
    decline(link, DeclineCode::kMalformed, "this is no Hello of this protocol");
  }
  return {};
}

FrameReader Reception::leave(LinkId link) {
  const auto it = links_.find(link);
  EXPECTS(it != links_.end());
  FrameReader reader = std::move(it->second.reader);
  links_.erase(it);
  reader.set_limit(kMaxFrame);
  return reader;
}

namespace {

Bytes decline_frame(DeclineCode code, const std::string& text, Duration longer = {}) {
  proto::Decline message;
  message.set_code(static_cast<std::uint32_t>(code));
  message.set_text(text);
  message.set_longer_ns(nanos(longer));
  Bytes out;
  put_frame(out, FrameType::kDecline, 0, 0, as_bytes(message.SerializeAsString()));
  return out;
}

}  // namespace

void Reception::count_decline(LinkId link, const std::string& text) {
  drops_.count(Drop::kDeclined);
  if (audit_) audit_->write({.what = "declined", .from = network_.peer(link), .text = text});
  if (++declined_lately_ <= kDeclineLines) log_.line(LogLevel::kInfo, "declined a connection: " + text);
}

void Reception::decline_for_now(LinkId link, DeclineCode code, const std::string& text, Duration longer) {
  count_decline(link, text);
  network_.send(link, decline_frame(code, text, longer));
  network_.close(link);
  links_.erase(link);
}

void Reception::decline(LinkId link, DeclineCode code, const std::string& text, Duration at) {
  count_decline(link, text);
  Bytes out = decline_frame(code, text);
  if (at > Duration(0)) {
    Link& l = links_.at(link);
    l.declined = std::move(out), l.due = at;
    return;
  }
  network_.send(link, out);
  network_.close(link);
  links_.erase(link);
}

void Reception::on_time(Moment now, Duration listened) {
  if (now >= next_period_) {
    next_period_ = now + kDeclinePeriod;
    if (declined_lately_ > kDeclineLines)
      log_.line(LogLevel::kInfo, "declined " + std::to_string(declined_lately_ - kDeclineLines) + " more connections");
    declined_lately_ = 0;
  }
  for (auto it = links_.begin(); it != links_.end();) {
    const auto here = it++;
    if (here->second.declined) {
      if (listened < here->second.due) continue;
      network_.send(here->first, *here->second.declined);
      network_.close(here->first);
      links_.erase(here);
    } else if (listened - here->second.since >= rules_.timeout) {
      drops_.count(Drop::kHandshakeTimeout);
      decline(here->first, DeclineCode::kMalformed, "no Hello within the handshake time");
    }
  }
}

Moment Reception::deadline(const Listening& listening, Duration most) const {
  Moment next = kNever;
  for (const auto& [link, l] : links_) {
    const Duration left = (l.declined ? l.due : l.since + rules_.timeout) - listening.time();
    next = std::min(next, listening.when(listening.time() + std::min(left, most)));
  }
  return next;
}

}  // namespace convoy
