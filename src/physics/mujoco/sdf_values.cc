#include "physics/mujoco/sdf_values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/math.h"
#include "physics/mujoco/numbers.h"

namespace convoy::mujoco {

namespace {

constexpr const char* kBlank = " \t\r\n";
constexpr std::size_t kMostShown = 40;  // characters of a text in an error
constexpr double kLargest = 1e12;       // of a number; beyond it MuJoCo gives up

std::string shown(const std::string& text) {
  return text.size() > kMostShown ? text.substr(0, kMostShown) + "..." : text;
}

bool to_number(std::string_view word, double& out) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const auto [end, trouble] = std::from_chars(word.data(), word.data() + word.size(), out);
  if (trouble == std::errc::result_out_of_range) out = 0;  // as good as 0, or refused below
  return (trouble == std::errc() || trouble == std::errc::result_out_of_range) && end == word.data() + word.size();
}

// Fixed axes: about x, then y, then z.
Quat from_rpy(double roll, double pitch, double yaw) {
  const auto half = [](double angle, double& s, double& c) { math::sincos(angle / 2, s, c); };
  double sr = 0, cr = 0, sp = 0, cp = 0, sy = 0, cy = 0;
  half(roll, sr, cr), half(pitch, sp, cp), half(yaw, sy, cy);
  return Quat{cy, 0, 0, sy} * Quat{cp, 0, sp, 0} * Quat{cr, sr, 0, 0};
}

}  // namespace

std::string text_of(const Element& parent, const char* tag) {
  const Element* child = parent.child(tag);
  return child ? child->text : "";
}

void SdfValues::refuse(const Element& at, std::string why, ErrorCode code) {
  if (status_) status_ = fail(code, std::move(why), at.where());
}

bool SdfValues::all_numbers(const Element& e, bool infinite, std::vector<double>& out) {
  for (std::size_t at = 0; (at = e.text.find_first_not_of(kBlank, at)) != std::string::npos;) {
    const std::size_t end = std::min(e.text.find_first_of(kBlank, at), e.text.size());
    double value = 0;
    const bool read = to_number(std::string_view(e.text).substr(at, end - at), value);
    if (!read || std::isnan(value) || (!infinite && std::fabs(value) > kLargest)) return false;
    out.push_back(value);
    if (out.size() > 1000) return false;
    at = end;
  }
  return true;
}

std::vector<double> SdfValues::numbers(const Element& e, std::size_t count) {
  std::vector<double> out;
  if (all_numbers(e, false, out) && out.size() == count) return out;
  refuse(e, count == 1 ? fmt::format("<{}> is a number, not '{}'", e.tag, shown(e.text))
                       : fmt::format("<{}> is {} numbers, not '{}'", e.tag, count, shown(e.text)));
  return std::vector<double>(count, 0);
}

double SdfValues::number(const Element& parent, const char* tag, double otherwise) {
  const Element* e = parent.child(tag);
  return e ? numbers(*e, 1)[0] : otherwise;
}

double SdfValues::limit(const Element& parent, const char* tag, double otherwise) {
  const Element* e = parent.child(tag);
  if (!e) return otherwise;
  std::vector<double> out;
  if (all_numbers(*e, true, out) && out.size() == 1) return out[0];
  refuse(*e, fmt::format("<{}> is a number, not '{}'", e->tag, shown(e->text)));
  return otherwise;
}

bool SdfValues::flag(const Element& parent, const char* tag, bool otherwise) {
  const Element* e = parent.child(tag);
  if (!e) return otherwise;
  const std::string text = e->text;
  if (text == "true" || text == "1" || text == "True") return true;
  if (text != "false" && text != "0" && text != "False")
    refuse(*e, fmt::format("<{}> is true or false, not '{}'", e->tag, shown(text)));
  return false;
}

double SdfValues::size(const Element& parent, const char* tag) {
  const Element* e = parent.child(tag);
  if (!e) refuse(parent, fmt::format("<{}> has no <{}>", parent.tag, tag));
  if (!e) return 1;
  const double out = numbers(*e, 1)[0];
  if (out > 0) return out;
  refuse(*e, fmt::format("<{}> must be above 0", tag));
  return 1;
}

Vec3 SdfValues::vector(const Element& e) {
  const std::vector<double> v = numbers(e, 3);
  return {v[0], v[1], v[2]};
}

Pose SdfValues::pose(const Element& e) {
  if (e.text.empty()) return {};
  const std::string format = e.get("rotation_format"), degrees = e.get("degrees");
  if (format == "quat_xyzw") {
    const std::vector<double> v = numbers(e, 7);
    const Quat q{v[6], v[3], v[4], v[5]};
    if (length(q) < 1e-9) refuse(e, "the quaternion of a <pose> (x y z w) is 0");
    return {{v[0], v[1], v[2]}, unit(q)};
  }
  if (!format.empty() && format != "euler_rpy")
    refuse(e, fmt::format("rotation_format is euler_rpy or quat_xyzw, not '{}'", shown(format)));
  const std::vector<double> v = numbers(e, 6);
  const double scale = degrees == "true" || degrees == "1" ? math::kPi / 180 : 1;
  return {{v[0], v[1], v[2]}, from_rpy(scale * v[3], scale * v[4], scale * v[5])};
}

std::string SdfValues::name(const Element& e) {
  const std::string out = e.get("name");
  if (out.empty()) refuse(e, fmt::format("<{}> has no name", e.tag));
  else if (out == "world" || out.starts_with("__"))
    refuse(e, fmt::format("a <{}> cannot be called '{}': the name is SDF's own", e.tag, shown(out)));
  return out;
}

}  // namespace convoy::mujoco
