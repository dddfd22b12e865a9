#include "stream/player_message.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

namespace convoy::stream {

namespace {

enum Kind : std::uint8_t {
  kIFrameRequest = 0,
  kRequestQualityControl = 1,
  kLatencyTest = 6,
  kRequestInitialSettings = 7,
  kTestEcho = 8,
  kDataChannelLatencyTest = 9,
  kUIInteraction = 50,
  kCommand = 51,
  kKeyDown = 60,
  kKeyUp = 61,
  kMouseLeave = 71,
  kMouseDown = 72,
  kMouseUp = 73,
  kMouseMove = 74,
  kMouseWheel = 75,
  kMouseDouble = 76,
  kTouchStart = 80,
  kTouchEnd = 81,
  kTouchMove = 82,
  kGamepadButtonPressed = 90,
  kGamepadButtonReleased = 91,
  kGamepadAnalog = 92,
};
constexpr std::size_t kMostFingers = 16;
constexpr char32_t kBad = 0xfffd;

// Reads fields; once there are too few bytes, everything is 0 and failed().
class Fields {
 public:
  explicit Fields(ByteView bytes) : bytes_(bytes) {}
  std::uint64_t number(std::size_t size) {
    if (bytes_.size() - at_ < size) return failed_ = true, 0;
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < size; ++i) out |= std::uint64_t{bytes_[at_ + i]} << (8 * i);
    at_ += size;
    return out;
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(number(1)); }
  double place() { return static_cast<double>(number(2)) / 65535; }
  // Epic's front end sends steps by half of the picture.
  double step() { return static_cast<double>(static_cast<std::int16_t>(number(2))) / 32767 / 2; }
  double real() {
    const double out = std::bit_cast<double>(number(8));
    return std::isfinite(out) ? out : 0;
  }
  bool more() const { return at_ < bytes_.size(); }
  bool failed() const { return failed_; }

 private:
  ByteView bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

void put_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

// A count of units of UTF-16, and these.
std::string text_in(Fields& in) {
  std::string out;
  const std::uint64_t units = in.number(2);
  char32_t high = 0;
  for (std::uint64_t i = 0; i < units && !in.failed(); ++i) {
    const auto unit = static_cast<char32_t>(in.number(2));
    const bool low = unit >= 0xdc00 && unit < 0xe000;
    if (high != 0) put_utf8(out, low ? 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00) : kBad);
    const bool taken = high != 0 && low;
    high = unit >= 0xd800 && unit < 0xdc00 ? unit : 0;
    if (!taken && high == 0) put_utf8(out, low ? kBad : unit);
  }
  if (high != 0) put_utf8(out, kBad);
  return out;
}

PlayerMessage touches_in(Fields& in, Touches::Kind kind) {
  Touches out{.kind = kind, .fingers = {}};
  const std::size_t count = in.byte();
  for (std::size_t i = 0; i < count && i < kMostFingers && !in.failed(); ++i) {
    Touches::Finger finger;
    finger.x = in.place(), finger.y = in.place(), finger.id = in.byte();
    (void)in.byte();  // how hard it is pressed
    if (const bool inside = in.byte() != 0; inside) out.fingers.push_back(finger);
  }
  return out;
}

ButtonChange button_in(Fields& in, bool down) {
  ButtonChange out{.button = in.byte(), .down = down};
  out.x = in.place(), out.y = in.place();
  return out;
}

std::optional<PlayerMessage> message_in(std::uint8_t kind, Fields& in) {
  switch (kind) {
    case kIFrameRequest: return WantsKeyPicture{};
    case kRequestQualityControl: return WantsControl{};
    case kRequestInitialSettings: return WantsSettings{};
    case kLatencyTest: return LatencyQuestion{false, in.more() ? text_in(in) : ""};
    case kDataChannelLatencyTest: return LatencyQuestion{true, in.more() ? text_in(in) : ""};
    case kTestEcho: return Echo{in.more() ? text_in(in) : ""};
    case kUIInteraction: return Interaction{text_in(in)};
    case kKeyDown: {
      KeyChange out{.code = in.byte(), .down = true};
      out.repeats = in.byte() != 0;
      return out;
    }
    case kKeyUp: return KeyChange{.code = in.byte()};
    case kMouseLeave: return MouseLeft{};
    case kMouseDown:
    case kMouseDouble: return button_in(in, true);
    case kMouseUp: return button_in(in, false);
    case kMouseMove: {
      MouseMove out;
      out.x = in.place(), out.y = in.place(), out.dx = in.step(), out.dy = in.step();
      return out;
    }
    case kMouseWheel: {
      WheelTurn out{.delta = static_cast<double>(static_cast<std::int16_t>(in.number(2)))};
      out.x = in.place(), out.y = in.place();
      return out;
    }
    case kTouchStart: return touches_in(in, Touches::Kind::kStart);
    case kTouchEnd: return touches_in(in, Touches::Kind::kEnd);
    case kTouchMove: return touches_in(in, Touches::Kind::kMove);
    case kGamepadButtonPressed:
    case kGamepadButtonReleased: {
      GamepadButton out{.pad = in.byte()};
      out.button = in.byte(), out.down = kind == kGamepadButtonPressed;
      return out;
    }
    case kGamepadAnalog: {
      GamepadAxis out{.pad = in.byte()};
      out.axis = in.byte(), out.value = std::clamp(in.real(), -1.0, 1.0);
      return out;
    }
    default: return std::nullopt;
  }
}

void put_unit(Bytes& out, char32_t unit) {
  out.push_back(static_cast<std::uint8_t>(unit & 0xff)), out.push_back(static_cast<std::uint8_t>(unit >> 8));
}

}  // namespace

