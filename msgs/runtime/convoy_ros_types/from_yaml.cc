// Messages from YAML, as `ros2 topic pub` takes them.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <utility>

#include "convoy_ros_types/fields.h"
#include "convoy_ros_types/text.h"
#include "core/nearest.h"

namespace convoy::ros {
namespace {

constexpr std::size_t kShown = 40;  // characters of a wrong value that an error shows

std::string shown(const YAML::Node& node) {
  if (node.IsMap()) return "a map";
  if (node.IsSequence()) return "a list";
  if (node.IsNull()) return "nothing";
  std::string out = "'";
  for (const char c : node.Scalar().substr(0, kShown)) out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return out + (node.Scalar().size() > kShown ? "...'" : "'");
}

// Not in quotes: a number, a word or a text.
bool is_plain(const YAML::Node& node) { return node.IsScalar() && node.Tag() != "!"; }

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (text == word) return true;
  return false;
}

// What YAML 1.1 has for a bool, as ROS 2 reads it.
bool read_bool(const YAML::Node& node, bool& out) {
  if (!is_plain(node)) return false;
  const std::string& text = node.Scalar();
  out = is_one_of(text, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"});
  return out || is_one_of(text, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"});
}

template <class T>
bool read_all(std::string_view text, T& out, auto... how) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out, how...);
  return code == std::errc() && end == text.data() + text.size();
}

std::string_view without_plus(std::string_view text) {
  return text.starts_with('+') && !text.starts_with("+-") ? text.substr(1) : text;
}

// Decimal, 0x or 0o; as large as 64 bits are, with or without a sign.
struct Integer {
  bool negative = false;
  std::uint64_t magnitude = 0;
};
bool read_integer(const YAML::Node& node, Integer& out) {
  if (!is_plain(node)) return false;
  std::string_view text = without_plus(node.Scalar());
  out.negative = text.starts_with('-');
  if (out.negative) text.remove_prefix(1);
  const int base = text.starts_with("0x") ? 16 : text.starts_with("0o") ? 8 : 10;
  if (base != 10) text.remove_prefix(2);
  return read_all(text, out.magnitude, base);
}

bool read_number(const YAML::Node& node, double& out) {
  if (!is_plain(node)) return false;
  std::string_view text = without_plus(node.Scalar());
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (is_one_of(text, {".nan", ".NaN", ".NAN", "nan", "NaN"})) {
    out = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  const bool negative = text.starts_with('-');
  if (is_one_of(negative ? text.substr(1) : text, {".inf", ".Inf", ".INF", "inf", "Infinity"})) {
    out = negative ? -kInfinity : kInfinity;
    return true;
  }
  // from_chars knows words of its own ("nan(1)", "infinity").
  return text.find_first_not_of("+-.0123456789eE") == text.npos && read_all(text, out);
}

class Reader {
 public:
  Status message(const Members& members, std::byte* at, const YAML::Node& node) {
    if (auto ok = count(); !ok) return ok;
    if (node.IsNull()) return {};
    if (!node.IsMap()) return wrong("is a message of " + name_of(members) + ", found " + shown(node));
    for (const auto& entry : node) {
      const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : shown(entry.first);
      const Member* member = nullptr;
      for (const Member& one : named_fields(members))
        if (one.name_ == name) member = &one;
      if (member == nullptr) return unknown(members, name);
      const std::size_t before = path_.size();
      path_ += (path_.empty() ? "" : ".") + name;
      if (auto ok = field(*member, at + member->offset_, entry.second); !ok) return ok;
      path_.resize(before);
    }
    return {};
  }

 private:
  static std::span<const Member> named_fields(const Members& members) {
    return is_empty(members) ? std::span<const Member>() : fields_of(members);
  }

  tl::unexpected<Error> wrong(const std::string& what) const { return fail(ErrorCode::kInvalid, what, path_); }
  tl::unexpected<Error> unknown(const Members& members, const std::string& name) const {
    std::vector<std::string> names;
    for (const Member& one : named_fields(members)) names.push_back(one.name_);
    const std::string near = nearest_name(name, names);
    std::string text = "unknown field '" + name.substr(0, kShown) + "' of " + name_of(members);
    if (!near.empty()) return wrong(text + "; did you mean '" + near + "'?");
    text += names.empty() ? "; it has none" : "; it has: ";
    for (const std::string& one : names) text += (&one == names.data() ? "" : ", ") + one;
    return wrong(text);
  }
  Status count() { return ++values_ <= kMaxYamlValues ? Status() : wrong("has more values than a message may"); }

  Status field(const Member& member, std::byte* at, const YAML::Node& node) {
    if (!member.is_array_) return value(member, at, node);
    if (!node.IsSequence()) return wrong("is a list, found " + shown(node));
    if (auto ok = resize(member, at, node.size()); !ok) return ok;
    const Elements<std::byte> all = elements(member, at);
    std::size_t i = 0;
    for (const YAML::Node& one : node) {
      const std::size_t before = path_.size();
      path_ += "[" + std::to_string(i) + "]";
      if (is_bool_sequence(member)) {
        bool bit = false;
        if (auto ok = count(); !ok) return ok;
        if (auto ok = boolean(one, bit); !ok) return ok;
        member.assign_function(at, i, &bit);
      } else if (auto ok = value(member, all.first + i * stride(member), one); !ok) {
        return ok;
      }
      path_.resize(before);
      ++i;
    }
    return {};
  }

  Status resize(const Member& member, std::byte* at, std::size_t size) {
    const auto has = [&](const char* how_many) {
      return wrong("has " + (how_many + std::to_string(member.array_size_)) + " elements, found " +
                   std::to_string(size));
    };
    if (is_fixed_array(member)) return size == member.array_size_ ? Status() : has("");
    if (member.is_upper_bound_ && size > member.array_size_) return has("at most ");
    if (size > kMaxYamlValues) return wrong("has more values than a message may");
    member.resize_function(at, size);
    return {};
  }

  Status value(const Member& member, std::byte* at, const YAML::Node& node) {
    if (member.type_id_ == id::ROS_TYPE_MESSAGE) return message(nested_members(member), at, node);
    if (auto ok = count(); !ok) return ok;
    switch (member.type_id_) {
      case id::ROS_TYPE_BOOLEAN: {
        bool bit = false;
        if (auto ok = boolean(node, bit); !ok) return ok;
        store(at, bit);
        return {};
      }
      case id::ROS_TYPE_OCTET:
      case id::ROS_TYPE_CHAR:
      case id::ROS_TYPE_UINT8: return integer<std::uint8_t>(at, node);
      case id::ROS_TYPE_UINT16: return integer<std::uint16_t>(at, node);
      case id::ROS_TYPE_UINT32: return integer<std::uint32_t>(at, node);
      case id::ROS_TYPE_UINT64: return integer<std::uint64_t>(at, node);
      case id::ROS_TYPE_INT8: return integer<std::int8_t>(at, node);
      case id::ROS_TYPE_INT16: return integer<std::int16_t>(at, node);
      case id::ROS_TYPE_INT32: return integer<std::int32_t>(at, node);
      case id::ROS_TYPE_INT64: return integer<std::int64_t>(at, node);
      case id::ROS_TYPE_FLOAT: return floating<float>(at, node);
      case id::ROS_TYPE_DOUBLE: return floating<double>(at, node);
      case id::ROS_TYPE_STRING: return text(member, node, as_string(at), [](const std::string& s) { return s; });
      case id::ROS_TYPE_WSTRING: return text(member, node, as_wstring(at), utf16);
      default: return wrong("has a type that no .msg file makes");
    }
  }

  template <class T>
  static void store(std::byte* at, const T& value) {
    std::memcpy(at, &value, sizeof value);
  }

  Status boolean(const YAML::Node& node, bool& out) const {
    return read_bool(node, out) ? Status() : wrong("is a bool, found " + shown(node));
  }

  template <class T>
  Status integer(std::byte* at, const YAML::Node& node) const {
    using Limits = std::numeric_limits<T>;
    const auto most = static_cast<std::uint64_t>(Limits::max());
    const std::uint64_t least = Limits::is_signed ? most + 1 : 0;  // its magnitude
    Integer found;
    double longer = 0;
    if (!read_integer(node, found)) {
      const bool whole =
          read_number(node, longer) && node.Scalar().find_first_not_of("+-0123456789") == std::string::npos;
      if (!whole) return wrong("is an integer, found " + shown(node));
      found = {false, std::numeric_limits<std::uint64_t>::max()};
      if constexpr (std::is_same_v<T, std::uint64_t>) found.negative = true;
    }
    if (found.magnitude > (found.negative ? least : most))
      return wrong("lies between " + std::to_string(Limits::min()) + " and " + std::to_string(Limits::max()) +
                   ", found " + shown(node));
    store(at, static_cast<T>(found.negative ? 0 - found.magnitude : found.magnitude));
    return {};
  }

  template <class T>
  Status floating(std::byte* at, const YAML::Node& node) const {
    double found = 0;
    Integer whole;
    if (!read_number(node, found)) {
      if (!read_integer(node, whole)) return wrong("is a number, found " + shown(node));
      found = static_cast<double>(whole.magnitude) * (whole.negative ? -1 : 1);  // as 0x10
    }
    const bool finite = std::isfinite(found);
    if (finite && (found > std::numeric_limits<T>::max() || found < std::numeric_limits<T>::lowest()))
      return wrong("is a number of " + std::to_string(8 * sizeof(T)) + " bits, found " + shown(node));
    store(at, static_cast<T>(found));
    return {};
  }

  template <class Text, class Convert>
  Status text(const Member& member, const YAML::Node& node, Text& out, const Convert& convert) const {
    if (!node.IsScalar()) return wrong("is a string, found " + shown(node));
    Text made = convert(node.Scalar());
    const std::size_t bound = member.string_upper_bound_;
    if (bound != 0 && made.size() > bound)
      return wrong("is a string of at most " + std::to_string(bound) + " characters, found " +
                   std::to_string(made.size()));
    out = std::move(made);
    return {};
  }

  std::string path_;        // of the field that is being read
  std::size_t values_ = 0;  // aliases of YAML can make a great many of a short text
};

struct Ignore final : YAML::EventHandler {
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

// Not YAML::LoadAll(): what follows a document in one line it takes for another one, without end.
bool is_one_document(const std::string& yaml) {
  std::istringstream in(yaml);
  YAML::Parser parser(in);
  Ignore ignore;
  return !parser.HandleNextDocument(ignore) || !parser.HandleNextDocument(ignore);
}

}  // namespace

Status TypeSupport::from_yaml(const std::string& yaml, void* message) const {
  try {
    if (!is_one_document(yaml)) return fail(ErrorCode::kInvalid, "more than one YAML document ('---')");
    return Reader().message(*members_, static_cast<std::byte*>(message), YAML::Load(yaml));
  } catch (const YAML::Exception& e) {
    return fail(ErrorCode::kInvalid, "not YAML: " + e.msg + ", in line " + std::to_string(e.mark.line + 1));
  } catch (const std::exception& e) { return fail(ErrorCode::kInvalid, std::string("not YAML: ") + e.what()); }
}

}  // namespace convoy::ros
