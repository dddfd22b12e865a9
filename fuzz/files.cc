#include <algorithm>

#include "core/check.h"
#include "fuzz/targets.h"
#include "record/recording.h"
#include "record/recording_writer.h"
#include "scenario/ros_map.h"
#include "scenario/scenario.h"
#include "world/world.h"

namespace convoy::fuzz {

Setup small_setup() {
  Setup s;
  s.name = "fuzz";
  s.models = built_in_models();
  s.map.width = s.map.height = 20;
  s.map.resolution = 0.5;
  s.map.origin = {-5, -5, 0};
  s.map.cells.assign(400, 0);
  for (std::size_t i = 0; i < 20; ++i) s.map.cells[i] = 1;
  for (const char* name : {"alpha", "beta", "gamma"}) {
    EntitySpec e;
    e.name = name;
    e.model = s.entities.size() < 2 ? "turtlebot3_burger" : "box";
    e.pose.p = {static_cast<double>(s.entities.size()), 0, 0};
    e.tags = {"red"};
    s.entities.push_back(e);
  }
  s.entities[0].driver.kind = DriverKind::kRandomWalk;
  return s;
}

bool setup(ByteView input) {
  Setup read;
  if (!load(input, read)) return false;
  return World::make(read).has_value();
}

std::vector<Bytes> setup_seeds() {
  Setup empty;
  empty.models = built_in_models();
  return {save(small_setup()), save(empty)};
}

bool recording(ByteView input) {
  const auto opened = Recording::open(input);
  if (!opened) return false;
  Recording::Cursor cursor = opened->from_start();
  BoundaryCoder coder;
  Boundary boundary;
  while (const Recording::Item* item = cursor.peek()) {
    const bool has_boundary =
        item->kind == RecordKind::kReached || item->kind == RecordKind::kEdited || item->kind == RecordKind::kSample;
    if (has_boundary && !coder.decode(item->bytes, boundary)) break;
    cursor.next();
  }
  return opened->intact();
}

std::vector<Bytes> recording_seeds() {
  const auto world = World::make(small_setup());
  EXPECTS(world);
  std::vector<Bytes> out;
  for (const bool journal : {false, true}) {
    MemorySink sink;
    RecordingHead head;
    head.layout = kSampledLayout, head.detail = "poses@10Hz", head.hosts = {"host0"};
    RecordingWriter writer(sink, small_setup(), head, "convoy: 1\n");
    auto samples = writer.line("/convoy/sample", "where all entities were"),
         edits = writer.line("/convoy/journal", "edits");
    BoundaryCoder coder;
    for (Tick tick = 0; tick < 3; ++tick) {
      const auto at = static_cast<std::uint64_t>(tick) * 100'000'000;
      Boundary boundary;
      take(0, tick, {}, world->snapshot(), std::vector<AgentHash>(world->entities().size()), boundary);
      keep_poses(boundary);
      Bytes bytes;
      coder.encode(boundary, tick == 0, bytes);
      writer.write(samples, at, bytes);
      if (journal) writer.write(edits, at, save(JournalEntry{0, tick, SetEnvironment{}}));
    }
    EXPECTS(writer.close());
    out.push_back(std::move(sink.bytes));
  }
  return out;
}

// The map's YAML, an end of text, and its picture.
bool map(ByteView input) {
  const auto end = std::find(input.begin(), input.end(), std::uint8_t{0});
  const auto at = static_cast<std::size_t>(end - input.begin());
  const auto rules = scenario::parse_map_file(as_text(input.first(at)), "map.yaml");
  if (!rules || end == input.end()) return false;
  return scenario::map_from_picture(*rules, input.subspan(at + 1), "map.pgm").has_value();
}

std::vector<Bytes> map_seeds() {
  const std::string rules =
      "image: map.pgm\nresolution: 0.05\norigin: [-1, -2, 0.5]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.25\n";
  const std::string other = "image: map.pgm\nmode: scale\nresolution: 1\norigin: [0, 0, 0]\nnegate: 1\n"
                            "occupied_thresh: 0.9\nfree_thresh: 0.1\n";
  std::vector<Bytes> out;
  for (const std::string& yaml : {rules, other})
    for (const std::string& picture : {std::string("P5 3 2 255\n\x01\x80\xff\x10\x20\x30"),
                                       std::string("P2 # grey\n3 2\n15\n0 1 2\n15 8 7\n")}) {
      Bytes one = bytes_of(yaml);
      one.push_back(0);
      one.insert(one.end(), picture.begin(), picture.end());
      out.push_back(std::move(one));
    }
  return out;
}

bool scenario_text(ByteView input) { return scenario::parse(as_text(input), "fuzz.yaml", "/nonexistent").has_value(); }

std::vector<Bytes> scenario_seeds() {
  return {
      bytes_of("convoy: 1\nname: a\nseed: 3\ntime: {mode: lockstep, tick: 10ms, speed: max, duration: 1s}\nrobots:\n"
               "  - {name: a, count: 3, model: turtlebot3_burger, driver: random_walk, placement: {grid: {spacing: [1, "
               "1]}}}\n"
               "  - {name: b, model: box, placement: {poses: [[1, 2, 0.5]]}, tags: [red]}\n"),
      bytes_of("convoy: 1\nhosts: [a, b]\nworld: {ground: {size: [10, 6], walls: 0.1}, boxes: [{x: 2, y: 0, length: "
               "0.1, width: 3}]}\nmodels: [{name: m, like: turtlebot3_burger, max_speed: 1}]\n"
               "network: {delay: 1ms, jitter: 2ms, loss: 0.5}\nzmq: {port: 5555, role: drive}\n"
               "faults: [{kind: kill, host: a, at: 1s}]\nliveness: off\n"),
      bytes_of("convoy: 1\nrobots:\n- name: x\n  model: box\n  placement:\n    grid: {origin: [0, 0], spacing: [1, "
               "1], columns: 2}\n  count: 4\nwait_for: {names: [p], deadline: 1s}\nmax_clients: 3\n")};
}

}  // namespace convoy::fuzz
