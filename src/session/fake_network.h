// A network that records what is sent, for tests of one side of a session.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ports.h"
#include "wire/frame.h"

namespace convoy::testing {

class FakeNetwork final : public Network {
 public:
  struct Sent {
    FrameHeader header;
    Bytes payload;
  };

  void send(LinkId link, ByteView bytes) override {
    if (!closed.count(link)) out[link].insert(out[link].end(), bytes.begin(), bytes.end());
  }
  void close(LinkId link) override { closed.insert(link); }
  void send_datagram(const Endpoint&, ByteView bytes) override { datagrams.emplace_back(bytes.begin(), bytes.end()); }
  LinkId connect() override { return ++last_link; }
  Endpoint peer(LinkId link) const override { return peers.count(link) ? peers.at(link) : Endpoint{}; }
  std::size_t backlog(LinkId link) const override { return queue_full.count(link) ? 1 << 30 : 0; }

  // The frames that were sent on the link since the last call.
  std::vector<Sent> take(LinkId link) {
    std::vector<Sent> frames;
    const Bytes bytes = std::exchange(out[link], {});
    FrameReader reader;
    reader.set_limit(kMaxFrame);
    reader.feed(bytes);
    FrameHeader header;
    ByteView payload;
    while (reader.next(header, payload)) frames.push_back({header, Bytes(payload.begin(), payload.end())});
    return frames;
  }
  // Their names in order, as text: "welcome udp_confirmed".
  static std::string names(const std::vector<Sent>& frames) {
    std::string text;
    for (const Sent& frame : frames) {
      if (!text.empty()) text += " ";
      text += frame.header.type ? name_of(*frame.header.type) : "unknown";
    }
    return text;
  }

  std::map<LinkId, Bytes> out;
  std::set<LinkId> closed, queue_full;
  std::map<LinkId, Endpoint> peers;
  std::vector<Bytes> datagrams;
  LinkId last_link = 0;
};

class QuietLog final : public Log {
 public:
  void line(LogLevel, const std::string& text) override { lines.push_back(text); }
  std::vector<std::string> lines;
};

// Calls on_time() as a loop does that heartbeats wake: every 100 ms, and at `to`.
template <class Judge>
void listen(Judge& judge, Moment from, Moment to) {
  for (Moment now = from; now < to; now += std::chrono::milliseconds(100)) judge.on_time(now);
  judge.on_time(to);
}

}  // namespace convoy::testing
