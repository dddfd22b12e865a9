// Messages as YAML, in the form of `ros2 topic echo`: block style, floats as Python prints doubles.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "convoy_ros_types/fields.h"
#include "convoy_ros_types/text.h"

namespace convoy::ros {
namespace {

bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '/'; }
bool is_word(char c) { return is_word_start(c) || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+'; }

// What YAML 1.1 would read as something else than a string.
bool is_keyword(std::string_view text) {
  for (const std::string_view word : {"yes", "no", "on", "off", "true", "false", "null"}) {
    if (text.size() != word.size()) continue;
    bool same = true;
    for (std::size_t i = 0; i < word.size(); ++i) same = same && (text[i] | 0x20) == word[i];
    if (same) return true;
  }
  return false;
}

bool is_plain(std::string_view text) {
  if (text.empty() || !is_word_start(text[0]) || is_keyword(text)) return false;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const bool inner_space = text[i] == ' ' && i + 1 < text.size() && text[i + 1] != ' ';
    if (!is_word(text[i]) && !inner_space) return false;
  }
  return true;
}

bool is_printable(std::string_view text) {
  while (!text.empty()) {
    const Decoded next = decode(text);
    if (next.length == 0 || next.character < 0x20 || (next.character >= 0x7f && next.character < 0xa0)) return false;
    if (next.character == 0x2028 || next.character == 0x2029 || next.character == 0xfeff) return false;
    text.remove_prefix(next.length);
  }
  return true;
}

std::string double_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Decoded next = decode(text);
    const std::string_view piece = text.substr(0, next.length == 0 ? 1 : next.length);
    if (piece == "\n") {
      out += "\\n";
    } else if (piece == "\t") {
      out += "\\t";
    } else if (piece == "\"" || piece == "\\") {
      out.append("\\").append(piece);
    } else if (is_printable(piece)) {
      out += piece;
    } else {
      for (const char c : piece) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    text.remove_prefix(piece.size());
  }
  return out + "\"";
}

std::string quoted(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  if (!is_printable(text)) return double_quoted(text);
  std::string out = "'";
  for (const char c : text) out.append(c == '\'' ? 2 : 1, c);
  return out + "'";
}

std::string cut(std::string text, const YamlOptions& options) {
  if (options.characters == 0 || text.size() <= options.characters) return quoted(text);
  std::size_t end = options.characters;
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;  // not within a character
  return quoted(text.substr(0, end) + "...");
}

// As Python's repr(), with the ".0" that YAML 1.1 wants before an exponent.
std::string number(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value < 0 ? "-.inf" : ".inf";
  std::string text = fmt::format("{}", value);
  if (text.find('.') != text.npos) return text;
  const std::size_t exponent = text.find('e');
  return exponent == text.npos ? text + ".0" : text.insert(exponent, ".0");
}

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::string scalar(std::uint8_t type, const std::byte* at, const YamlOptions& options) {
  switch (type) {
    case id::ROS_TYPE_BOOLEAN: return load<bool>(at) ? "true" : "false";
    case id::ROS_TYPE_OCTET:
    case id::ROS_TYPE_CHAR:
    case id::ROS_TYPE_UINT8: return fmt::format_int(load<std::uint8_t>(at)).str();
    case id::ROS_TYPE_INT8: return fmt::format_int(load<std::int8_t>(at)).str();
    case id::ROS_TYPE_UINT16: return fmt::format_int(load<std::uint16_t>(at)).str();
    case id::ROS_TYPE_INT16: return fmt::format_int(load<std::int16_t>(at)).str();
    case id::ROS_TYPE_UINT32: return fmt::format_int(load<std::uint32_t>(at)).str();
    case id::ROS_TYPE_INT32: return fmt::format_int(load<std::int32_t>(at)).str();
    case id::ROS_TYPE_UINT64: return fmt::format_int(load<std::uint64_t>(at)).str();
    case id::ROS_TYPE_INT64: return fmt::format_int(load<std::int64_t>(at)).str();
    case id::ROS_TYPE_FLOAT: return number(load<float>(at));
    case id::ROS_TYPE_DOUBLE: return number(load<double>(at));
    case id::ROS_TYPE_STRING: return cut(as_string(at), options);
    case id::ROS_TYPE_WSTRING: return cut(utf8(as_wstring(at)), options);
    default: return "'?'";  // no .msg file makes one
  }
}

class Printer {
 public:
  Printer(const YamlOptions& options, std::string& out) : options_(options), out_(out) {}

  // `first` is written before the first field, `indent` before the others.
  void message(const Members& members, const std::byte* at, std::string_view first, const std::string& indent) {
    if (is_empty(members)) {
      out_.append(first).append("{}\n");
      return;
    }
    for (const Member& member : fields_of(members)) {
      out_.append(&member == members.members_ ? first : indent).append(member.name_).append(":");
      value(member, at + member.offset_, indent);
    }
  }

  void value(const Member& member, const std::byte* at, const std::string& indent) {
    if (member.is_array_) return list(member, at, indent);
    if (member.type_id_ != id::ROS_TYPE_MESSAGE) {
      out_.append(" ").append(scalar(member.type_id_, at, options_)).append("\n");
    } else if (is_empty(nested_members(member))) {
      out_.append(" {}\n");
    } else {
      out_.append("\n");
      message(nested_members(member), at, indent + "  ", indent + "  ");
    }
  }

  void element(const Member& member, const std::byte* at, std::size_t i, const std::string& indent) {
    const Elements<const std::byte> all = elements(member, at);
    if (is_bool_sequence(member)) {
      bool bit = false;
      member.fetch_function(at, i, &bit);
      out_.append(bit ? "true\n" : "false\n");
      return;
    }
    const std::byte* one = all.first + i * stride(member);
    if (member.type_id_ == id::ROS_TYPE_MESSAGE) {
      message(nested_members(member), one, "", indent);
    } else {
      out_.append(scalar(member.type_id_, one, options_)).append("\n");
    }
  }

 private:
  void list(const Member& member, const std::byte* at, const std::string& indent) {
    const std::size_t count = elements(member, at).count;
    if (count == 0) {
      out_.append(" []\n");
      return;
    }
    out_.append("\n");
    for (std::size_t i = 0; i < count; ++i) {
      out_.append(indent).append("- ");
      if (options_.elements != 0 && i == options_.elements) {
        out_.append("'...'\n");
        return;
      }
      element(member, at, i, indent + "  ");
    }
  }

  const YamlOptions& options_;
  std::string& out_;
};

}  // namespace

void write_yaml(const Members& members, const void* message, const YamlOptions& options, std::string& out) {
  Printer(options, out).message(members, static_cast<const std::byte*>(message), "", "");
}

std::string field_yaml(const Member& member, const std::byte* at, std::size_t index, const YamlOptions& options) {
  std::string out;
  Printer printer(options, out);
  if (index != kWhole) {
    printer.element(member, at, index, "");
  } else if (!member.is_array_ && member.type_id_ == id::ROS_TYPE_MESSAGE) {
    printer.message(nested_members(member), at, "", "");
  } else {
    printer.value(member, at, "");
    out.erase(0, 1);  // the space or the line's end that follows a name
  }
  if ((index != kWhole || !member.is_array_) && member.type_id_ != id::ROS_TYPE_MESSAGE) out.pop_back();
  return out;
}

}  // namespace convoy::ros
