// What a scenario tells a sensor of a user's library: names with numbers, texts and truths, whose meaning only the library
// knows.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"

namespace convoy {

struct UsersParameter {
  enum class Kind : std::uint8_t { kNumbers = 0, kText = 1, kFlag = 2 };
  std::string name;
  Kind kind{};
  std::vector<double> numbers;  // of a flag one, 0 or 1
  bool list = false;            // of numbers: written as a list
  std::string text;
  friend bool operator==(const UsersParameter&, const UsersParameter&) = default;
};
template <class V, MaybeConst<UsersParameter> T>
void fields(V& v, T& p) {
  v("name", p.name), v("kind", p.kind), v("numbers", p.numbers), v("list", p.list), v("text", p.text);
}

struct UsersParameters {
  std::vector<UsersParameter> all;  // by name, each once

  const UsersParameter* find(std::string_view name) const {
    const auto at = std::lower_bound(all.begin(), all.end(), name, before);
    return at != all.end() && at->name == name ? &*at : nullptr;
  }
  void set(UsersParameter one) {
    const auto at = std::lower_bound(all.begin(), all.end(), one.name, before);
    if (at != all.end() && at->name == one.name) *at = std::move(one);
    else all.insert(at, std::move(one));
  }
  static bool before(const UsersParameter& a, std::string_view name) { return a.name < name; }
};
template <class V, MaybeConst<UsersParameters> T>
void fields(V& v, T& p) {
  v("all", p.all);
}

}  // namespace convoy
