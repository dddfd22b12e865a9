#include "physics/mujoco/urdf_inertia.h"

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/math.h"
#include "physics/mujoco/urdf_text.h"

namespace convoy::mujoco {

namespace {

constexpr double kDensity = 1000;                     // kg/m^3, MuJoCo's for shapes without a mass
constexpr double kShare = 1e-4;                       // of the robot's mass, of a moving link without mass and shapes
constexpr double kLeastMass = 1e-3, kMostMass = 0.1;  // kg, of the same
constexpr double kNoMass = 1e-9;                      // kg: without any, MuJoCo takes a link's from its shapes
constexpr double kLeastMoment = 1e-12;                // kg m^2; MuJoCo takes less for none
// Relative: so much within what is allowed. The document is written with fewer digits than MuJoCo checks.
constexpr double kSpare = 1e-4;
constexpr const char* kMoments[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};

struct Link {
  Element* element = nullptr;
  Element* inertial = nullptr;  // null: it says nothing of its mass
  double mass = 0;              // kg, as far as it says
  bool has_shape = false;       // to be touched
  std::string fixed_to;         // the link that it is a part of; empty: it moves, or is the world's
  bool moves = false;
  bool empty = false;  // it says that it has no mass
};

// About x, y, z; kg m^2.
using Moments = std::array<double, 6>;

constexpr Moments kNoMoments{kLeastMoment, 0, 0, kLeastMoment, 0, kLeastMoment};

Moments of_ball(double mass) {
  const double radius = std::cbrt(3 * mass / (4 * math::kPi * kDensity));
  const double moment = std::fmax(kLeastMoment, 0.4 * mass * radius * radius);
  return {moment, 0, 0, moment, 0, moment};
}

void write(Element& inertial, double mass, const Moments& moments) {
  const auto only = [&](const char* tag) -> Element& {
    Element* found = inertial.child(tag);
    return found ? *found : inertial.add(tag);
  };
  only("mass").set("value", fmt::format("{:.17g}", mass));
  Element& inertia = only("inertia");
  for (std::size_t i = 0; i < moments.size(); ++i) inertia.set(kMoments[i], fmt::format("{:.17g}", moments[i]));
}

class Repair {
 public:
  explicit Repair(Element& root) {
    for (Element& e : root.children)
      if (e.tag == "link") add(e);
    for (Element& e : root.children)
      if (e.tag == "joint") join(e);
  }

  void run() {
    for (auto& [name, link] : links_)
      if (link.inertial) mend(name, link);
    give_mass();
  }

  struct Done {
    std::string why;
    std::vector<std::string> links;
  };
  const std::vector<Done>& done() const { return done_; }
  std::string first_place() const { return first_place_; }

 private:
  void add(Element& e) {
    Link link;
    link.element = &e, link.inertial = e.child("inertial"), link.has_shape = e.child("collision") != nullptr;
    links_.emplace(e.get("name"), link);
  }

  void join(Element& joint) {
    const Element *parent = joint.child("parent"), *child = joint.child("child");
    const auto found = child ? links_.find(child->get("link")) : links_.end();
    if (found == links_.end()) return;
    if (joint.get("type") == "fixed" && parent) found->second.fixed_to = parent->get("link");
    else found->second.moves = true;
  }

  void note(const std::string& name, const Link& link, const std::string& why) {
    if (first_place_.empty()) first_place_ = link.element->where();
    for (Done& done : done_)
      if (done.why == why) return done.links.push_back(name);
    done_.push_back({why, {name}});
  }

  void drop(Link& link) {
    std::erase_if(link.element->children, [](const Element& e) { return e.tag == "inertial"; });
    link.inertial = nullptr, link.mass = 0;
  }

