// The operations that programs outside may call. docs/calls.md states what each takes and gives.
#pragma once

#include <vector>

#include "adapters/zmq/call.h"
#include "core/access.h"

namespace convoy::zmq {

struct Operation {
  const char *name, *category;
  Access needs;
  const char *required, *returns;
  bool with_session;
  void (*carry_out)(Call&);  // null: meta, which works before there is a world
};
const std::vector<Operation>& operations();

// calls_session.cc: who is there, and whose robots are
void hello(Call& call);
void status(Call& call);
void bye(Call& call);
void lease(Call& call);
void release(Call& call);
// calls_time.cc: what concerns the whole run
void set_mode(Call& call);
void set_paused(Call& call);
void set_sim_speed(Call& call);
void step(Call& call);
// calls_robots.cc: commands
void set_twist(Call& call);
void set_actions(Call& call);
void set_control_source(Call& call);
void set_gains(Call& call);
// All of the request's controls: of one field of bytes, or by names.
Checked<std::vector<control::RobotControls>> read_controls(const Call& call);
// calls_parts.cc: one part of a robot's physics, and what it touches
void apply_force(Call& call);
void set_option(Call& call);
void get_contacts(Call& call);
void get_sensor(Call& call);
void set_sensor(Call& call);
// calls_cameras.cc: what cameras stream
void set_camera_streaming(Call& call);
// calls_state.cc: resets and states
void reset(Call& call);
void get_state(Call& call);
void set_state(Call& call);
void list_keyframes(Call& call);
Checked<std::vector<control::Put>> read_reset_after(const Call& call);
// calls_world.cc: entities of the whole run, wherever they are
void spawn(Call& call);
void remove(Call& call);
void attach(Call& call);
void detach(Call& call);
void set_tags(Call& call);
void set_entity(Call& call);
void get_entity(Call& call);
void list_entities(Call& call);
void list_elements(Call& call);
void get_world(Call& call);
void draw(Call& call);
void erase(Call& call);
void list_drawings(Call& call);
void list_models(Call& call);
void set_environment(Call& call);

}  // namespace convoy::zmq
