// A host with two sliding robots and a burger, and a server that does at once what it is asked: for tests, in virtual
// time.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "control/control_core.h"
#include "physics/slides.h"

namespace convoy::control {

// Robots "s0", "s1" and "burger", with the world numbers in this order.
struct Stage {
  explicit Stage(ControlCoreOptions options = {}, bool lockstep = true, Duration tick = std::chrono::milliseconds(10))
      : control(std::move(options)) {
    setup.models = built_in_models();
    setup.tick = tick;
    for (int i = 0; i < 3; ++i) {
      EntitySpec spec;
      spec.name = i < 2 ? "s" + std::to_string(i) : "burger", spec.model = i < 2 ? "box" : "turtlebot3_burger";
      for (const Model& model : setup.models)
        if (i < 2 && model.drive == Drive::kNone && has_body(model)) spec.model = model.name;
      spec.pose.p.x = 3 * i;
      setup.entities.push_back(spec);
    }
    World world = *World::make(setup);
    for (Slot slot : SlotRange(3)) world.set_owner(slot, Owner(1));
    fleet = std::make_unique<Fleet>(std::move(world), setup, Owner(1), executor, AgentParts{engines});
    fleet->take_up();
    position.lockstep = lockstep;
    control.at_boundary(*fleet, position);
    serve();
  }

  // What the server does.
  void serve() {
    for (GatewayWish& wish : control.take_wishes()) {
      GatewayAnswer answer{wish.id, {}, position.tick, {}};
      if (wish.kind == GatewayWish::Kind::kQuery) answer.text = look(wish.text);
      if (wish.kind == GatewayWish::Kind::kCall) calls_made.push_back(wish), answer.text = call_answer;
      if (wish.kind == GatewayWish::Kind::kPause) paused = true;
      if (wish.kind == GatewayWish::Kind::kResume) paused = false;
      if (wish.kind == GatewayWish::Kind::kEdit) {
        if (auto ok = fleet->world().check(wish.edit); !ok) answer.error = ok.error();
        else edit(wish.edit);
      }
      control.answered(fleet.get(), answer);
    }
    if (const auto through = control.stepping().horizon(); through && !held)
      control.held_at(fleet.get(), position.run, std::max(*through, position.tick));
    held = control.stepping().horizon().has_value();
  }
  std::string look(const std::string& doors) const {
    std::string quoted;
    for (char c : doors) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
    return std::string(R"({"paused":)") + (paused ? "true" : "false") +
           R"(,"speed":1,"hosts":[{"name":"host0","doors":")" + quoted + R"("}]})";
  }
  void edit(const Edit& edit) {
    const auto* reset = std::get_if<Reset>(&edit);
    if (reset && reset->entities.empty()) ++position.run, position.tick = 0;
    EXPECTS(fleet->apply(edit, instant(position.tick * nanos(setup.tick))));
    fleet->settle();
    ++edits;
    control.at_boundary(*fleet, position);
  }
  void tick() {
    std::vector<Input> inputs;
    std::size_t room = 100;
    control.before_tick(*fleet, room, inputs);
    given.push_back(inputs);
    fleet->open({});
    fleet->advance(position.tick, inputs);
    ++position.tick;
    control.after_tick(*fleet, position.tick, fleet->world().next());
    fleet->turn();
    control.at_boundary(*fleet, position);
    serve();
  }
  // Time passes, and no tick comes.
  void wait(Duration time) {
    now += time;
    control.on_time(fleet.get(), now);
    serve();
  }

  Setup setup;
  SerialExecutor executor;
  SlidesFactory engines;
  std::unique_ptr<Fleet> fleet;
  ControlCore control;
  HostPosition position;
  bool paused = false, held = false;
  int edits = 0;
  Moment now{std::chrono::seconds(1)};
  std::vector<std::vector<Input>> given;  // with each tick
  std::vector<GatewayWish> calls_made;    // of the server
  std::string call_answer;                // to each of them
};

}  // namespace convoy::control
