// Many guests of a running server in free mode, in one process, each with its own connection and acknowledgements.
//
//   bench_crowd --connect ADDR:PORT [--clients C] [--seconds S] [--rate E] [--own K]
//
// Each guest is sent the world and answers; together they push E elements (convoy.Vehicle) a second, K of their own
// each in turn, as many as fit into a datagram. Prints JSON once all have joined and S seconds have passed: elements
// sent and acknowledged, what came, and how evenly the first guest got the world.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "convoy/element.pb.h"
#include "os/clock.h"
#include "os/loop.h"
#include "os/machine.h"
#include "replication/element_sender.h"
#include "session/session.h"
#include "wire/element_packets.h"
#include "wire/live.h"

namespace {

using namespace convoy;

constexpr Duration kBeat = std::chrono::milliseconds(33);
constexpr std::size_t kAckAfter = 16;  // datagrams: an acknowledgement covers 33
constexpr std::size_t kJoining = 50;   // guests at a time: a server closes the oldest of too many silent links
constexpr int kAtOnce = 32;            // datagrams of elements between two polls of the sockets

class Crowd;

class Guest final : public Network, private SessionEvents {
 public:
  Guest(Crowd& crowd, Network& network, const std::string& name, const Endpoint& server);

  // Its half of Network: links are entered into the crowd's table.
  void send(LinkId link, ByteView bytes) override { network_.send(link, bytes); }
  void close(LinkId link) override { network_.close(link); }
  void send_datagram(const Endpoint& to, ByteView bytes) override { network_.send_datagram(to, bytes); }
  LinkId connect() override;
  std::size_t backlog(LinkId link) const override { return network_.backlog(link); }

  void on_time(Moment now);
  void beat();
  // A datagram full of its elements, `stamp` ns; how many.
  std::size_t push(std::int64_t stamp, std::uint32_t own);
  bool ready() const { return session_.registered() && begun_; }

  Session session_;
  std::uint64_t acked_elements = 0;
  std::size_t received = 0;  // datagrams since the last one that was sent
  Moment next_beat{};
  std::vector<Moment> rounds;  // when it was sent the world

 private:
  void welcomed(Moment) override {}
  void setup_loaded(ByteView, Moment) override { session_.send(FrameType::kReady, Bytes{}); }
  void frame(FrameType type, ByteView, Moment) override { begun_ = begun_ || type == FrameType::kPace; }
  bool datagram(const Datagram& datagram, Moment now) override;
  void acked(std::uint32_t datagram) override;

  Crowd& crowd_;
  Network& network_;
  bool started_ = false, begun_ = false;
  std::uint32_t lists_ = 0, next_id_ = 0;
  std::map<std::uint32_t, std::size_t> sent_;  // elements by datagram
  Vehicle vehicle_;
};

class Crowd final : public Role {
 public:
  struct Options {
    std::size_t clients = 1;
    double seconds = 3, rate = 0;
    std::uint32_t own = 100;
  };
  Crowd(Options options, os::NetLoop& loop) : options_(options) {
    for (std::size_t i = 0; i < options.clients; ++i)
      guests_.push_back(std::make_unique<Guest>(*this, loop, "guest" + std::to_string(i), loop.server_endpoint()));
  }
  void on_opened(LinkId link, Moment now) override { by_link_.at(link)->session_.on_opened(link, now); }
  void on_bytes(LinkId link, ByteView bytes, Moment now) override {
    Guest& guest = *by_link_.at(link);
    guest.session_.on_bytes(link, bytes, now);
    guest.on_time(now);
  }
  void on_closed(LinkId link, Moment now) override { by_link_.at(link)->session_.on_closed(link, now); }
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now) override;
  void on_time(Moment now) override;
  Moment deadline() const override { return pushing() ? Moment{} : next_; }
  bool finished() const override {
    return begin_ != kNever && now_ - begin_ >= Duration(static_cast<std::int64_t>(options_.seconds * 1e9));
  }
  void print() const;

  std::map<LinkId, Guest*> by_link_;

 private:
  bool pushing() const { return begin_ != kNever && options_.rate > 0; }
  void push();

  Options options_;
  std::vector<std::unique_ptr<Guest>> guests_;
  std::map<Owner, Guest*> by_number_;
  Moment now_{}, next_{}, begin_ = kNever;
  std::size_t turn_ = 0;
  std::int64_t stamp_ = 1;
  std::uint64_t sent_ = 0, datagrams_ = 0, bytes_ = 0;
};

SessionOptions session_options(const std::string& name, const Endpoint& server) {
  SessionOptions options;
  options.name = name;
  options.role = PeerRole::kForeign;
  options.datagrams = true;
  options.server = server;
  return options;
}

Guest::Guest(Crowd& crowd, Network& network, const std::string& name, const Endpoint& server)
    : session_(session_options(name, server), *this, *this), crowd_(crowd), network_(network) {
  for (int i = 0; i < 4; ++i) vehicle_.add_wheels()->mutable_p()->set_y(i + 0.25);
  vehicle_.mutable_chassis()->mutable_q()->set_w(1);
}

LinkId Guest::connect() {
  const LinkId link = network_.connect();
  crowd_.by_link_[link] = this;
  return link;
}

