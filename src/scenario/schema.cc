#include "scenario/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/check.h"
#include "core/nearest.h"

namespace convoy::scenario {

namespace {

using Kind = Node::Kind;

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_path(std::string_view text) {
  while (true) {
    const std::size_t slash = text.find('/');
    if (!is_name(text.substr(0, slash))) return false;
    if (slash == text.npos) return true;
    text.remove_prefix(slash + 1);
  }
}

struct Unit {
  std::string_view text;
  double nanoseconds;
};
constexpr Unit kUnits[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}};

template <class List>
std::string joined(const List& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string describe(const NumberRange& range) {
  const std::string unit = *range.unit ? fmt::format(" {}", range.unit) : "";
  if (range.above_min) return fmt::format("a number above {}, at most {}{}", range.min, range.max, unit);
  return fmt::format("a number from {} to {}{}", range.min, range.max, unit);
}

// Field names come from the file, too; a message stays one line that a terminal can show.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text;
}

std::string describe(TextRule rule) {
  switch (rule) {
    case TextRule::kAny: return "a text that is not empty";
    case TextRule::kName: return "a name of letters, digits and '_' that begins with a letter";
    case TextRule::kPath: return "names of letters, digits and '_' that begin with a letter, joined by '/'";
  }
  return {};
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameLength && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

std::optional<Duration> parse_duration(std::string_view text) {
  const std::size_t last_digit = text.find_last_of("0123456789.");
  if (last_digit == text.npos) return {};
  const std::string_view suffix = text.substr(last_digit + 1);
  text = text.substr(0, last_digit + 1);
  double scale = 1e9;
  if (!suffix.empty()) {
    const auto unit = std::find_if(std::begin(kUnits), std::end(kUnits), [&](Unit u) { return u.text == suffix; });
    if (unit == std::end(kUnits)) return {};
    scale = unit->nanoseconds;
  }
  std::int64_t whole = 0;  // exact where a double is not
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), whole);
  const auto factor = static_cast<std::int64_t>(scale);
  if (status == std::errc{} && end == text.data() + text.size()) {
    if (std::abs(static_cast<double>(whole)) > 9e18 / scale) return {};
    return Duration(whole * factor);
  }
  const std::optional<double> value = parse_number(text);
  if (!value || std::abs(*value) > 9e18 / scale) return {};
  return Duration(std::llround(*value * scale));
}

std::string to_text(Duration d) {
  const std::int64_t ns = nanos(d);
  if (ns == 0) return "0s";
  for (const Unit& unit : {kUnits[5], kUnits[4], kUnits[3], kUnits[2], kUnits[1]})
    if (ns % static_cast<std::int64_t>(unit.nanoseconds) == 0)
      return fmt::format("{}{}", ns / static_cast<std::int64_t>(unit.nanoseconds), unit.text);
  return fmt::format("{}ns", ns);
}

std::string Document::where(const Node* node, const std::string& path) const {
  std::string place = !node ? file_ : !node->origin.empty() ? node->origin : fmt::format("{}:{}", file_, node->line);
  return path.empty() ? place : place + ": " + path;
}

void Document::problem(Trouble trouble, const Node* node, const std::string& path, std::string text,
                       std::string_view field) {
  ++found_;
  if (full()) {
    ++more_;
    return;
  }
  Error error{ErrorCode::kInvalid, one_line(std::move(text)), one_line(where(node, path))};
  problems_.push_back({trouble, node, std::string(field), std::move(error)});
}

void Document::forgive_missing(const Node* node, std::string_view field) {
  const auto missing = std::find_if(problems_.begin(), problems_.end(), [&](const Problem& p) {
    return p.trouble == Trouble::kMissing && p.node == node && p.field == field;
  });
  if (missing != problems_.end()) problems_.erase(missing);
}

Status Document::status() const {
  const auto worst = std::min_element(problems_.begin(), problems_.end(),
                                      [](const Problem& a, const Problem& b) { return a.trouble < b.trouble; });
  if (worst != problems_.end()) return tl::unexpected(worst->error);
  return {};
}

