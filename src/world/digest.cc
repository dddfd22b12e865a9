#include "world/digest.h"

#include <algorithm>

#include "core/hash.h"
#include "world/model_files.h"
#include "world/users_code.h"

namespace convoy {

std::uint64_t agent_hash(const State& state, std::span<const double> tail, const AgentHash& inside) {
  std::uint64_t buffer[kStateWords + 64 + 2];
  const StateWords state_words = words(state);
  std::memcpy(buffer, state_words.data(), sizeof state_words);
  buffer[kStateWords] = inside.inner;
  buffer[kStateWords + 1] = inside.sent;
  if (tail.size() <= 64) {  // the common case stays on the stack and is one hash
    if (!tail.empty()) std::memcpy(buffer + kStateWords + 2, tail.data(), tail.size_bytes());
    return hash64({reinterpret_cast<const std::uint8_t*>(buffer), (kStateWords + 2 + tail.size()) * 8});
  }
  const std::uint64_t head = hash64({reinterpret_cast<const std::uint8_t*>(buffer), (kStateWords + 2) * 8});
  return hash64({reinterpret_cast<const std::uint8_t*>(tail.data()), tail.size_bytes()}, head);
}

namespace {

void forget_shapes(Setup& setup) {
  std::vector<std::uint64_t> hashes;
  for (Model& model : setup.models)
    std::erase_if(model.files, [&](const ModelFile& file) {
      const bool shapes = file.name == kShapesFile;
      if (shapes) hashes.push_back(file.hash);
      return shapes;
    });
  if (hashes.empty()) return;
  std::erase_if(setup.files, [&](const Bytes& bytes) {
    return std::find(hashes.begin(), hashes.end(), hash64(bytes)) != hashes.end();
  });
}

}  // namespace

std::uint64_t digest_seed(const Setup& setup) {
  Setup placed_nowhere = setup;
  for (EntitySpec& spec : placed_nowhere.entities) {
    spec.host.clear();
    for (SensorSpec& sensor : spec.sensors) sensor.load.reset();
    forget_libraries(spec);
  }
  for (SensorSet& set : placed_nowhere.sensors.sets)
    for (SensorSpec& sensor : set.sensors) sensor.library.clear(), sensor.load.reset();
  for (SensorTypeRule& rule : placed_nowhere.sensors.types) rule.load.reset();
  placed_nowhere.sensors.policy = PlacementPolicy::kSvl;
  for (Model& model : placed_nowhere.models) model.engine.library.clear();
  for (DelayRule& rule : placed_nowhere.nodes.delays) rule.where.clear();  // the file's path
  forget_shapes(placed_nowhere);
  Bytes bytes;
  save_for_hash(bytes, placed_nowhere);
  return hash64(bytes);
}

std::uint64_t next_digest(std::uint64_t digest, Tick tick, const World& world, std::span<const AgentHash> inside) {
  const Snapshot& snapshot = world.snapshot();
  EXPECTS(inside.size() == snapshot.size());
  static thread_local std::vector<std::uint64_t> buffer;
  buffer.clear();
  buffer.push_back(static_cast<std::uint64_t>(tick));
  buffer.push_back(world.structure_hash());
  for (Slot slot : SlotRange(snapshot.size())) {
    buffer.push_back(snapshot.number(slot).value());
    buffer.push_back(agent_hash(snapshot.state(slot), snapshot.tail(slot), inside[slot.index()]));
  }
  return chain(digest, hash64({reinterpret_cast<const std::uint8_t*>(buffer.data()), buffer.size() * 8}));
}

}  // namespace convoy
