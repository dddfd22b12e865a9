#include "adapters/web/foxglove_channels.h"

#include <set>

#include "core/base64.h"

namespace convoy::web {

FoxgloveChannels::News FoxgloveChannels::set(const std::vector<FoxgloveChannel>& all) {
  News news;
  std::map<std::uint32_t, FoxgloveChannel> now;
  by_topic_.clear();
  for (const FoxgloveChannel& one : all) {
    const auto next = static_cast<std::uint32_t>(numbers_.size() + 1);
    const std::uint32_t id = numbers_.emplace(std::pair(one.topic, one.schema->name), next).first->second;
    if (!there_.contains(id)) news.come.push_back(id);
    now[id] = one, by_topic_[one.topic] = id;
  }
  for (const auto& [id, one] : there_)
    if (!now.contains(id)) news.gone.push_back(id);
  there_ = std::move(now);
  return news;
}

const FoxgloveChannel* FoxgloveChannels::find(std::uint32_t id) const {
  const auto at = there_.find(id);
  return at == there_.end() ? nullptr : &at->second;
}

std::uint32_t FoxgloveChannels::id_of(const std::string& topic) const {
  const auto at = by_topic_.find(topic);
  return at == by_topic_.end() ? 0 : at->second;
}

std::string FoxgloveChannels::topic_of(std::uint32_t id) const {
  for (const auto& [name, number] : numbers_)
    if (number == id) return name.first;
  return {};
}

std::vector<std::uint32_t> FoxgloveChannels::ids() const {
  std::vector<std::uint32_t> out;
  for (const auto& [id, one] : there_) out.push_back(id);
  return out;
}

nlohmann::json FoxgloveChannels::json_of(const std::vector<std::uint32_t>& ids) const {
  nlohmann::json out = nlohmann::json::array();
  for (const std::uint32_t id : ids) {
    const FoxgloveChannel& one = there_.at(id);
    const bool binary = one.schema->encoding == "protobuf";
    out.push_back({{"id", id},
                   {"topic", one.topic},
                   {"encoding", one.schema->message_encoding},
                   {"schemaName", one.schema->name},
                   {"schema", binary ? base64_of(one.schema->data) : std::string(as_text(one.schema->data))},
                   {"schemaEncoding", one.schema->encoding}});
  }
  return out;
}

}  // namespace convoy::web