std::vector<Error> Document::errors() const {
  std::vector<Error> out;
  for (const Problem& p : problems_) out.push_back(p.error);
  return out;
}

std::string Document::hint(std::string_view wrong, const std::vector<std::string>& known) const {
  if (full()) return {};
  const std::string near = nearest_name(wrong, known);
  return near.empty() ? "" : fmt::format("did you mean '{}'? ", near);
}

namespace {

// `words`: of the allowed values those that may be misspelt.
void refuse_value(Document& document, const Node& node, const std::string& path, std::string_view allowed,
                  const std::vector<std::string>& words = {}) {
  const std::string hint = node.kind == Kind::kScalar ? document.hint(node.text, words) : "";
  document.problem(Document::Trouble::kValue, &node, path,
                   fmt::format("found {}; {}allowed: {}", found(node), hint, allowed));
}

bool read_text(Document& document, const Node& node, const std::string& path, TextRule rule, std::string& value) {
  const bool right = node.kind == Kind::kScalar && !node.text.empty() &&
                     (rule == TextRule::kAny || (rule == TextRule::kName ? is_name(node.text) : is_path(node.text)));
  if (!right) return refuse_value(document, node, path, describe(rule)), false;
  value = node.text;
  return true;
}

bool read_number(Document& document, const Node& node, const std::string& path, const NumberRange& range, double& value,
                 const char* keyword = nullptr) {
  if (keyword && node.kind == Kind::kScalar && node.text == keyword) return true;
  const auto number = node.kind == Kind::kScalar && !node.quoted ? parse_number(node.text) : std::nullopt;
  if (number && *number <= range.max && (range.above_min ? *number > range.min : *number >= range.min)) {
    value = *number + 0.0;  // -0 as 0
    return false;
  }
  std::vector<std::string> words;
  if (keyword) words.emplace_back(keyword);
  refuse_value(document, node, path, (keyword ? fmt::format("{}, or ", keyword) : "") + describe(range), words);
  return false;
}

void read_duration(Document& document, const Node& node, const std::string& path, const DurationRange& range,
                   Duration& value, const char* keyword) {
  const auto duration = node.kind == Kind::kScalar ? parse_duration(node.text) : std::nullopt;
  if (duration && *duration >= range.min && *duration <= range.max) {
    value = *duration;
    return;
  }
  std::vector<std::string> words;
  if (keyword) words.emplace_back(keyword);
  refuse_value(document, node, path,
               fmt::format("{}a duration from {} to {}, as 10ms, 1.5s, or a number of seconds",
                           keyword ? fmt::format("{}, or ", keyword) : "", to_text(range.min), to_text(range.max)),
               words);
}

}  // namespace

std::string Section::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

const Node* Section::take(const char* name, Need need) {
  if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.emplace_back(name);
  if (document_.listing_) document_.fields_.insert(path_of(name));
  if (!node_) return nullptr;
  const Node* node = node_->find(name);
  if (!node && need == Need::kRequired)
    document_.problem(Document::Trouble::kMissing, node_, path_, fmt::format("the field '{}' is missing", name), name);
  return node;
}

const Node* Section::take_list(const char* name, std::size_t at_most, Need need) {
  const Node* node = take(name, need);
  if (!node) return nullptr;
  if (node->kind != Kind::kList) return refuse_value(document_, *node, path_of(name), "a list"), nullptr;
  if (node->items.size() > at_most) {
    document_.problem(Document::Trouble::kValue, node, path_of(name),
                      fmt::format("{} elements; at most {} are allowed", node->items.size(), at_most));
    return nullptr;
  }
  return node;
}

void Section::text(const char* name, std::string& value, TextRule rule, Need need) {
  if (const Node* node = take(name, need)) read_text(document_, *node, path_of(name), rule, value);
}

void Section::texts(const char* name, std::vector<std::string>& values, TextRule rule) {
  const Node* node = take_list(name, kMaxListed);
  if (!node) return;
  values.clear();
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    std::string value;
    if (read_text(document_, node->items[i], fmt::format("{}[{}]", path_of(name), i), rule, value))
      values.push_back(value);
  }
}

