// A type of Cyclone DDS whose samples are CDR bytes that nobody here looks into.
//
// rmw_cyclonedds has such a type of its own for ROS messages; this one is written from Cyclone's headers, and knows a
// message by its type's name alone. Endpoints of it have no key.
#pragma once
#include <dds/dds.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace peers {

using Bytes = std::vector<std::uint8_t>;

struct Sample {
  Bytes cdr;  // whole, from its encapsulation header on
  dds_sample_info_t info;
};

// A topic of that name whose type has this name; negative: Cyclone's error.
dds_entity_t create_raw_topic(dds_entity_t participant, const std::string& name, const std::string& type);

// The bytes go out as they are, be they CDR or not.
dds_return_t write_raw(dds_entity_t writer, const Bytes& cdr);

// Up to so many samples, without those that only tell of a writer's end.
std::vector<Sample> take_raw(dds_entity_t reader, std::size_t most = 64);

}  // namespace peers
