// Which topics: by names and regular expressions, and without others.
#pragma once

#include <regex>
#include <string>
#include <vector>

#include "convoy/result.h"

namespace convoy {

class TopicFilter {
 public:
  // A word is a full name ("/scan"), or a regular expression (ECMAScript) for all of it ("/camera/.*"). None in `topics`:
  // all. What `exclude` names is out in any case.
  static Result<TopicFilter> make(const std::vector<std::string>& topics, const std::vector<std::string>& exclude);

  bool wants(const std::string& topic) const;
  // The first word of `topics` that fits none of these; empty: there is none.
  std::string unmet(const std::vector<std::string>& topics) const;

 private:
  struct Word {
    std::string text;
    std::regex pattern;
    bool fits(const std::string& topic) const { return text == topic || std::regex_match(topic, pattern); }
  };
  static Status add(std::vector<Word>& to, const std::vector<std::string>& words);

  std::vector<Word> topics_, exclude_;
};

}  // namespace convoy