void Section::flag(const char* name, bool& value) {
  constexpr Choice<bool> kFlags[] = {{"true", true}, {"false", false}};
  choice<bool>(name, value, kFlags);
}

void Section::number(const char* name, double& value, NumberRange range, Need need) {
  if (const Node* node = take(name, need)) read_number(document_, *node, path_of(name), range, value);
}

bool Section::number_or(const char* name, double& value, NumberRange range, const char* keyword) {
  const Node* node = take(name);
  return node && read_number(document_, *node, path_of(name), range, value, keyword);
}

void Section::whole(const char* name, std::uint64_t& value, std::uint64_t min, std::uint64_t max, Need need) {
  const Node* node = take(name, need);
  if (!node) return;
  std::uint64_t number = 0;
  const char* const begin = node->text.data();
  const char* const end = begin + node->text.size();
  const bool plain = node->kind == Kind::kScalar && !node->quoted && begin != end;
  const auto [stop, status] = std::from_chars(begin, end, number);
  if (plain && status == std::errc{} && stop == end && number >= min && number <= max) {
    value = number;
    return;
  }
  refuse_value(document_, *node, path_of(name), fmt::format("a whole number from {} to {}", min, max));
}

void Section::duration(const char* name, Duration& value, DurationRange range, Need need) {
  if (const Node* node = take(name, need)) read_duration(document_, *node, path_of(name), range, value, nullptr);
}

bool Section::duration_or(const char* name, Duration& value, DurationRange range, const char* keyword) {
  const Node* node = take(name);
  if (!node) return false;
  if (node->kind == Kind::kScalar && node->text == keyword) return true;
  read_duration(document_, *node, path_of(name), range, value, keyword);
  return false;
}

std::optional<std::size_t> Section::choose(const char* name, std::span<const std::string_view> allowed, Need need) {
  const Node* node = take(name, need);
  if (!node) return {};
  if (node->kind == Kind::kScalar)
    for (std::size_t i = 0; i < allowed.size(); ++i)
      if (node->text == allowed[i]) return i;
  refuse_value(document_, *node, path_of(name), joined(allowed), {allowed.begin(), allowed.end()});
  return {};
}

void Section::numbers(const char* name, std::span<double> values, NumberRange range, Need need, std::size_t optional) {
  const Node* node = take(name, need);
  if (!node) return;
  const std::size_t least = values.size() - optional;
  if (node->kind != Kind::kList || node->items.size() < least || node->items.size() > values.size())
    return refuse_value(document_, *node, path_of(name),
                        optional > 0 ? fmt::format("a list of {} to {} numbers", least, values.size())
                                     : fmt::format("a list of {} numbers", least));
  for (std::size_t i = 0; i < node->items.size(); ++i)
    read_number(document_, node->items[i], fmt::format("{}[{}]", path_of(name), i), range, values[i]);
}

void Section::rows(const char* name, std::vector<std::vector<double>>& rows, std::size_t least, std::size_t most,
                   NumberRange range) {
  const Node* node = take_list(name, kMaxListed);
  if (!node) return;
  rows.clear();
  const std::string size = least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    const Node& row = node->items[i];
    const std::string path = fmt::format("{}[{}]", path_of(name), i);
    if (row.kind != Kind::kList || row.items.size() < least || row.items.size() > most) {
      refuse_value(document_, row, path, fmt::format("a list of {} numbers", size));
      continue;
    }
    std::vector<double>& values = rows.emplace_back(most, 0.0);
    for (std::size_t k = 0; k < row.items.size(); ++k)
      read_number(document_, row.items[k], fmt::format("{}[{}]", path, k), range, values[k]);
  }
}

void Section::section(const char* name, Short shorthand, const Body& body, Need need) {
  const Node* node = take(name, need);
  if (!node) {
    if (document_.listing_) enter(nullptr, path_of(name), body);
    return;
  }
  const char* only = node->kind == Kind::kScalar ? shorthand.scalar_is
                     : node->kind == Kind::kList ? shorthand.list_is
                                                 : nullptr;
  if (only) {
    Node map{.kind = Kind::kMap, .line = node->line, .origin = node->origin, .keys = {only}, .items = {*node}};
    return enter(&map, path_of(name), body);
  }
  if (node->kind == Kind::kNull) {  // "random:" with nothing behind it: all defaults
    Node map{.kind = Kind::kMap, .line = node->line, .origin = node->origin};
    return enter(&map, path_of(name), body);
  }
  if (node->kind != Kind::kMap) return refuse_value(document_, *node, path_of(name), "a map of fields");
  enter(node, path_of(name), body);
}

