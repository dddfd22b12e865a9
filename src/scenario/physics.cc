// The section `physics`: MuJoCo's <option>, for all models or for one.
#include <fmt/format.h>

#include "scenario/sections.h"

namespace convoy::scenario {

namespace {

constexpr Choice<const char*> kSolvers[] = {{"newton", "Newton"}, {"cg", "CG"}, {"pgs", "PGS"}};
constexpr Choice<const char*> kIntegrators[] = {
    {"euler", "Euler"}, {"rk4", "RK4"}, {"implicit", "implicit"}, {"implicitfast", "implicitfast"}};
constexpr Choice<const char*> kCones[] = {{"pyramidal", "pyramidal"}, {"elliptic", "elliptic"}};

}  // namespace

void read_physics(Section& s, EngineOptions& out) {
  const auto set = [&](const char* name, std::string value) {
    if (s.has(name)) out.push_back({name, std::move(value)});
  };
  const auto choose = [&](const char* name, std::span<const Choice<const char*>> choices) {
    const char* value = "";
    s.choice<const char*>(name, value, choices);
    set(name, value);
  };
  const auto number = [&](const char* name, NumberRange range) {
    double value = 0;
    s.number(name, value, range);
    set(name, fmt::format("{:.17g}", value));
  };
  const auto whole = [&](const char* name, int most) {
    int value = 0;
    s.integer(name, value, 0, most);
    set(name, fmt::format("{}", value));
  };
  const auto vector = [&](const char* name, const char* unit) {
    double v[3] = {0, 0, 0};
    s.numbers(name, v, {-1000, 1000, unit, false});
    set(name, fmt::format("{:.17g} {:.17g} {:.17g}", v[0], v[1], v[2]));
  };
  Duration step{};
  s.duration("timestep", step, {std::chrono::microseconds(1), std::chrono::seconds(1)});
  set("timestep", fmt::format("{:.17g}", seconds(step)));
  choose("integrator", kIntegrators), choose("solver", kSolvers), choose("cone", kCones);
  whole("iterations", 10'000), whole("ls_iterations", 10'000), whole("noslip_iterations", 10'000);
  number("tolerance", {0, 1, "", false}), number("impratio", {0, 1e4, "", true});
  number("density", {0, 1e5, "kg/m^3", false}), number("viscosity", {0, 1e5, "Pa s", false});
  vector("gravity", "m/s^2"), vector("wind", "m/s");
}

}  // namespace convoy::scenario
