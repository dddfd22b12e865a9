#include "physics/mujoco/servos.h"

#include <fmt/format.h>

#include <algorithm>

namespace convoy::mujoco {

namespace {

constexpr double kServoError = 0.1;  // rad or m; at which a position servo gives the joint's whole effort

}  // namespace

void report_servos(const std::vector<Servo>& servos, ImportReport& report) {
  if (!servos.empty())
    report.made.push_back(
        fmt::format("{} actuators made, named as their joints: velocity servos for continuous joints, position servos "
                    "for others",
                    servos.size()));
  const auto without = std::count_if(servos.begin(), servos.end(), [](const Servo& s) { return s.effort <= 0; });
  if (without)
    report.lost.push_back(fmt::format("{} joints give no effort: their actuators have no force limit", without));
}

void set_options(Element& mjcf) {
  Element* option = mjcf.child("option");
  if (!option) option = &mjcf.add("option");
  if (!option->find("integrator")) option->set("integrator", "implicitfast");
}

void add_actuators(Element& mjcf, const std::vector<Servo>& servos, const std::vector<Mimic>& mimics) {
  if (!servos.empty()) {
    Element& all = mjcf.add("actuator");
    for (const Servo& s : servos) {
      Element& a = all.add(s.turns ? "velocity" : "position");
      a.set("name", s.joint), a.set("joint", s.joint);
      const double effort = s.effort > 0 ? s.effort : s.turns ? 1 : 10;
      if (s.turns) a.set("kv", fmt::format("{:.17g}", effort));
      else a.set("kp", fmt::format("{:.17g}", std::min(effort / kServoError, s.stiffest))), a.set("dampratio", "1");
      if (s.effort > 0) a.set("forcerange", fmt::format("{:.17g} {:.17g}", -s.effort, s.effort));
    }
  }
  if (mimics.empty()) return;
  Element& all = mjcf.add("equality");
  for (const Mimic& m : mimics) {
    Element& joint = all.add("joint");
    joint.set("joint1", m.joint), joint.set("joint2", m.of);
    joint.set("polycoef", fmt::format("{:.17g} {:.17g} 0 0 0", m.offset, m.multiplier));
  }
}

}  // namespace convoy::mujoco
