#include "roles/control_source.h"

#include <algorithm>
#include <array>

#include "core/hash.h"
#include "core/nearest.h"
#include "world/world.h"

namespace convoy {

using Json = nlohmann::ordered_json;

namespace {

void refuse(const Run& run, const Answer& answer, ErrorCode code, std::string text) {
  proto::Reply reply;
  reply.set_error(static_cast<std::uint32_t>(code));
  reply.set_text(std::move(text));
  reply.set_tick(run.tick());
  answer(std::move(reply));
}

// How long hosts have to answer: longer than a tick should last, and people wait for it.
constexpr Duration kPatience = std::chrono::seconds(1);

// Commands without a source, or with an unknown one, are counted as those of kAny.
std::string_view ignored_name(ControlSource source) {
  return source == ControlSource::kAny ? "unknown" : name_of(source);
}

void report_rules(std::vector<WorldNumber> robots, Run& run, Moment now, const Answer& answer) {
  const std::string one = robots.size() == 1 ? run.world().entity(run.world().slot_of(robots[0])).name : "";
  std::sort(robots.begin(), robots.end());
  find_rules(one, run, now, [&run, robots = std::move(robots), answer](const Rules& rules) {
    Json list = Json::array();
    for (const auto& [number, rule] : rules) {
      const Slot slot = run.world().slot_of(number);
      if (slot == kNoSlot || !std::binary_search(robots.begin(), robots.end(), number)) continue;
      Json line{{"robot", run.world().entity(slot).name}};
      line.update(rule_json(rule));
      list.push_back(std::move(line));
    }
    proto::Reply reply;
    reply.set_tick(run.tick());
    reply.set_json(list.dump());
    answer(std::move(reply));
  });
}

}  // namespace

void find_rules(const std::string& robot, Run& run, Moment now, std::function<void(const Rules&)> done) {
  run.ask(save(NodesQuestion{NodesQuestion::Kind::kRules, 0, robot}), now + kPatience,
          [done = std::move(done)](const std::vector<Bytes>& all) {
            Rules rules;
            for (const Bytes& bytes : all)
              if (NodesAnswer one; load(bytes, one))
                for (NodesAnswer::Ruled& ruled : one.rules) rules[ruled.agent] = std::move(ruled);
            done(rules);
          });
}

Json rule_json(const NodesAnswer::Ruled& rule) {
  Json out{{"source", name_of(rule.ruler)}, {"ignored", Json::object()}};
  for (const auto& [source, commands] : rule.ignored) out["ignored"][std::string(ignored_name(source))] = commands;
  return out;
}

Json rules_json(const Rules& rules, const Run& run) {
  Json by = Json::object(), ignored = Json::object();
  std::array<std::uint64_t, kControlSources + 1> robots{}, commands{};  // the last: not reported
  for (const Entity& e : run.world().entities()) {
    if (e.owner == kNobody) continue;
    const auto rule = rules.find(e.number);
    ++robots[rule == rules.end() ? kControlSources : static_cast<std::size_t>(rule->second.ruler) % kControlSources];
    if (rule == rules.end()) continue;
    for (const auto& [source, n] : rule->second.ignored)
      commands[static_cast<std::size_t>(source) % kControlSources] += n;
  }
  for (std::size_t i = 0; i <= kControlSources; ++i)
    if (robots[i] > 0) by[std::string(i == kControlSources ? "unknown" : kControlSourceNames[i])] = robots[i];
  for (std::size_t i = 0; i < kControlSources; ++i)
    if (commands[i] > 0) ignored[std::string(ignored_name(static_cast<ControlSource>(i)))] = commands[i];
  return {{"default", name_of(run.setup().control_source)}, {"robots", std::move(by)}, {"ignored", std::move(ignored)}};
}

void control_source(const proto::ControlSource& wanted, const std::vector<WorldNumber>& robots,
                    const std::string& holder, Run& run, Moment now, const Answer& answer) {
  if (wanted.source().empty()) return report_rules(robots, run, now, answer);
  if (!control_source_of(wanted.source())) {
    const std::vector<std::string> known(kControlSourceNames.begin(), kControlSourceNames.end());
    const std::string near = nearest_name(wanted.source(), known);
    return refuse(run, answer, ErrorCode::kInvalid,
                  "unknown source '" + wanted.source().substr(0, 140) + "'" +
                      (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  const Tick tick = run.next_tick();
  for (WorldNumber robot : robots)
    if (auto ok =
            run.submit(SetParameter{robot, kControllerNode, "source", wanted.source(), ControlSource::kAny, holder});
        !ok)
      return refuse(run, answer, ok.error().code, ok.error().message());
  proto::Reply reply;
  reply.set_tick(tick);
  answer(std::move(reply));
}

}  // namespace convoy
