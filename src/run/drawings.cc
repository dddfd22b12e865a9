#include "run/drawings.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace convoy {

namespace {

bool is_color(const std::string& text) {
  return (text.size() == 7 || text.size() == 9) && text[0] == '#' &&
         std::all_of(text.begin() + 1, text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); });
}

bool in_pairs(Drawn::Kind kind) { return kind == Drawn::Kind::kLines || kind == Drawn::Kind::kArrows; }

// At most, as JSON: a letter may be written as six, a point as three numbers of seven digits and four behind the point.
std::size_t size_of(const Drawn& one) { return 400 + 6 * (one.name.size() + one.text.size()) + 44 * one.points.size(); }

Status check(const Drawn& one) {
  const auto wrong = [&](const char* why) {
    return fail(ErrorCode::kInvalid, "the drawing '" + one.name.substr(0, 140) + "' " + why);
  };
  if (one.name.empty() || one.name.size() > 256)
    return fail(ErrorCode::kInvalid, "a drawing has a name of 1 to 256 bytes");
  if (one.points.empty()) return wrong("has no points");
  if (in_pairs(one.kind) && one.points.size() % 2 != 0)
    return wrong("has a point without a second: they come in pairs");
  if (one.kind == Drawn::Kind::kStrip && one.points.size() < 2) return wrong("is a line of one point");
  if (one.kind == Drawn::Kind::kText && one.text.empty()) return wrong("has no text");
  if (one.text.size() > kMaxDrawnText) return wrong("has more than 1024 bytes of text");
  if (!is_color(one.color)) return wrong("has no color as #rrggbb or #rrggbbaa");
  if (!(one.size >= 0 && one.size <= 1000)) return wrong("has a size that is not from 0 to 1000 m");
  for (const Vec3& p : one.points)
    if (!(std::abs(p.x) <= 1e7 && std::abs(p.y) <= 1e7 && std::abs(p.z) <= 1e7))
      return wrong("has a point that is no number, or more than 10,000 km away");
  return {};
}

}  // namespace

Status Drawings::change(std::span<const std::string> erase, bool erase_all, std::vector<Drawn> drawings) {
  for (const Drawn& one : drawings)
    if (auto ok = check(one); !ok) return ok;
  std::map<std::string_view, std::size_t> sizes;  // as it will be
  if (!erase_all)
    for (const auto& [name, one] : all_) sizes[name] = size_of(one);
  for (const std::string& name : erase)
    if (sizes.erase(name) == 0 && !erase_all)
      return fail(ErrorCode::kNotFound, "no drawing is named '" + name.substr(0, 140) + "'");
  for (const Drawn& one : drawings) sizes[one.name] = size_of(one);
  std::size_t bytes = 0;
  for (const auto& [name, size] : sizes) bytes += size;
  if (sizes.size() > kMaxDrawings) return fail(ErrorCode::kUnavailable, "there are 1000 drawings, which is the limit");
  if (bytes > kMaxDrawnBytes)
    return fail(ErrorCode::kUnavailable, "all drawings together would have more than 1 MB, which is the limit");
  if (erase_all) all_.clear();
  for (const std::string& name : erase) all_.erase(name);
  for (Drawn& one : drawings) {
    std::string name = one.name;
    all_.insert_or_assign(std::move(name), std::move(one));
  }
  ++revision_;
  return {};
}

void Drawings::follow(const World& world, std::uint32_t run, Instant now) {
  const bool begun_anew = run != std::exchange(run_, run);
  const std::size_t over = std::erase_if(all_, [&](const auto& one) {
    const Drawn& drawing = one.second;
    return begun_anew || (drawing.until && *drawing.until <= now) ||
           (drawing.frame != kNoEntity && world.slot_of(drawing.frame) == kNoSlot);
  });
  if (over > 0) ++revision_;
}

}  // namespace convoy
