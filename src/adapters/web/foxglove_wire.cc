#include "adapters/web/foxglove_wire.h"

namespace convoy::web {

namespace {

enum : std::uint8_t { kData = 1, kTime = 2, kResponse = 3, kPlaybackState = 5 };  // from us
enum : std::uint8_t { kPublished = 1, kCall = 2, kPlay = 3 };                     // from clients
enum : std::uint8_t { kPlaying = 0, kPaused = 1, kEnded = 3 };                    // of a playback state

template <class T>
std::optional<FoxgloveAsked> whole(const Reader& in, T value) {
  if (!in.done()) return std::nullopt;
  return value;
}

float real(Reader& in) {
  float out = 0;
  const ByteView bytes = in.bytes(sizeof out);
  if (bytes.size() == sizeof out) std::memcpy(&out, bytes.data(), sizeof out);
  return out;
}

Bytes rest(Reader& in) {
  const ByteView bytes = in.bytes(in.left());
  return {bytes.begin(), bytes.end()};
}

std::optional<FoxgloveAsked> play(Reader& in) {
  FoxglovePlay out;
  const std::uint8_t command = in.u8();
  if (command > 1) return std::nullopt;
  out.pause = command == 1, out.speed = real(in), out.seeks = in.u8() != 0;
  in.u64();  // where to: nothing here goes back
  out.request = in.text();
  return whole(in, std::move(out));
}

}  // namespace

Bytes foxglove_data(std::uint32_t subscription, std::uint64_t time_ns, ByteView message) {
  Bytes out;
  out.reserve(13 + message.size());
  Writer w(out);
  w.u8(kData), w.u32(subscription), w.u64(time_ns), w.bytes(message);
  return out;
}

Bytes foxglove_time(std::uint64_t time_ns) {
  Bytes out;
  Writer w(out);
  w.u8(kTime), w.u64(time_ns);
  return out;
}

Bytes foxglove_response(const FoxgloveCall& response) {
  Bytes out;
  Writer w(out);
  w.u8(kResponse), w.u32(response.service), w.u32(response.call), w.text(response.encoding), w.bytes(response.bytes);
  return out;
}

Bytes foxglove_playback(const FoxglovePlayback& state) {
  Bytes out;
  Writer w(out);
  w.u8(kPlaybackState), w.u8(state.ended ? kEnded : state.paused ? kPaused : kPlaying), w.u64(state.time_ns);
  w.raw(&state.speed, sizeof state.speed), w.u8(0), w.text(state.request);
  return out;
}

std::optional<FoxgloveAsked> read_foxglove(ByteView bytes) {
  Reader in(bytes);
  switch (in.u8()) {
    case kPublished: {
      FoxglovePublished out{in.u32(), {}};
      if (!in.ok()) return std::nullopt;
      out.bytes = rest(in);
      return out;
    }
    case kCall: {
      FoxgloveCall out{in.u32(), in.u32(), in.text(), {}};
      if (!in.ok()) return std::nullopt;
      out.bytes = rest(in);
      return out;
    }
    case kPlay: return play(in);
    default: return std::nullopt;
  }
}

}  // namespace convoy::web
