#include "bag/topic_filter.h"

#include <algorithm>

namespace convoy {

Result<TopicFilter> TopicFilter::make(const std::vector<std::string>& topics, const std::vector<std::string>& exclude) {
  TopicFilter filter;
  if (auto ok = add(filter.topics_, topics); !ok) return tl::unexpected(ok.error());
  if (auto ok = add(filter.exclude_, exclude); !ok) return tl::unexpected(ok.error());
  return filter;
}

Status TopicFilter::add(std::vector<Word>& to, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word.empty()) continue;  // ROS arguments have no other way to express "none"
    try {
      to.push_back({word, std::regex(word)});
    } catch (const std::regex_error&) {
      return fail(ErrorCode::kInvalid, "'" + word + "' is neither a topic nor a regular expression");
    }
  }
  return {};
}

bool TopicFilter::wants(const std::string& topic) const {
  const auto fits = [&](const Word& word) { return word.fits(topic); };
  return (topics_.empty() || std::any_of(topics_.begin(), topics_.end(), fits)) &&
         std::none_of(exclude_.begin(), exclude_.end(), fits);
}

std::string TopicFilter::unmet(const std::vector<std::string>& topics) const {
  for (const Word& word : topics_)
    if (std::none_of(topics.begin(), topics.end(), [&](const std::string& topic) { return word.fits(topic); }))
      return word.text;
  return {};
}

}  // namespace convoy
