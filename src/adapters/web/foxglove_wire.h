// The Foxglove WebSocket protocol's messages as bytes.
//
// Text messages are JSON objects whose `op` names their kind. Binary ones are little-endian, each behind its number:
//
//   from us   1  u32 subscription, u64 ns, the message            as its channel says
//             2  u64 ns                                           the time
//             3  u32 service, u32 call, text encoding, bytes      what a service has responded
//             5  u8 status, u64 ns, f32 speed, u8 0, text id      foxglove.sdk.v1: how the run stands
//   from them 1  u32 channel, the message                         of a channel of theirs
//             2  u32 service, u32 call, text encoding, bytes      calls a service
//             3  u8 pauses, f32 speed, u8 seeks, u64 ns, text id  foxglove.sdk.v1: play, pause, speed
//
// A text is its u32 length, and its bytes. Written from the protocol's specification; nothing else knows these bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/bytes.h"

namespace convoy::web {

inline constexpr const char *kFoxgloveV1 = "foxglove.websocket.v1", *kFoxgloveSdk = "foxglove.sdk.v1";

Bytes foxglove_data(std::uint32_t subscription, std::uint64_t time_ns, ByteView message);
Bytes foxglove_time(std::uint64_t time_ns);

// A call of a service, or its response.
struct FoxgloveCall {
  std::uint32_t service = 0, call = 0;
  std::string encoding;
  Bytes bytes;
  friend bool operator==(const FoxgloveCall&, const FoxgloveCall&) = default;
};
Bytes foxglove_response(const FoxgloveCall& response);

struct FoxglovePlayback {
  bool paused = false, ended = false;
  std::uint64_t time_ns = 0;
  float speed = 1;
  std::string request;  // that it answers; empty: none
};
Bytes foxglove_playback(const FoxglovePlayback& state);

struct FoxglovePublished {
  std::uint32_t channel = 0;  // a number of the client's
  Bytes bytes;
  friend bool operator==(const FoxglovePublished&, const FoxglovePublished&) = default;
};
struct FoxglovePlay {
  bool pause = false;
  float speed = 1;
  bool seeks = false;
  std::string request;
  friend bool operator==(const FoxglovePlay&, const FoxglovePlay&) = default;
};
using FoxgloveAsked = std::variant<FoxglovePublished, FoxgloveCall, FoxglovePlay>;
// Nothing: too short, too long, or of no kind.
std::optional<FoxgloveAsked> read_foxglove(ByteView bytes);

}  // namespace convoy::web
