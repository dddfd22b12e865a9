#include "roles/control_source.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/look.h"
#include "core/hash.h"
#include "world/world.h"

namespace convoy {

namespace {

using Json = nlohmann::ordered_json;

void refuse(const Run& run, const Answer& answer, ErrorCode code, std::string text) {
  proto::Reply reply;
  reply.set_error(static_cast<std::uint32_t>(code));
  reply.set_text(std::move(text));
  reply.set_tick(run.tick());
  answer(std::move(reply));
}

// What one host says of its robots' controllers.
void add(const NodesAnswer& said, const World& world, const std::vector<WorldNumber>& robots,
         std::map<WorldNumber, Json>& lines) {
  constexpr std::string_view kIgnored = "ignored.";
  for (const NodesAnswer::Parameter& p : said.parameters) {
    const Slot slot = world.slot_of(p.agent);
    if (!p.controller || slot == kNoSlot || !std::binary_search(robots.begin(), robots.end(), p.agent)) continue;
    Json& line = lines[p.agent];
    if (line.is_null()) line = {{"robot", world.entity(slot).name}, {"source", "any"}, {"ignored", Json::object()}};
    if (p.name == "source") line["source"] = p.value;
    else if (p.name.starts_with(kIgnored)) line["ignored"][p.name.substr(kIgnored.size())] = Json::parse(p.value, nullptr, false);
  }
}

void tell(std::vector<WorldNumber> robots, Run& run, const Answer& answer) {
  const std::string node = robots.size() == 1 ? controller_name(run.world().entity(run.world().slot_of(robots[0])).name) : "";
  std::sort(robots.begin(), robots.end());
  run.ask(save(NodesQuestion{NodesQuestion::Kind::kControllers, 0, node}),
          [&run, robots = std::move(robots), answer](const std::vector<Bytes>& all) {
            std::map<WorldNumber, Json> lines;
            for (const Bytes& bytes : all)
              if (NodesAnswer one; load(bytes, one)) add(one, run.world(), robots, lines);
            Json list = Json::array();
            for (auto& [number, line] : lines) list.push_back(std::move(line));
            proto::Reply reply;
            reply.set_tick(run.tick());
            reply.set_json(list.dump());
            answer(std::move(reply));
          });
}

}  // namespace

void control_source(const proto::ControlSource& wanted, const std::vector<WorldNumber>& robots, Run& run,
                    const Answer& answer) {
  if (wanted.source().empty()) return tell(robots, run, answer);
  if (!source_of(wanted.source())) {
    const std::vector<std::string> known(kSourceNames.begin(), kSourceNames.end());
    const std::string near = nearest_name(wanted.source(), known);
    return refuse(run, answer, ErrorCode::kInvalid,
                  "unknown source '" + wanted.source().substr(0, 140) + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  const Tick tick = run.next_tick();
  for (WorldNumber robot : robots)
    if (auto ok = run.submit(SetParameter{robot, kControllerNode, "source", wanted.source(), Source::kAny}); !ok)
      return refuse(run, answer, ok.error().code, ok.error().message());
  proto::Reply reply;
  reply.set_tick(tick);
  answer(std::move(reply));
}

}  // namespace convoy
