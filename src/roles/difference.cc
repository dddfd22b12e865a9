#include "roles/difference.h"

#include <fmt/format.h>

#include <bit>

#include "core/hash.h"

namespace convoy {
namespace {

std::string number(double v) { return fmt::format("{:.17g}", v); }

// The next boundary of a recording, before its edits; none at its end.
class Boundaries {
 public:
  explicit Boundaries(const Recording& recording) : cursor_(recording.from_start()) {}
  Result<bool> next(Boundary& out) {
    while (const Recording::Item* item = cursor_.peek()) {
      const bool reached = item->kind == RecordKind::kReached;
      // Edited ones are the base of the next.
      if (reached || item->kind == RecordKind::kEdited)
        if (auto ok = coder_.decode(item->bytes, out); !ok) return tl::unexpected(ok.error());
      cursor_.next();
      if (reached) return true;
    }
    if (cursor_.trouble()) return tl::unexpected(*cursor_.trouble());
    return false;
  }

 private:
  Recording::Cursor cursor_;
  BoundaryCoder coder_;
};

}  // namespace

std::optional<FieldDifference> first_of(const DescribeFields::List& a, const DescribeFields::List& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].first != b[i].first) return FieldDifference{a[i].first + " / " + b[i].first, "-", "-"};
    if (a[i].second != b[i].second) return FieldDifference{a[i].first, a[i].second, b[i].second};
  }
  if (a.size() == b.size()) return std::nullopt;
  const auto& longer = a.size() > b.size() ? a : b;
  const auto& extra = longer[std::min(a.size(), b.size())];
  return FieldDifference{extra.first, a.size() > b.size() ? extra.second : "absent",
                         a.size() > b.size() ? "absent" : extra.second};
}

std::optional<FieldDifference> word_difference(const State& a, std::span<const double> tail_a, const State& b,
                                               std::span<const double> tail_b, const std::vector<std::string>& joints) {
  if (auto first = first_of(describe(a), describe(b))) return first;
  if (tail_a.size() != tail_b.size())
    return FieldDifference{"tail words", std::to_string(tail_a.size()), std::to_string(tail_b.size())};
  for (std::size_t i = 0; i < tail_a.size(); ++i) {
    if (std::bit_cast<std::uint64_t>(tail_a[i]) == std::bit_cast<std::uint64_t>(tail_b[i])) continue;
    const std::size_t n = joints.size();
    const std::string field =
        i >= 2 * n ? fmt::format("wrench[{}]", i - 2 * n)
                   : fmt::format("joint {} {}", n > 0 ? joints[i % n] : "?", i < n ? "position" : "velocity");
    return FieldDifference{field, number(tail_a[i]), number(tail_b[i])};
  }
  if (words(a) == words(b)) return std::nullopt;
  return FieldDifference{"state", "other bits", "other bits"};
}

FieldDifference existence(bool in_a) {
  return {"existence", in_a ? "exists" : "does not exist", in_a ? "does not exist" : "exists"};
}

FieldDifference hash_difference(const AgentHash& a, const AgentHash& b) {
  const bool inner = a.inner != b.inner;
  return {inner ? "inner state" : "messages sent", "hash " + hex16(inner ? a.inner : a.sent),
          "hash " + hex16(inner ? b.inner : b.sent)};
}

Result<std::optional<RecordedDifference>> first_difference(const Recording& a, const Recording& b) {
  const auto names = names_of(a);
  const auto name_of = [&](Place place, WorldNumber n) {
    const auto it = names.find({place.run, n});
    return it == names.end() ? "number " + std::to_string(n.value()) : it->second;
  };
  const auto joints_of = [&](WorldNumber n) {
    const std::vector<EntitySpec>& entities = a.setup().entities;
    const std::size_t at = n.value() - 1;  // of what was spawned later the model is not looked for
    if (at < entities.size())
      for (const Model& model : a.setup().models)
        if (model.name == entities[at].model) return model.joints;
    return std::vector<std::string>();
  };
  const auto found = [](Place place, std::string entity, FieldDifference what) {
    return std::optional<RecordedDifference>({place, std::move(entity), std::move(what)});
  };
  Boundaries all_a(a), all_b(b);
  Boundary x, y;
  for (;;) {
    const auto more_a = all_a.next(x), more_b = all_b.next(y);
    if (!more_a || !more_b) return tl::unexpected(more_a ? more_b.error() : more_a.error());
    if (!*more_a && !*more_b) return std::optional<RecordedDifference>();
    if (!*more_a || !*more_b)
      return found(*more_a ? Place{x.run, x.tick} : Place{y.run, y.tick}, "",
                   {"the run", *more_a ? "goes on" : "is over", *more_b ? "goes on" : "is over"});
    const Place place{x.run, x.tick};
    if (place != Place{y.run, y.tick})
      return found(place, "", {"the run", fmt::format("{}/{}", x.run, x.tick), fmt::format("{}/{}", y.run, y.tick)});
    for (std::size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
      const WorldNumber in_x = i < x.size() ? x.numbers[i] : WorldNumber(~0u);
      const WorldNumber in_y = i < y.size() ? y.numbers[i] : WorldNumber(~0u);
      if (in_x != in_y) return found(place, name_of(place, std::min(in_x, in_y)), existence(in_x < in_y));
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::ranges::equal(x.of(i), y.of(i))) continue;
      if (auto what = word_difference(x.state(i), x.tail(i), y.state(i), y.tail(i), joints_of(x.numbers[i])))
        return found(place, name_of(place, x.numbers[i]), std::move(*what));
    }
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x.hashes[i] != y.hashes[i])
        return found(place, name_of(place, x.numbers[i]), hash_difference(x.hashes[i], y.hashes[i]));
  }
}

}  // namespace convoy
