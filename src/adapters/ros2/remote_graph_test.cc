#include "adapters/ros2/remote_graph.h"

#include <doctest/doctest.h>

namespace convoy::ros2 {

namespace {

Guid guid(std::uint8_t participant, std::uint8_t endpoint) {
  Guid out{};
  out[0] = 1, out[1] = 0x0f, out[11] = participant, out[14] = endpoint, out[15] = 3;
  return out;
}
Discovery endpoint(const Guid& guid, bool writer, std::string topic, std::string user_data) {
  return {Discovery::Kind::kEndpoint, {}, {guid, writer, std::move(topic), "type", std::move(user_data), {}}};
}
ParticipantEntities sample() {
  return {participant_of(guid(1, 0)),
          {{"/scout", "robot", {guid(1, 1)}, {guid(1, 2), guid(1, 3)}}, {"/", "simulation", {}, {}}}};
}

}  // namespace

TEST_CASE("what a participant tells of its nodes comes back, in both sizes of ids") {
  for (const GidSize size : {GidSize::kIron, GidSize::kHumble}) {
    const auto back = decode_entities(encode(sample(), size));
    REQUIRE(back);
    CHECK(*back == sample());
  }
  CHECK(encode(sample(), GidSize::kHumble).size() > encode(sample(), GidSize::kIron).size());
}

TEST_CASE("the bytes are those of a real peer") {
  // rclpy of Jazzy, node /peer without endpoints, its id made short
  const ParticipantEntities told{participant_of(guid(7, 0)), {{"/", "peer", {}, {}}}};
  const Bytes want{0, 1, 0,   0, 1, 0x0f, 0, 0, 0, 0, 0,   0,   0,   0,   0, 7, 0, 0, 1, 0xc1, 1, 0, 0, 0, 2, 0,
                   0, 0, '/', 0, 0, 0,    5, 0, 0, 0, 'p', 'e', 'e', 'r', 0, 0, 0, 0, 0, 0,    0, 0, 0, 0, 0, 0};
  CHECK(encode(told, GidSize::kIron) == want);
}

TEST_CASE("cut short or with flipped bits it is refused or is something, and nothing breaks") {
  const Bytes sound = encode(sample(), GidSize::kIron);
  for (std::size_t length = 0; length + 4 < sound.size(); ++length) {
    CAPTURE(length);
    CHECK(!decode_entities(ByteView(sound).first(length)));
  }
  for (std::size_t bit = 0; bit < sound.size() * 8; ++bit) {
    Bytes bent = sound;
    bent[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    if (const auto back = decode_entities(bent)) CHECK(back->nodes.size() <= kMaxNodesTold);
  }
  CHECK(!decode_entities({}));
}

TEST_CASE("the clients of a run are its numbered processes with a world, until they go") {
  RemoteGraph dut;
  const auto enters = [&](std::uint8_t n, const char* user_data) {
    dut.take({Discovery::Kind::kParticipant, {participant_of(guid(n, 0)), user_data}, {}});
  };
  const auto tells = [&](std::uint8_t n, const char* node) {
    dut.take({participant_of(guid(n, 0)), {{"/scout", node, {}, {}}}});
  };
  enters(1, "enclave=/;convoy_run=a;convoy_client=12;"), tells(1, "simulation");
  enters(2, "enclave=/;convoy_run=a;convoy_client=2;"), tells(2, "robot");          // no world yet
  enters(3, "enclave=/;convoy_run=b;convoy_client=3;"), tells(3, "simulation");     // of another run
  enters(4, "enclave=/;convoy_run=a;convoy_client=many;"), tells(4, "simulation");  // of whom nothing is known
  dut.take(endpoint(guid(1, 1), true, "rt/clock", "")), dut.take(endpoint(guid(3, 1), true, "rt/map", ""));

  REQUIRE(dut.clients_of("a").size() == 1);
  CHECK(dut.clients_of("a")[0].number == 12);
  CHECK(dut.clients_of("a")[0].participant == participant_of(guid(1, 0)));
  CHECK(dut.run_writes("a", "rt/clock"));
  CHECK_FALSE(dut.run_writes("a", "rt/map"));
  CHECK(dut.run_has_node("a", "/scout/robot"));
  CHECK_FALSE(dut.run_has_node("b", "/scout/robot"));
  dut.take({Discovery::Kind::kParticipantGone, {participant_of(guid(1, 0)), ""}, {}});
  dut.take({participant_of(guid(2, 0)), {}});

  CHECK(dut.clients_of("a").empty());
  CHECK_FALSE(dut.run_writes("a", "rt/clock"));
  CHECK_FALSE(dut.run_has_node("a", "/scout/robot"));
}

TEST_CASE("endpoints have nodes, types' hashes and runs, until their participant goes") {
  RemoteGraph dut;
  dut.take({Discovery::Kind::kParticipant, {participant_of(guid(1, 0)), "enclave=/;convoy_run=a;"}, {}});
  dut.take(endpoint(guid(1, 1), false, "rt/scout/cmd_vel", "typehash=RIHS01_ab;"));
  dut.take(sample());

  CHECK(dut.node_of(guid(1, 1)) == "/scout/robot");
  CHECK(dut.node_of(guid(1, 9)).empty());
  CHECK(dut.type_hash(guid(1, 1)) == "RIHS01_ab");
  CHECK(dut.of_run(guid(1, 1), "a"));
  CHECK(!dut.of_run(guid(1, 1), "b"));
  CHECK(!dut.of_run(guid(2, 1), "a"));
  CHECK(dut.nodes() == std::vector<std::string>{"/scout/robot", "/simulation"});

  dut.take({Discovery::Kind::kParticipantGone, {participant_of(guid(1, 0)), {}}, {}});
  CHECK(dut.find(guid(1, 1)) == nullptr);
  CHECK(dut.nodes().empty());
  CHECK(!dut.there(participant_of(guid(1, 0))));
}

TEST_CASE("a client's manner is what its endpoint says, else what its make is") {
  RemoteGraph dut;
  Guid cyclone = guid(3, 1);
  cyclone[1] = 0x10;
  CHECK(dut.dialect(cyclone) == Dialect::kCyclone);  // not discovered yet
  CHECK(dut.dialect(guid(3, 1)) == Dialect::kFast);
  dut.take(endpoint(cyclone, true, "rq/addRequest", "clientid=aa;"));
  CHECK(dut.dialect(cyclone) == Dialect::kCyclone);

  Guid reader = cyclone, other = cyclone;
  reader[14] = 8, other[14] = 4;
  dut.take(endpoint(other, false, "rr/addReply", "clientid=bb;"));
  CHECK(!dut.reply_reader(cyclone, "rr/addReply"));
  dut.take(endpoint(reader, false, "rr/addReply", "clientid=aa;"));
  REQUIRE(dut.reply_reader(cyclone, "rr/addReply"));
  CHECK(*dut.reply_reader(cyclone, "rr/addReply") == reader);
}

}  // namespace convoy::ros2
