#include "tf2/buffer_core.h"

#include <doctest/doctest.h>

#include "tf2/utils.h"

using doctest::Approx;
using geometry_msgs::msg::TransformStamped;
using tf2::TimePointZero;

namespace {

tf2::TimePoint at(double seconds) { return tf2::timeFromSec(seconds); }

TransformStamped transform(const std::string& parent, const std::string& child, double time, double x, double yaw = 0) {
  TransformStamped t;
  t.header.frame_id = parent, t.child_frame_id = child;
  t.header.stamp.sec = static_cast<std::int32_t>(time);
  t.header.stamp.nanosec = static_cast<std::uint32_t>((time - t.header.stamp.sec) * 1e9 + 0.5);
  t.transform.translation.x = x;
  const tf2::Quaternion q({0, 0, 1}, yaw);
  t.transform.rotation.z = q.z(), t.transform.rotation.w = q.w();
  return t;
}

// What it throws, as text.
template <class Exception, class F>
std::string thrown(F f) {
  try {
    f();
  } catch (const Exception& e) { return e.what(); }
  return "nothing";
}

}  // namespace

TEST_CASE("between two stamps a frame moves evenly and turns evenly") {
  tf2::BufferCore buffer;
  REQUIRE(buffer.setTransform(transform("map", "base", 1, 0, 0), "me"));
  REQUIRE(buffer.setTransform(transform("map", "base", 2, 4, 1), "me"));

  const auto X = buffer.lookupTransform("map", "base", at(1.25));
  CHECK(X.header.frame_id == "map");
  CHECK(X.child_frame_id == "base");
  CHECK(X.header.stamp.nanosec == 250'000'000);
  CHECK(X.transform.translation.x == Approx(1));
  CHECK(tf2::getYaw(X.transform.rotation) == Approx(0.25));
  CHECK(buffer.lookupTransform("map", "base", at(2)).transform.translation.x == 4);
  const auto back = buffer.lookupTransform("base", "map", at(1.25));
  CHECK(back.transform.translation.x == Approx(-std::cos(0.25)));
  CHECK(back.transform.translation.y == Approx(std::sin(0.25)));
}

TEST_CASE("of one stamp the last transform counts, and late ones find their place") {
  tf2::BufferCore buffer;
  for (const auto& [time, x] : {std::pair{3.0, 30.0}, {1.0, 10.0}, {2.0, 99.0}, {2.0, 20.0}})
    REQUIRE(buffer.setTransform(transform("a", "b", time, x), "me"));

  CHECK(buffer.lookupTransform("a", "b", at(1.5)).transform.translation.x == Approx(15));
  CHECK(buffer.lookupTransform("a", "b", at(2.5)).transform.translation.x == Approx(25));
}

TEST_CASE("a time that is not known is an error that names the times that are") {
  tf2::BufferCore buffer;
  buffer.setTransform(transform("map", "base", 5, 0), "me");
  const auto lookup = [&](double t) { return [&buffer, t] { buffer.lookupTransform("map", "base", at(t)); }; };
  CHECK(thrown<tf2::NoDataForExtrapolationException>(lookup(6)) ==
        "Lookup would require extrapolation at time 6.000000, but only time 5.000000 is in the buffer, when looking up "
        "transform from frame [base] to frame [map]");
  buffer.setTransform(transform("map", "base", 6, 0), "me");
  CHECK(thrown<tf2::ForwardExtrapolationException>(lookup(6.5)) ==
        "Lookup would require extrapolation into the future.  Requested time 6.500000 but the latest data is at time "
        "6.000000, "
        "when looking up transform from frame [base] to frame [map]");
  CHECK(thrown<tf2::ExtrapolationException>(lookup(4.5))
            .find("into the past.  Requested time 4.500000 but the earliest data is "
                  "at time 5.000000") != std::string::npos);
  std::string why;
  CHECK_FALSE(buffer.canTransform("map", "base", at(7), &why));
  CHECK(why.find("future") != std::string::npos);
  CHECK(buffer.canTransform("map", "base", at(5.5)));
}

