#include "adapters/ros2/partial_reset.h"

#include <algorithm>

namespace convoy::ros2 {

namespace {

// As the server names them: run/element_effects.h.
bool is_element_body(const Entity& entity) { return entity.owner == kNobody && entity.name.starts_with("element_"); }

}  // namespace

// The server's answers own it.
void PartialReset::begin(DoorHere& here, PartialResetScope scope, Respond respond) {
  if (!here.fleet) return respond(not_begun());
  const std::shared_ptr<PartialReset> self(new PartialReset(here, std::move(respond)));
  ask(here.control, *here.fleet, "world", Json::object(), {}, [self, scope](const Answer& answer) {
    const Json world = answer.data();
    const auto entities = world.find("entities");
    if (answer.error) return self->respond_(result_of(answer.error));
    if (!self->here_.fleet) return self->respond_(not_begun());
    if (entities == world.end() || !entities->is_number_unsigned())
      return self->respond_(failed("the server does not tell with how many entities the run began"));
    self->plan(scope, entities->get<std::uint32_t>());
    self->go_on();
  });
}

void PartialReset::plan(PartialResetScope scope, std::uint32_t begun_with) {
  const auto add = [&](const char* method, const std::string& name) {
    if (calls_.empty() || calls_.back().method != method || calls_.back().names.size() == kNamesInCall)
      calls_.push_back({method, {}});
    calls_.back().names.push_back(name);
  };
  const auto& entities = here_.fleet->world().entities();
  if (scope.state)
    for (const Entity& entity : entities)
      if (entity.number.value() <= begun_with) add("reset", entity.name);
  if (!scope.spawned) return;
  for (const Entity& entity : entities)
    if (entity.number.value() > begun_with && !is_element_body(entity)) add("delete_", entity.name);
}

void PartialReset::go_on() {
  if (calls_.empty()) return respond_(failures_ == 0 ? done() : failed(why_));
  const Call call = std::move(calls_.back());
  calls_.pop_back();
  if (!here_.fleet) return respond_(not_begun());
  const bool deleting = call.method == std::string_view("delete_");
  ask(here_.control, *here_.fleet, call.method, {{"names", call.names}}, {},
      [self = shared_from_this(), deleting](const Answer& answer) { self->answered(answer, deleting); });
}

// What others have deleted meanwhile is gone as well.
void PartialReset::answered(const Answer& answer, bool deleting) {
  for (std::size_t i = 0; i < std::max<std::size_t>(answer.outcomes(), 1); ++i) {
    const auto error = answer.outcome(i);
    if (!error || (deleting && error->code == ErrorCode::kNotFound)) continue;
    if (failures_++ == 0) why_ = error->text;
  }
  go_on();
}

}  // namespace convoy::ros2
