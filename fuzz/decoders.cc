#include <string>

#include "convoy/control.pb.h"
#include "core/check.h"
#include "fuzz/targets.h"
#include "roles/evictions.h"
#include "run/cost_meter.h"
#include "run/sample_frames.h"
#include "session/world_image.h"
#include "shapes/tessellate.h"
#include "wire/datagram.h"
#include "wire/element_packets.h"
#include "wire/frame.h"
#include "wire/journal.h"
#include "wire/live.h"
#include "wire/lockstep.h"
#include "world/code_file.h"
#include "world/world.h"

namespace convoy::fuzz {

namespace {

// What can be read is written as it is read.
template <class T>
bool reread(ByteView bytes) {
  T value;
  if (!load(bytes, value)) return false;
  const Bytes first = save(value);
  T again;
  EXPECTS(load(first, again));
  EXPECTS(save(again) == first);
  return true;
}

// Shapes that are sound can be used: placed, and drawn.
bool use_shapes(ByteView bytes) {
  if (!reread<Shapes>(bytes)) return false;
  Shapes shapes;
  EXPECTS(load(bytes, shapes));
  constexpr std::array<double, 8> kJoints{0.1, 0.2, 0.3, 1, 0, 0, 0, 2};
  if (!problem_of(shapes, kJoints.size()).empty()) return true;
  std::vector<Pose> X_WL;
  place_links(shapes, {{}, {}, kJoints}, X_WL);
  for (const Shape& shape : shapes.shapes) EXPECTS(shape.link < X_WL.size());
  std::size_t triangles = 0;
  for (const Shape& shape : shapes.shapes)
    if (triangles < 100'000) triangles += triangles_of(shape, shapes).triangle_count();
  return true;
}

constexpr bool (*kStructs[])(ByteView) = {
    reread<Edits>,    reread<Open>,       reread<Messages>,       reread<Push>,         reread<Taken>,
    reread<TickDone>, reread<Allow>,      reread<OwnEdit>,        reread<Done>,         reread<InnerBytes>,
    reread<Ask>,      reread<HostReport>, reread<ImagePiece>,     reread<Pace>,         reread<Inputs>,
    reread<Setup>,    reread<CodeList>,   reread<InterestRegion>, reread<JournalEntry>, reread<Model>,
    reread<AddFile>,  use_shapes,         reread<Orders>,         reread<SamplePieces>, reread<Places>,
    reread<View>,     reread<Late>,       reread<WantedSamples>,  reread<Costs>};
constexpr std::size_t kStructCount = std::size(kStructs);

Bytes with_first(std::size_t first, const Bytes& rest) {
  Bytes out;
  Writer w(out);
  w.u8(static_cast<std::uint8_t>(first)), w.bytes(rest);
  return out;
}

template <class T>
void add(std::vector<Bytes>& out, std::size_t index, const T& value) {
  out.push_back(with_first(index, save(value)));
}

}  // namespace

// The first byte: how many bytes the stream brings at a time.
bool frames(ByteView input) {
  if (input.empty()) return false;
  const std::size_t step = input[0] + std::size_t{1};
  FrameReader reader;
  reader.set_limit(kMaxFrame);
  bool any = false;
  for (std::size_t at = 1; at < input.size(); at += step) {
    reader.feed(input.subspan(at, std::min(step, input.size() - at)));
    FrameHeader header;
    ByteView payload;
    while (reader.next(header, payload)) {
      any = true;
      proto::Hello hello;
      proto::Request request;
      (void)hello.ParseFromArray(payload.data(), static_cast<int>(payload.size()));
      (void)request.ParseFromArray(payload.data(), static_cast<int>(payload.size()));
    }
  }
  return any && reader.trouble() == FrameReader::Trouble::kNone;
}

std::vector<Bytes> frame_seeds() {
  proto::Hello hello;
  hello.set_protocol(2), hello.set_name("host0"), hello.set_role(proto::ROBOT_CLIENT);
  const std::string text = hello.SerializeAsString();
  std::vector<Bytes> out;
  for (const std::size_t step : {0, 6, 255}) {
    Bytes bytes{static_cast<std::uint8_t>(step)};
    put_frame(bytes, FrameType::kHello, 0, 0, as_bytes(text));
    put_frame(bytes, FrameType::kReady, 1, 0, {});
    put_frame(bytes, FrameType::kHeartbeat, 0, 1, {});
    out.push_back(std::move(bytes));
  }
  return out;
}

bool datagrams(ByteView input) {
  Datagram datagram;
  (void)parse_datagram(input, datagram, true);  // the checksum, too; below it goes on without
  if (parse_datagram(input, datagram, false) != DatagramTrouble::kNone) return false;
  static const auto types = ElementTypes::make();
  EXPECTS(types);
  ElementPacket packet;
  const RawPayload raw{datagram.type, datagram.flags, datagram.payload};
  (void)read_elements(raw, packet);
  (void)parse_payload(*types, raw);
  Bytes again;
  EXPECTS(put_datagram(again, datagram));
  return true;
}

std::vector<Bytes> datagram_seeds() {
  std::vector<Bytes> out;
  for (const DatagramType type : {DatagramType::kRegister, DatagramType::kAnswer, DatagramType::kElements,
                                  DatagramType::kElement, DatagramType::kStates, DatagramType::kClock}) {
    Datagram d;
    d.type = type, d.connection = Owner(1), d.seq = 1;
    const Bytes payload(24, 1);
    d.payload = payload;
    Bytes bytes;
    if (put_datagram(bytes, d)) out.push_back(std::move(bytes));
  }
  return out;
}

// The first byte: as what the rest is read.
bool canonical(ByteView input) { return !input.empty() && kStructs[input[0] % kStructCount](input.subspan(1)); }

std::vector<Bytes> canonical_seeds() {
  std::vector<Bytes> out;
  add(out, 0, Edits{}), add(out, 1, Open{}), add(out, 2, Messages{}), add(out, 3, Push{}), add(out, 4, Taken{});
  add(out, 5, TickDone{}), add(out, 6, Allow{}), add(out, 8, Done{}), add(out, 9, InnerBytes{}), add(out, 10, Ask{});
  add(out, 11, HostReport{}), add(out, 12, ImagePiece{}), add(out, 13, Pace{}), add(out, 14, Inputs{});
  add(out, 15, small_setup()), add(out, 16, CodeList{}), add(out, 17, InterestRegion{});
  add(out, 19, built_in_models()[0]), add(out, 20, AddFile{});
  add(out, 21, *shapes_of(built_in_models()[2], {}));
  add(out, 22, Orders{{Owner(1), Owner(2)}, 0, 3, {SampleOrder{}}}), add(out, 25, View{});
  add(out, 23, SamplePieces{{Owner(2), Owner(1)}, 0, 3, {SamplePiece{.total = 3, .bytes = {1, 2, 3}}}});
  add(out, 24, Places{{{WorldNumber(1), 0, Owner(2)}}, {Owner(3)}});
  add(out, 26, Late{{Owner(3)}, 1, 2, 3}), add(out, 27, WantedSamples{{{{"*/scan", Duration(5)}}}});
  add(out, 28, Costs{Duration(7), 9, {{WorldNumber(1), 0, 2, 3}}});
  Edits edits;
  add(out, 0, edits);
  return out;
}

bool states(ByteView input) {
  auto world = World::make(small_setup());
  EXPECTS(world);
  StatesHeader header;
  if (!peek_states(input, header)) return false;
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < world->entities().size(); ++i) slots.push_back(Slot(static_cast<std::uint32_t>(i)));
  std::uint32_t done = 0;
  return decode_states(input, *world, slots, {}, {}, done).has_value();
}

std::vector<Bytes> state_seeds() {
  auto world = World::make(small_setup());
  EXPECTS(world);
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < world->entities().size(); ++i) slots.push_back(Slot(static_cast<std::uint32_t>(i)));
  const std::vector<AgentHash> hashes(slots.size());
  return encode_states({0, 0, Owner(1)}, *world, world->snapshot(), slots, hashes, {});
}

}  // namespace convoy::fuzz