  void mend(const std::string& name, Link& link) {
    Element* mass = link.inertial->child("mass");
    Element* inertia = link.inertial->child("inertia");
    const std::optional<double> kg = mass ? number_in(*mass, "value") : std::nullopt;
    if (!kg || *kg < 0) {
      note(name, link, "the mass is no number that is 0 or more: left out");
      return drop(link);
    }
    Moments moments{};
    bool numbers = inertia != nullptr;
    for (std::size_t i = 0; inertia && i < moments.size(); ++i) {
      // What is not written is 0 in ROS, of the products at least.
      const std::optional<double> value = inertia->find(kMoments[i]) ? number_in(*inertia, kMoments[i]) : 0;
      numbers = numbers && value, moments[i] = value.value_or(0);
    }
    if (*kg == 0) return void(link.empty = true);
    link.mass = *kg;
    mjtNum eigen[3], axes[9], turned[4];
    const mjtNum full[9] = {moments[0], moments[1], moments[2], moments[1], moments[3],
                            moments[4], moments[2], moments[4], moments[5]};
    if (numbers) mju_eig3(eigen, axes, turned, full);  // in decreasing order
    if (!numbers || !(eigen[2] >= kLeastMoment)) {
      note(name, link, "a principal moment of inertia is 0 or less: replaced by that of a ball of water");
      return write(*link.inertial, *kg, of_ball(*kg));
    }
    if (eigen[1] + eigen[2] >= eigen[0] * (1 + kSpare / 2)) return;
    if (eigen[1] + eigen[2] < eigen[0] * (1 - kSpare))  // else it is a flat body's, but for its last digits
      note(name, link, "one principal moment of inertia is larger than the other two together: those were raised");
    const mjtNum raise = (eigen[0] * (1 + kSpare) - eigen[1] - eigen[2]) / 2;
    mjtNum mended[9] = {};
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          mended[3 * i + j] += axes[3 * i + k] * (eigen[k] + (k ? raise : 0)) * axes[3 * j + k];
    write(*link.inertial, *kg, {mended[0], mended[1], mended[2], mended[4], mended[5], mended[8]});
  }

  // The link that all which is fixed to this one moves with.
  const std::string& top(const std::string& name) const {
    const std::string* at = &name;
    for (std::size_t i = 0; i < links_.size(); ++i) {  // no longer, if they are fixed in a ring
      const auto found = links_.find(*at);
      if (found == links_.end() || found->second.fixed_to.empty()) break;
      at = &found->second.fixed_to;
    }
    return *at;
  }

  void give_mass() {
    struct Part {
      double mass = 0;
      bool inferred = false;  // MuJoCo takes it from shapes
    };
    std::map<std::string, Part> parts;  // by top link
    double all = 0;
    for (const auto& [name, link] : links_) parts[top(name)].mass += link.mass, all += link.mass;
    for (auto& [name, link] : links_) {
      Part& part = parts[top(name)];
      if (link.empty && part.mass > 0) write(*link.inertial, kNoMass, kNoMoments);
      else if (link.empty) drop(link);
      part.inferred = part.inferred || (!link.inertial && link.has_shape);
    }
    for (auto& [name, part] : parts) {
      const auto found = links_.find(name);
      if (found == links_.end() || !found->second.moves || part.mass > 0) continue;
      if (part.inferred) {
        note(name, found->second, "nothing gives a mass: that of water in the collision shapes");
        continue;
      }
      note(name, found->second, "nothing gives a mass or has a shape: a little of the robot's mass");
      const double mass = std::clamp(kShare * all, kLeastMass, kMostMass);
      write(found->second.element->add("inertial"), mass, of_ball(mass));
    }
  }

  std::map<std::string, Link> links_;
  std::vector<Done> done_;
  std::string first_place_;
};

}  // namespace

Status mend_inertias(Element& root, InertiaRule rule, ImportReport& report) {
  Repair repair(root);
  repair.run();
  std::vector<std::string> lines;
  for (const Repair::Done& done : repair.done())
    lines.push_back(fmt::format("inertia of {}: {}", listed(done.links), done.why));
  if (rule == InertiaRule::kRefuse && !lines.empty())
    return fail(ErrorCode::kInvalid, fmt::format("{}; `inertia: repair` would do so", fmt::join(lines, "; ")),
                repair.first_place());
  report.lost.insert(report.lost.end(), lines.begin(), lines.end());
  return {};
}

}  // namespace convoy::mujoco
