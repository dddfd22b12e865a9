#include "run/sample_frames.h"

#include <algorithm>
#include <utility>

namespace convoy {

namespace {

struct Body {
  SampleData data;
};
template <class V, MaybeConst<Body> T>
void fields(V& v, T& b) {
  v("data", b.data);
}

// Frames of elements of a list that is cut where it grows beyond a chunk, from the first frame on, without its elements,
// and the others. `beside`: adds to a frame what goes with the element that comes into it next, and says how many bytes
// that is.
template <class Frame, class List, class Beside>
std::vector<Bytes> in_chunks(Frame next, const Frame& other, List Frame::*list, List all, Beside beside) {
  std::vector<Bytes> out;
  std::size_t bytes = 0;
  for (auto& one : all) {
    const std::size_t size = save(one).size();
    if (bytes > 0 && bytes + size > kMaxChunk) {
      out.push_back(save(next));
      next = other, bytes = 0;
    }
    bytes += size + beside(next, one);
    (next.*list).push_back(std::move(one));
  }
  if (!(next.*list).empty()) out.push_back(save(next));
  return out;
}
template <class Frame, class List>
std::vector<Bytes> in_chunks(const Frame& empty, List Frame::*list, List all) {
  return in_chunks(empty, empty, list, std::move(all), [](Frame&, const auto&) { return std::size_t{0}; });
}

}  // namespace

bool peek_passed(ByteView payload, Passed& passed) {
  Reader in(payload);
  LoadFields v(in);
  fields(v, passed);
  return in.ok();
}

std::vector<Bytes> encode_orders(Orders orders) {
  const auto robot_of = [&](Orders& frame, const SampleOrder& order) -> std::size_t {
    const auto known = std::lower_bound(orders.robots.begin(), orders.robots.end(), order.robot,
                                        [](const RobotState& r, WorldNumber number) { return r.robot < number; });
    if (known == orders.robots.end() || known->robot != order.robot) return 0;
    if (!frame.robots.empty() && frame.robots.back().robot == order.robot) return 0;
    frame.robots.push_back(*known);
    return save(*known).size();
  };
  const Orders empty{orders.passed, orders.run, orders.tick, {}, {}};
  return in_chunks(empty, empty, &Orders::orders, std::move(orders.orders), robot_of);
}

void cut(const SampleName& name, const SamplePiece::When& when, const SampleData& data,
         std::vector<SamplePiece>& pieces) {
  const Bytes bytes = save(Body{data});
  const auto* none = std::get_if<NoReading>(&data);
  const auto total = static_cast<std::uint32_t>(bytes.size());
  for (std::uint32_t offset = 0; offset < total;) {
    const auto size = std::min<std::uint32_t>(total - offset, kMaxChunk / 2);
    const auto from = bytes.begin() + offset;
    pieces.push_back(
        {name, when, offset, total, Bytes(from, from + size), none && offset == 0 ? none->why.substr(0, 1000) : ""});
    offset += size;
  }
}

std::vector<Bytes> encode_samples(SamplePieces samples) {
  std::vector<SamplePiece> pieces = std::move(samples.pieces);
  const SamplePieces following{samples.passed, samples.run, samples.tick, {}, 0};
  samples.pieces.clear();
  return in_chunks(samples, following, &SamplePieces::pieces, std::move(pieces),
                   [](SamplePieces&, const SamplePiece&) { return std::size_t{0}; });
}

std::vector<Bytes> encode_places(const Places& places) {
  std::vector<Bytes> out = in_chunks(Places{}, &Places::places, places.places);
  if (!places.gone.empty()) out.push_back(save(Places{{}, places.gone}));
  return out;
}

void SampleCollector::forget(Owner host) {
  std::erase_if(cut_, [&](const Key& key) { return std::get<0>(key) == host; });
  std::erase_if(begun_, [&](const auto& one) {
    if (std::get<0>(one.first) != host) return false;
    cut_.insert(one.first);
    return true;
  });
}

bool SampleCollector::take(const SamplePieces& pieces, std::vector<Whole>& out) {
  for (const SamplePiece& piece : pieces.pieces) {
    const Key key{pieces.passed.from, pieces.tick, piece.name};
    if (piece.offset > 0 && cut_.contains(key)) continue;
    Bytes& bytes = begun_[key];
    if (piece.offset != bytes.size() || piece.bytes.empty() || piece.total > kMostSample ||
        piece.bytes.size() > piece.total - piece.offset)
      return begun_.erase(key), false;
    bytes.insert(bytes.end(), piece.bytes.begin(), piece.bytes.end());
    if (bytes.size() < piece.total) continue;
    Body body;
    const bool sound = load(bytes, body);
    begun_.erase(key);
    if (!sound) return false;
    if (auto* none = std::get_if<NoReading>(&body.data)) none->why = piece.why;
    out.push_back({pieces.tick, piece.name, piece.when.at, piece.when.period, std::move(body.data)});
  }
  return true;
}

}  // namespace convoy
