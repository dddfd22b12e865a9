// Where two runs that should be one begin to differ: by tick, entity and field.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/fields.h"
#include "record/recording.h"
#include "world/state.h"

namespace convoy {

// The first field that differs, with its text in both; absent: it has none there.
struct FieldDifference {
  std::string field, a, b;
};
std::optional<FieldDifference> first_of(const DescribeFields::List& a, const DescribeFields::List& b);

// The first word of an entity's state, joints or wrench that differs; none: all are the same bits.
std::optional<FieldDifference> word_difference(const State& a, std::span<const double> tail_a, const State& b,
                                               std::span<const double> tail_b, const std::vector<std::string>& joints);

FieldDifference existence(bool in_a);  // in b where not in a
FieldDifference hash_difference(const AgentHash& a, const AgentHash& b);

struct RecordedDifference {
  Place place;
  std::string entity;  // its name; empty when it is none's
  FieldDifference what;
};
// The first boundary at which two recordings of one setup differ, and in what. Hashes name no field: "inner state" and
// "messages sent" stand for all that an agent keeps to itself. An error: one of them cannot be read on.
Result<std::optional<RecordedDifference>> first_difference(const Recording& a, const Recording& b);

}  // namespace convoy