std::optional<PlayerMessage> parse_player_message(ByteView bytes) {
  if (bytes.empty()) return std::nullopt;
  Fields in(bytes.subspan(1));
  auto out = message_in(bytes[0], in);
  return in.failed() ? std::nullopt : out;
}

Bytes text_to_player(ToPlayer kind, const std::string& text) {
  Bytes out{static_cast<std::uint8_t>(kind)};
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    char32_t c = size == 1 ? first : first & (0xffU >> (size + 1));
    for (std::size_t k = 1; k < size && i + k < text.size(); ++k)
      c = (c << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3f);
    i += size;
    if (c >= 0x10000) put_unit(out, 0xd800 + ((c - 0x10000) >> 10)), put_unit(out, 0xdc00 + ((c - 0x10000) & 0x3ff));
    else put_unit(out, c);
  }
  return out;
}

Bytes flag_to_player(ToPlayer kind, bool value) {
  return {static_cast<std::uint8_t>(kind), static_cast<std::uint8_t>(value ? 1 : 0)};
}

const std::string& protocol_for_players() {
  static const std::string text = [] {
    nlohmann::ordered_json all{{"Direction", 0}};
    const auto add = [&](const char* name, int id, std::vector<std::string> structure) {
      all[name] = {{"id", id}, {"structure", std::move(structure)}};
    };
    add("IFrameRequest", 0, {}), add("RequestQualityControl", 1, {}), add("FpsRequest", 2, {});
    add("AverageBitrateRequest", 3, {}), add("StartStreaming", 4, {}), add("StopStreaming", 5, {});
    add("LatencyTest", 6, {"string"}), add("RequestInitialSettings", 7, {}), add("TestEcho", 8, {"string"});
    add("DataChannelLatencyTest", 9, {"string"});
    add("UIInteraction", 50, {"string"}), add("Command", 51, {"string"}), add("TextboxEntry", 52, {"string"});
    add("KeyDown", 60, {"uint8", "uint8"}), add("KeyUp", 61, {"uint8"}), add("KeyPress", 62, {"uint16"});
    add("MouseEnter", 70, {}), add("MouseLeave", 71, {});
    add("MouseDown", 72, {"uint8", "uint16", "uint16"}), add("MouseUp", 73, {"uint8", "uint16", "uint16"});
    add("MouseMove", 74, {"uint16", "uint16", "int16", "int16"}), add("MouseWheel", 75, {"int16", "uint16", "uint16"});
    add("MouseDouble", 76, {"uint8", "uint16", "uint16"});
    const std::vector<std::string> touch{"uint8", "uint16", "uint16", "uint8", "uint8", "uint8"};
    add("TouchStart", 80, touch), add("TouchEnd", 81, touch), add("TouchMove", 82, touch);
    add("GamepadButtonPressed", 90, {"uint8", "uint8", "uint8"}),
        add("GamepadButtonReleased", 91, {"uint8", "uint8", "uint8"});
    add("GamepadAnalog", 92, {"uint8", "uint8", "double"});
    add("GamepadConnected", 93, {}), add("GamepadDisconnected", 94, {"uint8"});
    return all.dump();
  }();
  return text;
}

}  // namespace convoy::stream
