#include "stream/player_message.h"

#include <doctest/doctest.h>

#include <bit>
#include <limits>
#include <nlohmann/json.hpp>

namespace player_message_test {

using namespace convoy;
using namespace convoy::stream;

namespace {

template <class T>
T parsed(const Bytes& bytes) {
  const auto message = parse_player_message(bytes);
  REQUIRE(message);
  REQUIRE(std::holds_alternative<T>(*message));
  return std::get<T>(*message);
}

}  // namespace

TEST_CASE("keys, buttons and the wheel, as Epic's front end sends them") {
  CHECK(parsed<KeyChange>({60, 'W', 1}) == KeyChange{.code = 'W', .down = true, .repeats = true});
  CHECK(parsed<KeyChange>({61, 'W'}) == KeyChange{.code = 'W'});
  const auto down = parsed<ButtonChange>({72, 2, 0xff, 0xff, 0x00, 0x80});
  CHECK((down.button == 2 && down.down));
  CHECK(down.x == 1);
  CHECK(down.y == doctest::Approx(0.5).epsilon(1e-4));
  CHECK_FALSE(parsed<ButtonChange>({73, 0, 0, 0, 0, 0}).down);
  CHECK(parsed<WheelTurn>({75, 0x88, 0xff, 0, 0, 0, 0}).delta == -120);
}

TEST_CASE("a step of the mouse is a part of the picture; the front end counts halves") {
  const auto move = parsed<MouseMove>({74, 0, 0, 0, 0, 0xff, 0x7f, 0x01, 0x80});
  CHECK(move.dx == 0.5);
  CHECK(move.dy == -0.5);
}

TEST_CASE("fingers that are outside of the picture do not count") {
  const auto touches = parsed<Touches>({82, 2, 0xff, 0xff, 0, 0, 7, 255, 1, 0, 0, 0, 0, 8, 255, 0});
  CHECK(touches.kind == Touches::Kind::kMove);
  CHECK(touches.fingers == std::vector<Touches::Finger>{{1, 0, 7}});
}

TEST_CASE("a gamepad's axis is a number from -1 to 1, whatever is sent") {
  const auto axis = [](double value) {
    Bytes bytes{92, 0, 2};
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
    return parsed<GamepadAxis>(bytes).value;
  };
  CHECK(axis(-0.25) == -0.25);
  CHECK(axis(7) == 1);
  CHECK(axis(std::numeric_limits<double>::quiet_NaN()) == 0);
  CHECK(parsed<GamepadButton>({90, 1, 3, 0}) == GamepadButton{.pad = 1, .button = 3, .down = true});
}

TEST_CASE("texts are UTF-16 on the wire and UTF-8 here, whatever is in them") {
  CHECK(parsed<Interaction>({50, 2, 0, '{', 0, '}', 0}).text == "{}");
  CHECK(parsed<Interaction>({50, 3, 0, 0xe4, 0, 0xac, 0x20, 'x', 0}).text == "\xc3\xa4\xe2\x82\xacx");
  CHECK(parsed<Interaction>({50, 2, 0, 0x3d, 0xd8, 0x00, 0xde}).text == "\xf0\x9f\x98\x80");  // a surrogate pair
  CHECK(parsed<Interaction>({50, 2, 0, 0x3d, 0xd8, 'a', 0}).text ==
        "\xef\xbf\xbd"
        "a");  // half of one
  CHECK(parsed<Interaction>({50, 1, 0, 0x00, 0xde}).text == "\xef\xbf\xbd");
  // And back.
  CHECK(text_to_player(ToPlayer::kResponse, "\xc3\xa4\xf0\x9f\x98\x80") == Bytes{1, 0xe4, 0, 0x3d, 0xd8, 0x00, 0xde});
}

TEST_CASE("what is cut off, empty or unknown is no message") {
  const std::vector<Bytes> whole{{60, 'W', 1},
                                 {61, 'W'},
                                 {72, 2, 1, 1, 1, 1},
                                 {74, 0, 0, 0, 0, 0, 0, 0, 0},
                                 {75, 0, 0, 0, 0, 0, 0},
                                 {80, 1, 0, 0, 0, 0, 0, 0, 1},
                                 {92, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0},
                                 {50, 2, 0, '{', 0, '}', 0}};
  for (const Bytes& message : whole) {
    CHECK(parse_player_message(message));
    for (std::size_t size = 1; size < message.size(); ++size)
      CHECK_FALSE(parse_player_message(ByteView(message).first(size)));
  }
  CHECK_FALSE(parse_player_message({}));
  for (const std::uint8_t kind : {10, 49, 100, 200, 254}) CHECK_FALSE(parse_player_message(Bytes{kind, 0, 0, 0}));
}

TEST_CASE("whatever the bytes are, places and sticks are numbers within their bounds") {
  std::uint32_t chance = 1;
  const auto next = [&chance] { return static_cast<std::uint8_t>((chance = chance * 1664525 + 1013904223) >> 24); };
  const auto part = [](double value) { return value >= -1 && value <= 1; };  // false for what is no number
  std::size_t understood = 0;
  for (int i = 0; i < 200'000; ++i) {
    Bytes bytes(1 + next() % 24);
    for (std::uint8_t& byte : bytes) byte = next();
    constexpr std::uint8_t kKinds[] = {60, 61, 72, 73, 74, 75, 76, 80, 81, 82, 90, 91, 92, 50, 6, 8};
    if (i % 4 != 0) bytes[0] = kKinds[next() % std::size(kKinds)];
    if (bytes[0] >= 80 && bytes[0] <= 82 && bytes.size() > 1)
      bytes[1] = static_cast<std::uint8_t>((bytes.size() - 2) / 7);
    const auto message = parse_player_message(bytes);
    if (!message) continue;
    ++understood;
    if (const auto* one = std::get_if<MouseMove>(&*message)) {
      CHECK((one->x >= 0 && one->y >= 0 && part(one->x) && part(one->y) && part(one->dx) && part(one->dy)));
    } else if (const auto* axis = std::get_if<GamepadAxis>(&*message)) {
      CHECK(part(axis->value));
    } else if (const auto* touches = std::get_if<Touches>(&*message)) {
      for (const auto& finger : touches->fingers)
        CHECK((finger.x >= 0 && part(finger.x) && finger.y >= 0 && part(finger.y)));
    }
  }
  CHECK(understood > 10'000);
}

TEST_CASE("the front end is told what its messages are made of") {
  const auto json = nlohmann::json::parse(protocol_for_players());
  CHECK(json["Direction"] == 0);
  CHECK(json["MouseMove"]["id"] == 74);
  CHECK(json["MouseMove"]["structure"] == nlohmann::json{"uint16", "uint16", "int16", "int16"});
}

}  // namespace player_message_test
