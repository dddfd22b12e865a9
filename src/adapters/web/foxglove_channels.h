// The channels that Foxglove's clients may subscribe to, and their numbers.
//
// A topic with a schema keeps its number for good, also when it is gone and comes again: clients remember what they know
// of a number.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "record/foxglove/schema.h"

namespace convoy::web {

struct FoxgloveChannel {
  std::string topic;
  std::shared_ptr<const ChannelSchema> schema;  // one for all channels of its kind: it never changes
  bool stream = false;                          // each message stands for all before it: a slow client is spared some
  std::string robot{};                          // which it is about
};

class FoxgloveChannels {
 public:
  struct News {
    std::vector<std::uint32_t> come, gone;
  };
  // These are there, and no others.
  News set(const std::vector<FoxgloveChannel>& all);

  const std::map<std::uint32_t, FoxgloveChannel>& all() const { return there_; }
  // Null: it is not there.
  const FoxgloveChannel* find(std::uint32_t id) const;
  std::uint32_t id_of(const std::string& topic) const;  // 0: it is not there
  std::string topic_of(std::uint32_t id) const;         // also of one that is gone
  // As the protocol's `advertise` has them.
  nlohmann::json json_of(const std::vector<std::uint32_t>& ids) const;
  std::vector<std::uint32_t> ids() const;

 private:
  std::map<std::uint32_t, FoxgloveChannel> there_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> numbers_;  // by topic and schema
  std::map<std::string, std::uint32_t> by_topic_;                         // of those that are there
};

}  // namespace convoy::web
