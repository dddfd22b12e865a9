// The layouts, byte for byte, and what comes in, whole, cut short and from strangers.
#include "adapters/zmq/layout.h"

#include <doctest/doctest.h>

#include <cstring>

namespace layout_test {

using namespace convoy;
using namespace convoy::zmq;

namespace {

template <class T>
T at(const Bytes& bytes, std::size_t offset) {
  T value;
  REQUIRE(offset + sizeof value <= bytes.size());
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Bytes control_bytes(std::initializer_list<ControlPair> pairs, std::int32_t count) {
  Bytes out;
  Writer w(out);
  w.raw(&count, 4);
  for (const ControlPair& pair : pairs) w.raw(&pair.actuator, 4), w.raw(&pair.value, 4);
  return out;
}

const PanelReadings::Base kBase{{{1, 2, 3}, {0.5, -0.5, 0.5, -0.5}}, {4, 5, 6}, {7, 8, 9}};

}  // namespace

TEST_CASE("a joint is an id and three floats") {
  Bytes out{1, 2, 3};
  put_joint(out, 258, {1.0, -2.0, 0.5});

  CHECK(out == Bytes{2, 1, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0x3f});
}

TEST_CASE("a sensor sends its size in urlab01 alone") {
  const double values[] = {1.5, -2};
  Bytes seed, urlab;
  put_sensor(seed, WireProfile::kSeed, 7, values);
  put_sensor(urlab, WireProfile::kUrlab01, 7, values);

  CHECK(seed == Bytes{7, 0, 0, 0, 0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0});
  CHECK(urlab == Bytes{7, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0});
}

TEST_CASE("a base is seven doubles with the orientation from w, or thirteen floats with it to w") {
  Bytes seed, urlab;
  put_base(seed, WireProfile::kSeed, kBase);
  put_base(urlab, WireProfile::kUrlab01, kBase);

  REQUIRE(seed.size() == 56);
  const double doubles[] = {1, 2, 3, 0.5, -0.5, 0.5, -0.5};
  for (std::size_t i = 0; i < 7; ++i) CHECK(at<double>(seed, 8 * i) == doubles[i]);
  REQUIRE(urlab.size() == 52);
  const float floats[] = {1, 2, 3, -0.5f, 0.5f, -0.5f, 0.5f, 4, 5, 6, 7, 8, 9};
  for (std::size_t i = 0; i < 13; ++i) CHECK(at<float>(urlab, 4 * i) == floats[i]);
}

TEST_CASE("twist and actions are 12 and 4 bytes") {
  Bytes out;
  put_twist(out, {{0.5, -1, 9}, {9, 9, 2}});
  REQUIRE(out.size() == 12);
  CHECK(at<float>(out, 0) == 0.5f);
  CHECK(at<float>(out, 4) == -1.0f);
  CHECK(at<float>(out, 8) == 2.0f);

  put_actions(out, 0x80000001u);
  CHECK(out == Bytes{1, 0, 0, 0x80});
}

TEST_CASE("a topic of commands may end in a space, and names a robot") {
  for (const char* text : {"arm/control", "arm/control ", "arm/control   "}) {
    const auto topic = read_topic(text);
    REQUIRE(topic);
    CHECK(topic->robot == "arm");
    CHECK(topic->kind == CommandTopic::Kind::kControl);
  }
  CHECK(read_topic("arm/set_gains ")->kind == CommandTopic::Kind::kSetGains);
  for (const char* text : {"", " ", "/control", "arm/controls", "arm/control x", "arm", "arm/ control"})
    CHECK_FALSE(read_topic(text));
}

TEST_CASE("controls are read when all that they announce is there") {
  const Bytes whole = control_bytes({{2, 0.25f}, {-1, 7.0f}}, 2);
  std::vector<ControlPair> out;
  REQUIRE(read_controls(whole, out));
  REQUIRE(out.size() == 2);
  CHECK(out[0].actuator == 2);
  CHECK(out[0].value == 0.25f);
  CHECK(out[1].actuator == -1);

  for (std::size_t n = 0; n < whole.size(); ++n) {
    std::vector<ControlPair> none;
    CHECK_FALSE(read_controls(ByteView(whole).first(n), none));
    CHECK(none.empty());
  }
  Bytes longer = whole;
  longer.push_back(9);
  out.clear();
  CHECK(read_controls(longer, out));
  CHECK(out.size() == 2);
  for (std::int32_t count : {-1, 3, 0x7fffffff})
    CHECK_FALSE(read_controls(control_bytes({{0, 1}, {1, 1}}, count), out));
}

TEST_CASE("gains are read whole or not at all") {
  const auto gains = read_gains(R"({"hip":{"kp":50,"torque_limit":20.5},"knee":{},"x":{"kv":0,"other":1}})");
  REQUIRE(gains);
  REQUIRE(gains->size() == 3);
  CHECK((*gains)[0].actuator == "hip");
  CHECK((*gains)[0].kp == 50);
  CHECK_FALSE((*gains)[0].kv);
  CHECK((*gains)[0].torque_limit == 20.5);
  CHECK((*gains)[2].kv == 0);
  for (const char* text :
       {"", "[]", "{", R"({"hip":5})", R"({"hip":{"kp":"5"}})", R"({"hip":{"kp":-1}})", R"({"a":{},"b":[]})"})
    CHECK_FALSE(read_gains(text));
}

TEST_CASE("the info of a robot has its actuators with local ids, limits and cameras") {
  Panel panel;
  panel.actuators = {{"left", -2, 2}, {"right"}};
  const CameraPlace cameras[] = {{"front", "bot/camera/front ", "tcp://127.0.0.1:5558", 320, 240, Shown::kDepth}};

  CHECK(
      info_text("bot", panel, cameras) ==
      R"({"type":"actuator_list","robot":"bot","names":["bot_left","bot_right"],"ids":[0,1],"mins":[-2.0,-100.0],)"
      R"("maxs":[2.0,100.0],"camera_list":[{"name":"front","endpoint":"tcp://127.0.0.1:5558","width":320,"height":240,)"
      R"("shows":"depth_cm"}]})");
  CHECK(info_text("box", {}, {}) ==
        R"({"type":"actuator_list","robot":"box","names":[],"ids":[],"mins":[],"maxs":[],"camera_list":[]})");
}

namespace {

CameraReading two_by_one() {
  CameraReading out;
  out.lens.width = 2, out.lens.height = 1;
  return out;
}
Bytes put(PictureHeader header, const CameraReading& picture) {
  Bytes out{1, 2, 3};
  put_picture(out, header, {.index = 7, .simulated = 1.5, .captured = 1e9}, picture);
  return out;
}

}  // namespace

TEST_CASE("a picture is blue, green, red and 255 of each pixel, or one number of four bytes") {
  CameraReading picture = two_by_one();
  picture.color = {10, 20, 30, 40, 50, 60};
  CHECK(put(PictureHeader::kNone, picture) == Bytes{30, 20, 10, 255, 60, 50, 40, 255});

  picture.color.clear(), picture.depth = {1.5f, std::numeric_limits<float>::infinity()};
  float depth[2] = {};
  const Bytes far = put(PictureHeader::kNone, picture);
  REQUIRE(far.size() == sizeof depth);
  std::memcpy(depth, far.data(), sizeof depth);
  CHECK(depth[0] == 150);
  CHECK(std::isinf(depth[1]));

  picture.depth.clear(), picture.numbers = {1, 0xffffffff};
  CHECK(put(PictureHeader::kNone, picture) == Bytes{1, 0, 0, 0, 255, 255, 255, 255});
  picture.numbers.clear(), picture.classes = {3, 258};
  CHECK(put(PictureHeader::kNone, picture) == Bytes{3, 0, 0, 0, 2, 1, 0, 0});
}

TEST_CASE("a header says which picture it is, when it was and how large") {
  CameraReading picture = two_by_one();
  picture.color = {10, 20, 30, 40, 50, 60};
  const Bytes pixels = put(PictureHeader::kNone, picture), first = put(PictureHeader::kVersion1, picture),
              second = put(PictureHeader::kVersion2, picture);
  CHECK(first.size() == 32 + pixels.size());
  CHECK(second.size() == 40 + pixels.size());
  CHECK(as_text(first).substr(0, 4) == "UCM1");
  CHECK(Bytes(first.begin() + 4, first.begin() + 16) == Bytes{1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0});
  CHECK(Bytes(first.begin() + 24, first.begin() + 32) == Bytes{2, 0, 0, 0, 1, 0, 0, 0});

  const auto read = read_picture(second, 640, 480);
  REQUIRE(read);
  CHECK(read->stamp.index == 7);
  CHECK(read->stamp.simulated == 1.5);
  CHECK(read->stamp.captured == 1e9);
  CHECK(read->width == 2);
  CHECK(read->height == 1);
  CHECK(Bytes(read->pixels.begin(), read->pixels.end()) == pixels);
  CHECK(read_picture(first, 640, 480)->stamp.captured == 0);
  CHECK(read_picture(pixels, 2, 1)->width == 2);
}

TEST_CASE("what is no picture of its size is none") {
  CameraReading picture = two_by_one();
  picture.color = {10, 20, 30, 40, 50, 60};
  CHECK_FALSE(read_picture(put(PictureHeader::kNone, picture), 1, 1));
  CHECK_FALSE(read_picture({}, 0, 0));
  const Bytes whole = put(PictureHeader::kVersion2, picture);
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_FALSE(read_picture(ByteView(whole).first(size), 2, 1000));
  Bytes huge(40, 0);  // whose number of bytes is 2^64
  std::memcpy(huge.data(), whole.data(), 40);
  for (std::size_t at : {27u, 31u}) huge[at] = 0x80;
  CHECK_FALSE(read_picture(huge, 0, 0));
}

}  // namespace layout_test
