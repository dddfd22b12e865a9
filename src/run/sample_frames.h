// What robot clients and sensor hosts send each other by the server: what is ordered, and what comes of it.
//
//   client -> server -> sensor host   kOrders    samples of boundary k, which the host has been shown before
//   sensor host -> server -> client   kSamples   in pieces, where they are large; on links of their own (session/peer_ways.h)
//   sensor host -> server -> client   kIntroduce where it takes a link for samples to that client
//   server -> client                  kPlaces    whose samples are ordered where from now on, and who is gone
//   server -> client                  kWanted    samples of these sensors are sent to the server
//   viewer -> server                  kWanted    samples of these sensors are sent to the viewer
//   client -> server -> viewer        kSamples   for the server, with nobody as their receiver; then from nobody
//   client -> server                  kLate      who is given up; in free mode how many were late
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "agent/sensor_picker.h"
#include "core/ports.h"
#include "sensing/sample_order.h"
#include "wire/frame.h"
#include "world/edit.h"

namespace convoy {

// Who sends it to whom; in front of what is passed on, so that the server reads no more of them.
struct Passed {
  Owner from = kNobody, to = kNobody;
};
// False: it is cut short.
bool peek_passed(ByteView payload, Passed& passed);

struct Orders {
  Passed passed;
  std::uint32_t run = 0;
  Tick tick = 0;  // the boundary
  std::vector<SampleOrder> orders;
  std::vector<RobotState> robots;  // free mode: those of which samples are ordered
};
struct SamplePiece {
  SampleName name;
  struct When {
    Instant at{};        // it was taken
    Duration period{0};  // to the next one
  };
  When when;                            // none, where it is known who ordered it
  std::uint32_t offset = 0, total = 0;  // bytes, of the canonical ones of SampleData
  Bytes bytes;
  std::string why;  // of one that could not be taken, in its first piece
};
struct SamplePieces {
  Passed passed;
  std::uint32_t run = 0;
  Tick tick = 0;  // the boundary of its orders; to the server: at which they were delivered
  std::vector<SamplePiece> pieces;
  std::uint64_t lacking = 0;  // to the server: samples that could not be sent since the last frame
};
// Of which sensors the server, or a viewer, is sent samples from now on: those that one of the lists names.
struct WantedSamples {
  std::vector<std::vector<SensorChoice>> lists;
};
// Where a sensor host takes a link from that client, once (session/direct_links.h).
struct Introduction {
  Passed passed;
  // As the server sees the sensor host, which leaves the address empty. Port 0: the link that there was is lost, and what
  // was under way on it; from nobody: samples wait at the server for a link on which they are passed on.
  Endpoint where;
  Bytes secret;  // 16; of a lost one none
};
// What these owe has been waited for too long, or makes no sense. And, in free mode, what has become of samples since the
// last such frame.
struct Late {
  std::vector<Owner> hosts;
  std::uint64_t came = 0;     // from sensor hosts
  std::uint64_t late = 0;     // of those that were ordered, had not come when they were due
  std::uint64_t skipped = 0;  // left out since an older one of the same sensor was late, or dropped with their host
};
struct Places {
  struct Place {
    WorldNumber robot = kNoEntity;
    std::uint32_t sensor = 0;
    Owner host = kNobody;  // kNobody: where its robot runs
  };
  std::vector<Place> places;
  std::vector<Owner> gone;  // hosts from which nothing comes any more
};
template <class V, MaybeConst<Passed> T>
void fields(V& v, T& p) {
  v("from", p.from), v("to", p.to);
}
template <class V, MaybeConst<Orders> T>
void fields(V& v, T& o) {
  v("passed", o.passed), v("run", o.run), v("tick", o.tick), v("orders", o.orders), v("robots", o.robots);
}
template <class V, MaybeConst<SamplePiece> T>
void fields(V& v, T& p) {
  v("name", p.name), v("at", p.when.at), v("period", p.when.period), v("offset", p.offset), v("total", p.total),
      v("bytes", p.bytes), v("why", p.why);
}
template <class V, MaybeConst<SamplePieces> T>
void fields(V& v, T& s) {
  v("passed", s.passed), v("run", s.run), v("tick", s.tick), v("pieces", s.pieces);
  v("lacking", s.lacking);
}
template <class V, MaybeConst<WantedSamples> T>
void fields(V& v, T& w) {
  v("lists", w.lists);
}
template <class V, MaybeConst<Introduction> T>
void fields(V& v, T& i) {
  v("passed", i.passed), v("high", i.where.high), v("low", i.where.low), v("port", i.where.port);
  v("secret", i.secret);
}
template <class V, MaybeConst<Late> T>
void fields(V& v, T& l) {
  v("hosts", l.hosts), v("came", l.came), v("late", l.late), v("skipped", l.skipped);
}
template <class V, MaybeConst<Places::Place> T>
void fields(V& v, T& p) {
  v("robot", p.robot), v("sensor", p.sensor), v("host", p.host);
}
template <class V, MaybeConst<Places> T>
void fields(V& v, T& p) {
  v("places", p.places), v("gone", p.gone);
}

inline constexpr std::uint32_t kMostSample = 64 * 1024 * 1024;  // bytes of one

// Payloads of about kMaxChunk each, each with the states of the robots in it that are given; by world number.
std::vector<Bytes> encode_orders(Orders orders);
// A sample as pieces, which are added.
void cut(const SampleName& name, const SamplePiece::When& when, const SampleData& data,
         std::vector<SamplePiece>& pieces);
std::vector<Bytes> encode_samples(SamplePieces samples);
std::vector<Bytes> encode_places(const Places& places);

// Puts samples together that come in pieces, each in order.
class SampleCollector {
 public:
  struct Whole {
    Tick tick = 0;
    SampleName name;
    Instant at{};
    Duration period{0};
    SampleData data;
  };
  // What became whole by these is added to `out`. False: they are none.
  bool take(const SamplePieces& pieces, std::vector<Whole>& out);
  void clear() { begun_.clear(), cut_.clear(); }
  // A way from that host is lost. The rest of what had begun to come may have been under way on another one: it is skipped.
  void forget(Owner host);

 private:
  using Key = std::tuple<Owner, Tick, SampleName>;
  std::map<Key, Bytes> begun_;
  std::set<Key> cut_;
};

}  // namespace convoy
