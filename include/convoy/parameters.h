// What a scenario tells code in a user's library under `parameters`: names with numbers, texts and truths.
#pragma once

#include <limits>
#include <span>
#include <string_view>

namespace convoy {

// What is not asked for while the thing is made is an error there, and so is what is out of bounds, or no number where one
// is asked for; what comes back then does not count. Views and spans last as long as the call that handed this in.
class Parameters {
 public:
  virtual double number(std::string_view name, double otherwise,
                        double least = -std::numeric_limits<double>::infinity(),
                        double most = std::numeric_limits<double>::infinity()) = 0;
  virtual bool flag(std::string_view name, bool otherwise) = 0;
  virtual std::string_view text(std::string_view name, std::string_view otherwise) = 0;
  // A list; a single number is a list of one.
  virtual std::span<const double> numbers(std::string_view name, std::span<const double> otherwise) = 0;
  // Something is wrong with it, or, without a name, with something else: an error in the scenario, in your words.
  virtual void refuse(std::string_view name, std::string_view why) = 0;

 protected:
  ~Parameters() = default;
};

}  // namespace convoy
