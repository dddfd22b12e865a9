#include "record/foxglove/schema.h"

#include <set>

#include "record/foxglove/testing.h"

namespace schema_test {

using namespace convoy;
using testing::WireMessage;

// That other people's protobuf reads them, and what with them, is checked by record/third_party and e2e/record_view.
TEST_CASE("a description holds each file once, behind those that it imports, and its message in the last") {
  for (const auto message : {FoxgloveMessage::kFrameTransforms, FoxgloveMessage::kSceneUpdate, FoxgloveMessage::kGrid,
                             FoxgloveMessage::kLaserScan, FoxgloveMessage::kPointCloud, FoxgloveMessage::kLocationFix,
                             FoxgloveMessage::kPoseInFrame, FoxgloveMessage::kLog}) {
    const ChannelSchema schema = schema_of(message);
    CAPTURE(schema.name);
    CHECK(schema.encoding == "protobuf");

    WireMessage set(schema.data);
    std::set<std::string> before;
    std::string last;
    for (std::size_t i = 0; i < set.count(1); ++i) {
      WireMessage file = set.message(1, i);
      for (const auto& import : file.all(3)) CHECK_MESSAGE(before.count(import.text()) == 1, import.text());
      CHECK(before.insert(file.one(1).text()).second);
      CHECK(file.one(12).text() == "proto3");
      last = file.one(2).text() + "." + file.message(4).one(1).text();
    }
    CHECK(last == schema.name);
  }
}

}  // namespace schema_test
