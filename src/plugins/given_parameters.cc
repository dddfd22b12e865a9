#include "plugins/given_parameters.h"

#include "core/nearest.h"

namespace convoy {
namespace {

std::string text_of(double value) {
  std::string out = std::to_string(value);
  out.erase(out.find_last_not_of('0') + 1);
  if (!out.empty() && out.back() == '.') out.pop_back();
  return out;
}

}  // namespace

double GivenParameters::number(std::string_view name, double otherwise, double least, double most) {
  const UsersParameter* one = asked(name);
  if (!one) return otherwise;
  if (one->kind != UsersParameter::Kind::kNumbers || one->list || one->numbers.size() != 1)
    return refuse(name, "is a number"), otherwise;
  if (const double value = one->numbers.front(); value >= least && value <= most) return value;
  refuse(name, "is from " + text_of(least) + " to " + text_of(most));
  return otherwise;
}

bool GivenParameters::flag(std::string_view name, bool otherwise) {
  const UsersParameter* one = asked(name);
  if (!one) return otherwise;
  if (one->kind == UsersParameter::Kind::kFlag && one->numbers.size() == 1) return one->numbers.front() != 0;
  refuse(name, "is true or false");
  return otherwise;
}

std::string_view GivenParameters::text(std::string_view name, std::string_view otherwise) {
  const UsersParameter* one = asked(name);
  if (!one) return otherwise;
  if (one->kind == UsersParameter::Kind::kText) return one->text;
  refuse(name, "is a text");
  return otherwise;
}

std::span<const double> GivenParameters::numbers(std::string_view name, std::span<const double> otherwise) {
  const UsersParameter* one = asked(name);
  if (!one) return otherwise;
  if (one->kind == UsersParameter::Kind::kNumbers) return one->numbers;
  refuse(name, "is a list of numbers");
  return otherwise;
}

void GivenParameters::refuse(std::string_view name, std::string_view why) {
  if (!wrong_.empty()) return;
  if (!name.empty()) wrong_.append("parameters.").append(name).append(": ");
  wrong_.append(why);
}

std::string GivenParameters::wrong() const {
  if (!wrong_.empty()) return wrong_;
  for (const UsersParameter& one : given_.all) {
    if (asked_.count(one.name)) continue;
    const std::string near = nearest_name(one.name, {asked_.begin(), asked_.end()});
    return "parameters." + one.name + ": its type has no such parameter" +
           (near.empty() ? "" : "; did you mean '" + near + "'?");
  }
  return {};
}

const UsersParameter* GivenParameters::asked(std::string_view name) {
  asked_.emplace(name);
  return given_.find(name);
}

}  // namespace convoy