void Guest::on_time(Moment now) {
  if (!std::exchange(started_, true)) session_.start(now);
  session_.on_time(now);
  if (ready() && received > 0 && (now >= next_beat || received >= kAckAfter)) beat(), next_beat = now + kBeat;
  session_.flush();
}

void Guest::beat() {
  Bytes payload;
  Writer w(payload);
  w.u32(++lists_), w.u16(0), w.u16(1);
  session_.send_datagram(DatagramType::kElements, kDeltaFlag, 0, payload);
  received = 0;
}

std::size_t Guest::push(std::int64_t stamp, std::uint32_t own) {
  Bytes payload;
  Writer w(payload);
  w.u32(++lists_), w.u16(0), w.u16(1);
  std::size_t n = 0;
  vehicle_.set_connection(session_.number().value());
  vehicle_.set_stamp(stamp);
  for (;; ++n) {
    vehicle_.set_id(next_id_ % own + 1);
    vehicle_.mutable_chassis()->mutable_p()->set_x(static_cast<double>(stamp % 1000));
    const std::string text = vehicle_.SerializeAsString();
    if (payload.size() + kRecordHeader + text.size() > kMaxDatagramPayload) break;
    w.u32(element_type_id("convoy.Vehicle")), w.blob(as_bytes(text));
    ++next_id_;
  }
  sent_[session_.send_datagram(DatagramType::kElements, kDeltaFlag, 0, payload)] = n;
  while (sent_.size() > (1u << 18)) sent_.erase(sent_.begin());
  received = 0;
  return n;
}

bool Guest::datagram(const Datagram& datagram, Moment now) {
  if (!ElementSender::is_beat(datagram)) ++received;
  if (datagram.type == DatagramType::kStates) rounds.push_back(now);
  return true;
}

void Guest::acked(std::uint32_t datagram) {
  const auto it = sent_.find(datagram);
  if (it == sent_.end()) return;
  acked_elements += it->second;
  sent_.erase(it);
}

void Crowd::on_datagram(const Endpoint& from, ByteView bytes, Moment now) {
  ++datagrams_, bytes_ += bytes.size();
  std::uint32_t number = 0;
  if (bytes.size() < 8) return;
  std::memcpy(&number, bytes.data() + 4, sizeof number);
  const auto it = by_number_.find(Owner(number));
  if (it != by_number_.end()) it->second->session_.on_datagram(from, bytes, now);
}

void Crowd::on_time(Moment now) {
  now_ = now;
  if (now >= next_) {
    next_ = now + std::chrono::milliseconds(5);
    bool all = true;
    std::size_t joining = 0;
    for (const auto& guest : guests_) {
      if (!guest->ready() && ++joining > kJoining) {
        all = false;
        break;
      }
      guest->on_time(now);
      if (guest->session_.welcome()) by_number_[guest->session_.number()] = guest.get();
      all = all && guest->ready();
    }
    if (all && begin_ == kNever) {
      fmt::print("ready\n");  // whoever measures the server begins now
      std::fflush(stdout);
      begin_ = now, datagrams_ = bytes_ = 0;
      guests_[0]->rounds.clear();
    }
  }
  if (pushing()) push();
}

void Crowd::push() {
  const double due = options_.rate * seconds(now_ - begin_);
  for (int i = 0; i < kAtOnce && static_cast<double>(sent_) < due; ++i) {
    turn_ = (turn_ + 1) % guests_.size();
    sent_ += guests_[turn_]->push(stamp_++, options_.own);
  }
}

void Crowd::print() const {
  std::uint64_t acked = 0;
  for (const auto& guest : guests_) acked += guest->acked_elements;
  std::vector<double> gaps;  // between rounds, each of which may be several datagrams
  const std::vector<Moment>& rounds = guests_[0]->rounds;
  for (std::size_t i = 1; i < rounds.size(); ++i)
    if (const double gap = seconds(rounds[i] - rounds[i - 1]); gap > 0.003) gaps.push_back(gap * 1e3);
  std::sort(gaps.begin(), gaps.end());
  const auto at = [&](double part) {
    return gaps.empty() ? 0.0 : gaps[static_cast<std::size_t>(part * static_cast<double>(gaps.size() - 1))];
  };
  fmt::print(
      "{{\"sent\": {}, \"acked\": {}, \"datagrams_in\": {}, \"bytes_in\": {}, \"rounds\": {}, "
      "\"round_ms_p50\": {:.1f}, \"round_ms_p99\": {:.1f}, \"round_ms_max\": {:.1f}}}\n",
      sent_, acked, datagrams_, bytes_, gaps.size() + 1, at(0.5), at(0.99), at(1));
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options{
      {"connect", ""}, {"clients", "1"}, {"seconds", "3"}, {"rate", "0"}, {"own", "100"}};
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i] + 2] = argv[i + 1];
  os::raise_descriptor_limit();  // two links a guest
  os::NetLoopOptions net;
  net.connect = options["connect"];
  auto loop = os::NetLoop::open(net);
  if (!loop) return 1;
  Crowd crowd({static_cast<std::size_t>(std::atoll(options["clients"].c_str())), std::atof(options["seconds"].c_str()),
               std::atof(options["rate"].c_str()), static_cast<std::uint32_t>(std::atoll(options["own"].c_str()))},
              **loop);
  if (!(*loop)->run(crowd)) return 1;
  crowd.print();
  return 0;
}