void Section::list(const char* name, const Body& element, std::size_t at_most, const char* scalar_is) {
  const Node* node = take_list(name, at_most);
  if (document_.listing_) enter(nullptr, path_of(name) + "[]", element);
  if (!node) return;
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    const std::string path = fmt::format("{}[{}]", path_of(name), i);
    const Node& item = node->items[i];
    if (item.kind == Kind::kScalar && scalar_is) {
      Node map{.kind = Kind::kMap, .line = item.line, .origin = item.origin, .keys = {scalar_is}, .items = {item}};
      enter(&map, path, element);
    } else if (item.kind != Kind::kMap) {
      refuse_value(document_, item, path, "a map of fields");
    } else {
      enter(&item, path, element);
    }
  }
}

bool Section::has(const char* name) const { return node_ && node_->find(name); }

void Section::at_most_one_of(std::initializer_list<const char*> names) {
  const char* first = nullptr;
  for (const char* name : names) {
    if (!has(name)) continue;
    if (first) return refuse(name, fmt::format("cannot stand beside '{}'; allowed: one of {}", first, joined(names)));
    first = name;
  }
}

void Section::refuse(const char* name, std::string text) {
  const Node* node = has(name) ? node_->find(name) : node_;
  document_.problem(Document::Trouble::kValue, node, has(name) ? path_of(name) : path_, std::move(text));
}

void Section::missing(const char* name, std::string_view advice) {
  if (!node_ || node_->find(name)) return;
  document_.problem(Document::Trouble::kMissing, node_, path_,
                    fmt::format("the field '{}' is missing; {}", name, advice), name);
}

void Section::unknown(const char* name, const char* what, const std::string& word,
                      const std::vector<std::string>& known) {
  refuse(name, fmt::format("unknown {} '{}'; {}allowed: {}", what, word, document_.hint(word, known), joined(known)));
}

void Section::warn(const char* name, const std::string& text) {
  document_.warnings.push_back(where(name) + ": " + text);
}

std::string Section::where(const char* name) const {
  return has(name) ? document_.where(node_->find(name), path_of(name)) : document_.where(node_, path_);
}

void Section::enter(const Node* node, const std::string& path, const Body& body) {
  Section inner(document_, node, path);
  inner.begun_ = document_.found_;
  body(inner);
  inner.finish();
}

void Section::finish() {
  if (!node_) return;
  for (std::size_t i = 0; i < node_->keys.size(); ++i) {
    const std::string& key = node_->keys[i];
    if (node_->find(key) != &node_->items[i]) {
      document_.problem(Document::Trouble::kValue, &node_->items[i], path_,
                        fmt::format("the field '{}' stands here twice", key));
      continue;
    }
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    if (tolerant_) {
      document_.warnings.push_back(document_.where(&node_->items[i], path_of(key)) + ": unknown field, ignored");
      continue;
    }
    document_.problem(Document::Trouble::kUnknownField, &node_->items[i], path_of(key),
                      fmt::format("unknown field; {}allowed: {}", document_.hint(key, known_), joined(known_)));
    if (!document_.full()) document_.forgive_missing(node_, nearest_name(key, known_));  // it is there, misspelt
  }
}

void Section::read(Document& document, const Node& root, const Body& body) {
  if (root.kind != Kind::kMap)
    return document.problem(Document::Trouble::kValue, &root, "",
                            fmt::format("found {}; allowed: a map of fields", found(root)));
  Section(document, nullptr, "").enter(&root, "", body);
}

std::vector<std::string> known_fields(const Section::Body& body) {
  Document document("");
  document.listing_ = true;
  Section(document, nullptr, "").enter(nullptr, "", body);
  return {document.fields_.begin(), document.fields_.end()};
}

}  // namespace convoy::scenario