TEST_CASE("frames without a way between them, unknown ones and bad names are different errors") {
  tf2::BufferCore buffer;
  buffer.setTransform(transform("map", "base", 1, 0), "me");
  buffer.setTransform(transform("moon", "rover", 1, 0), "me");
  const auto lookup = [&](const char* target, const char* source) {
    return [&buffer, target, source] { buffer.lookupTransform(target, source, TimePointZero); };
  };
  CHECK(thrown<tf2::ConnectivityException>(lookup("map", "rover")) ==
        "Could not find a connection between 'map' and 'rover' because they are not part of the same tree. Tf has two "
        "or more "
        "unconnected trees.");
  CHECK(thrown<tf2::LookupException>(lookup("map", "mars")) ==
        "\"mars\" passed to lookupTransform argument source_frame does not exist. ");
  CHECK_THROWS_AS(lookup("", "base")(), tf2::InvalidArgumentException);
  CHECK_THROWS_AS(lookup("/map", "base")(), tf2::InvalidArgumentException);
  CHECK(buffer._frameExists("moon"));
  CHECK_FALSE(buffer._frameExists("mars"));
  CHECK(buffer.getAllFrameNames() == std::vector<std::string>{"base", "map", "rover", "moon"});
}

TEST_CASE("transforms that make no sense are refused with a reason") {
  tf2::BufferCore buffer;
  auto t = transform("a", "b", 1, 0);
  const auto refused = [&](const char* why) {
    CHECK_FALSE(buffer.setTransform(t, "me"));
    CHECK(buffer.last_rejection().find(why) != std::string::npos);
    t = transform("a", "b", 1, 0);
  };
  t.child_frame_id = "a", refused("both 'a'");
  t.child_frame_id = "", refused("child_frame_id is empty");
  t.header.frame_id = "/", refused("its frame_id is empty");
  t.transform.translation.y = NAN, refused("not finite");
  t.transform.rotation.w = 0.9, refused("not of length 1");
  CHECK(buffer.getAllFrameNames().empty());
  t.child_frame_id = "/b";
  CHECK(buffer.setTransform(t, "me"));
  CHECK(buffer._frameExists("b"));
  CHECK(buffer.setTransform(transform("a", "b", 20, 0), "me"));
  CHECK_FALSE(buffer.setTransform(transform("a", "b", 9, 0), "me"));
  CHECK(buffer.last_rejection().find("TF_OLD_DATA") != std::string::npos);
}

TEST_CASE("the history reaches back by the cache time") {
  tf2::BufferCore buffer(std::chrono::seconds(10));
  for (int t = 1; t <= 20; ++t) buffer.setTransform(transform("a", "b", t, t), "me");

  CHECK(buffer.canTransform("a", "b", at(10)));
  CHECK_FALSE(buffer.canTransform("a", "b", at(9.5)));
  CHECK(buffer.getCacheLength() == std::chrono::seconds(10));
}

TEST_CASE("time zero is the latest time that every frame on the way knows") {
  tf2::BufferCore buffer;
  for (const double t : {1.0, 3.0}) buffer.setTransform(transform("map", "odom", t, t), "me");
  for (const double t : {1.0, 2.0}) buffer.setTransform(transform("odom", "base", t, 10 * t), "me");
  buffer.setTransform(transform("base", "laser", 0, 100), "me", true);

  const auto X = buffer.lookupTransform("map", "laser", TimePointZero);
  CHECK(X.header.stamp.sec == 2);
  CHECK(X.transform.translation.x == Approx(122));
  CHECK(buffer.lookupTransform("base", "laser", TimePointZero).header.stamp.sec == 0);
  CHECK(buffer.lookupTransform("base", "laser", at(1e6)).transform.translation.x == 100);
  CHECK(buffer.lookupTransform("base", "base", TimePointZero).header.stamp.sec == 2);
}

TEST_CASE("what lies above the common ancestor need not be known") {
  tf2::BufferCore buffer;
  buffer.setTransform(transform("map", "odom", 1, 0), "me");
  for (const double t : {5.0, 6.0}) {
    buffer.setTransform(transform("odom", "left", t, 1), "me");
    buffer.setTransform(transform("odom", "right", t, -1), "me");
  }
  CHECK(buffer.lookupTransform("left", "right", at(5.5)).transform.translation.x == Approx(-2));
  CHECK_THROWS_AS(buffer.lookupTransform("map", "right", at(5.5)), tf2::ExtrapolationException);
}

