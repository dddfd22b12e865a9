// What a scenario gives code of a user's library, and what that has asked for.
#pragma once

#include <set>
#include <string>

#include "convoy/parameters.h"
#include "sensing/users_parameters.h"

namespace convoy {

class GivenParameters final : public Parameters {
 public:
  explicit GivenParameters(const UsersParameters& given) : given_(given) {}  // outlives it

  double number(std::string_view name, double otherwise, double least, double most) override;
  bool flag(std::string_view name, bool otherwise) override;
  std::string_view text(std::string_view name, std::string_view otherwise) override;
  std::span<const double> numbers(std::string_view name, std::span<const double> otherwise) override;
  void refuse(std::string_view name, std::string_view why) override;

  // Empty, or the first thing that is wrong.
  std::string wrong() const;

 private:
  const UsersParameter* asked(std::string_view name);
  const UsersParameters& given_;
  std::set<std::string> asked_;
  std::string wrong_;
};

}  // namespace convoy
