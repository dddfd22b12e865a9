#include "physics/mujoco/urdf_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

namespace convoy::mujoco {

namespace {

constexpr const char* kThrees[] = {"xyz", "rpy", "scale", "size"};  // rows of three numbers

std::string place_of(const Element& e) { return fmt::format("line {}", e.line); }

// Empty: nothing to mend.
std::string mended_row(const std::string& row) {
  std::string out = row;
  std::replace(out.begin(), out.end(), ',', ' ');
  int words = 0;
  for (std::size_t at = 0; at < out.size();) {
    at = out.find_first_not_of(" \t\r\n", at);
    if (at == std::string::npos) break;
    if (++words > 3) {
      out.resize(at);
      break;
    }
    at = std::min(out.find_first_of(" \t\r\n", at), out.size());
  }
  return out == row ? "" : out;
}

bool stands_once(const Element& parent, const std::string& tag) {
  static const std::set<std::string> of_joint{"origin", "axis", "limit", "dynamics", "mimic", "parent", "child"};
  static const std::set<std::string> of_inertial{"origin", "mass", "inertia"};
  return (parent.tag == "joint" && of_joint.count(tag)) || (parent.tag == "inertial" && of_inertial.count(tag));
}

}  // namespace

namespace {

// Does the <geometry> of a visual or collision say a shape that MuJoCo makes?
bool has_shape(const Element& e) {
  const Element* geometry = e.child("geometry");
  for (const Element& shape : geometry ? geometry->children : std::vector<Element>{}) {
    if (shape.tag == "mesh" || shape.tag == "box") return true;
    if (shape.tag != "sphere" && shape.tag != "cylinder" && shape.tag != "capsule") continue;
    return number_in(shape, "radius") != 0 && (shape.tag == "sphere" || number_in(shape, "length") != 0);
  }
  return false;
}

}  // namespace

void mend_text(Element& root, ImportReport& report) {
  std::map<std::string, std::vector<std::string>> mended;  // where, by what was done
  for (Element& link : root.children)
    std::erase_if(link.children, [&](const Element& e) {
      if ((e.tag != "visual" && e.tag != "collision") || has_shape(e)) return false;
      mended["a <" + e.tag + "> without a shape, or with one of no size, was left out"].push_back(place_of(e));
      return true;
    });
  each(root, [&](Element& e) {
    for (const char* name : kThrees)
      if (const std::string* row = e.find(name))
        if (std::string better = mended_row(*row); !better.empty()) {
          mended["rows of three numbers had commas or more numbers"].push_back(place_of(e));
          e.set(name, std::move(better));
        }
    std::set<std::string> seen;
    std::erase_if(e.children, [&](const Element& c) {
      if (!stands_once(e, c.tag) || seen.insert(c.tag).second) return false;
      mended["a second <" + c.tag + "> was left out"].push_back(place_of(c));
      return true;
    });
  });
  for (const auto& [what, where] : mended) report.lost.push_back(fmt::format("{}: {}", what, listed(where)));
}

std::optional<double> number_in(const Element& e, const char* attribute) {
  const std::string text = e.get(attribute);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !std::isfinite(value)) return {};
  return value;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) out += (i ? ", '" : "'") + names[i] + "'";
  if (names.size() > kMost) out += fmt::format(" and {} more", names.size() - kMost);
  return out;
}

}  // namespace convoy::mujoco
