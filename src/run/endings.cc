#include "run/endings.h"

#include <algorithm>

#include "agent/software.h"

namespace convoy {

namespace {

constexpr std::size_t kMaxReason = 500;  // characters of why physics gave up

}  // namespace

bool Endings::note(const Message& message, const World& world, Tick tick) {
  const Slot slot = world.slot_of(message.from);
  if (slot == kNoSlot) return false;
  const std::string& name = world.entity(slot).name;
  using What = AgentFault::What;
  static constexpr std::pair<const char*, What> kTopics[] = {
      {kFaultTopic, What::kStandsStill}, {kAdviceTopic, What::kNotExact}, {kSensorTopic, What::kSensor}};
  const auto topic = std::find_if(std::begin(kTopics), std::end(kTopics),
                                  [&](const auto& known) { return message.topic == known.first; });
  if (topic != std::end(kTopics) && faults_.size() < kMaxFaultsKept)
    faults_.push_back({.agent = message.from,
                       .name = name,
                       .why = std::string(as_text(message.payload)).substr(0, kMaxReason),
                       .tick = tick,
                       .what = topic->second});
  EndedMessage ended;
  if (message.topic != kEndedTopic || !load(message.payload, ended)) return false;
  software_.push_back(
      {.agent = message.from, .name = name, .exit_code = ended.exit_code, .why = ended.why, .run = ended.run});
  return ended.run;
}

bool Endings::all_software_ended(const World& world) const {
  const auto runs = [&](const Entity& e) {
    return !e.kind->components.empty() && e.owner != kNobody &&
           std::none_of(software_.begin(), software_.end(), [&](const Ending& end) { return end.agent == e.number; });
  };
  return std::none_of(world.entities().begin(), world.entities().end(), runs);
}

}  // namespace convoy
