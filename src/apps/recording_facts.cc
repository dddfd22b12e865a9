#include "apps/recording_facts.h"

#include <fmt/format.h>

#include "core/overloads.h"

namespace convoy::apps {

using Json = nlohmann::ordered_json;

RecordingFacts facts_of(const Recording& recording) {
  RecordingFacts facts;
  for (const JournalEntry& entry : recording.journal())
    std::visit(Overloads{[&](const Edit&) { ++facts.edits; }, [&](const Input&) { ++facts.inputs; },
                         [&](const Lost&) { ++facts.losses; },
                         [&](const ElementChanged& change) {
                           facts.elements.count(change);
                           ++facts.by_type[change.type + " of " + change.owner];
                         },
                         [&](const Absent& absent) {
                           if (!absent.gone) ++facts.missed[absent.name];
                         },
                         [&](const AskedEdit&) { ++facts.asked; }},
               entry.what);
  return facts;
}

std::string outside_text(const RecordingFacts& facts) {
  std::string text;
  if (const ElementCounts& e = facts.elements; e.appeared > 0)
    text = fmt::format("elements: {} appeared, {} updates, {} gone\n", e.appeared, e.changed, e.gone);
  for (const auto& [what, n] : facts.by_type) text += fmt::format("  {}: {} entries\n", what, n);
  for (const auto& [name, n] : facts.missed) text += fmt::format("missed deadlines: {} by {}\n", n, name);
  return text;
}

std::string place_text(Place place, Duration tick) {
  return fmt::format("{}tick {} ({:.9g} s)", place.run > 0 ? fmt::format("run {}, ", place.run) : "", place.tick,
                     seconds(Duration(place.tick * nanos(tick))));
}

std::string damage_text(const Recording& recording) {
  return fmt::format("{}; its complete part ends at {}", recording.damage(),
                     place_text(recording.end(), recording.setup().tick));
}

Json json_of(const std::string& file, const Recording& recording, const RecordingFacts& facts) {
  Json json{{"recording", file},
            {"scenario", recording.head().scenario},
            {"mode", recording.head().mode},
            {"detail", recording.head().detail},
            {"seed", recording.setup().seed},
            {"runs", recording.end().run + 1},
            {"ticks", recording.end().tick},
            {"sim_s", static_cast<double>(recording.end_ns()) * 1e-9},
            {"intact", recording.intact()},
            {"damage", recording.intact() ? Json() : Json(recording.damage())},
            {"edits", facts.edits},
            {"asked_edits", facts.asked},
            {"inputs", facts.inputs},
            {"losses", facts.losses}};
  json["elements"] = {{"appeared", facts.elements.appeared},
                      {"changed", facts.elements.changed},
                      {"gone", facts.elements.gone},
                      {"by_type", facts.by_type}};
  json["missed_deadlines"] = facts.missed;
  return json;
}

}  // namespace convoy::apps