TEST_CASE("a lookup between two times goes by a frame that does not move") {
  tf2::BufferCore buffer;
  for (const double t : {1.0, 2.0}) buffer.setTransform(transform("map", "base", t, 10 * t), "me");

  const auto X = buffer.lookupTransform("base", at(2), "base", at(1), "map");
  CHECK(X.transform.translation.x == Approx(-10));
  CHECK(X.header.stamp.sec == 2);
  CHECK_FALSE(buffer.canTransform("base", at(3), "base", at(1), "map"));
}

TEST_CASE("a frame may change its parent, and a circle of frames is an error") {
  tf2::BufferCore buffer;
  buffer.setTransform(transform("map", "a", 1, 1), "me");
  buffer.setTransform(transform("odom", "a", 2, 2), "me");
  std::string parent;
  CHECK(buffer._getParent("a", at(1.5), parent));
  CHECK(parent == "map");
  CHECK(buffer._getParent("a", at(2), parent));
  CHECK(parent == "odom");
  CHECK(buffer.lookupTransform("map", "a", at(1.5)).transform.translation.x == 1);

  buffer.setTransform(transform("x", "y", 1, 0), "me");
  buffer.setTransform(transform("y", "x", 1, 0), "me");
  CHECK(thrown<tf2::LookupException>([&] { buffer.lookupTransform("map", "x", at(1)); }).find("contains a loop") !=
        std::string::npos);
}

TEST_CASE("a request for a transform is answered once, when it is there or too old") {
  tf2::BufferCore buffer;
  std::vector<std::string> story;
  const auto tell = [&](tf2::TransformableRequestHandle handle, const std::string& target, const std::string& source,
                        tf2::TimePoint, tf2::TransformableResult result) {
    story.push_back(std::to_string(handle) + " " + target + " " + source +
                    (result == tf2::TransformAvailable ? " yes" : " no"));
  };
  buffer.setTransform(transform("a", "b", 1, 0), "me");
  CHECK(buffer.addTransformableRequest(tell, "a", "b", at(1)) == 0);
  const auto first = buffer.addTransformableRequest(tell, "a", "b", at(1.5));
  const auto second = buffer.addTransformableRequest(tell, "a", "c", at(2));
  const auto third = buffer.addTransformableRequest(tell, "a", "b", at(1.6));
  buffer.cancelTransformableRequest(third);
  CHECK(story.empty());
  buffer.setTransform(transform("a", "b", 2, 0), "me");
  CHECK(story == std::vector<std::string>{std::to_string(first) + " a b yes"});
  buffer.setTransform(transform("a", "c", 20, 0), "me");
  CHECK(story.back() == std::to_string(second) + " a c no");
  CHECK(story.size() == 2);
  CHECK(buffer.addTransformableRequest(tell, "a", "c", at(3)) == UINT64_MAX);
}

TEST_CASE("frames are listed as YAML, and clearing keeps the static ones") {
  tf2::BufferCore buffer;
  CHECK(buffer.allFramesAsYAML() == "{}");
  for (const double t : {1.0, 3.0}) buffer.setTransform(transform("map", "base", t, 0), "driver");
  CHECK(buffer.allFramesAsYAML() ==
        "base:\n  parent: 'map'\n  broadcaster: 'driver'\n  rate: 1.000\n  most_recent_transform: 3.000\n"
        "  oldest_transform: 1.000\n  buffer_length: 2.000\n");
  buffer.setTransform(transform("base", "laser", 0, 1), "driver", true);
  CHECK(buffer.allFramesAsString() == "Frame base exists with parent map.\nFrame laser exists with parent base.\n");
  buffer.clear();
  CHECK(buffer.canTransform("base", "laser", TimePointZero));
  CHECK_FALSE(buffer.canTransform("map", "base", TimePointZero));
}
