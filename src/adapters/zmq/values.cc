#include "adapters/zmq/values.h"

#include <array>

#include "core/base64.h"

namespace convoy::zmq {

namespace {

// How many bytes an item's head has behind its first byte, how many of its own follow, and how many items are in it.
struct Head {
  std::size_t head = 0, bytes = 0, items = 0;
};

// nothing: there is no such item, or its head is cut short.
std::optional<Head> head_at(ByteView in) {
  const std::uint8_t b = in[0];
  const auto length = [&](std::size_t width) -> std::optional<std::size_t> {
    if (in.size() < 1 + width) return {};
    std::size_t n = 0;
    for (std::size_t i = 0; i < width; ++i) n = n << 8 | in[1 + i];
    return n;
  };
  if (b <= 0x7f || b >= 0xe0 || b == 0xc0 || b == 0xc2 || b == 0xc3) return Head{};
  if (b <= 0x8f) return Head{0, 0, std::size_t{2} * (b & 15)};
  if (b <= 0x9f) return Head{0, 0, std::size_t{b} & 15};
  if (b <= 0xbf) return Head{0, std::size_t{b} & 31, 0};
  constexpr std::array<std::uint8_t, 32> kWidth{0, 0, 0, 0, 1, 2, 4, 1, 2, 4, 0, 0, 0, 0, 0, 0,
                                                0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 2, 4, 2, 4};
  constexpr std::array<std::uint8_t, 32> kFixed{0, 0, 0, 0, 0, 0, 0, 1, 1,  1, 4, 8, 1, 2, 4, 8,
                                                1, 2, 4, 8, 2, 3, 5, 9, 17, 0, 0, 0, 0, 0, 0, 0};
  if (b == 0xc1) return {};
  const std::size_t i = b - 0xc0u;
  const auto n = length(kWidth[i]);
  if (!n) return {};
  if (b >= 0xdc) return Head{kWidth[i], 0, b >= 0xde ? 2 * *n : *n};
  return Head{kWidth[i], (kWidth[i] > 0 ? *n : 0) + kFixed[i], 0};
}

// One whole item and nothing behind it, not too deep. A reader that calls itself for what is within would run out of
// stack before it runs out of a stranger's bytes.
bool sound_msgpack(ByteView in) {
  std::vector<std::size_t> left{1};
  while (!left.empty()) {
    if (left.back() == 0) {
      left.pop_back();
      continue;
    }
    --left.back();
    if (in.empty()) return false;
    const auto head = head_at(in);
    if (!head || in.size() - 1 < head->head || in.size() - 1 - head->head < head->bytes) return false;
    in = in.subspan(1 + head->head + head->bytes);
    if (head->items == 0) continue;
    if (head->items > in.size() || left.size() > kMaxDepth) return false;
    left.push_back(head->items);
  }
  return in.empty();
}

bool shallow_json(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') ++i;
    else if (c == '"') quoted = !quoted;
    else if (!quoted && (c == '{' || c == '[') && ++depth > kMaxDepth) return false;
    else if (!quoted && (c == '}' || c == ']')) --depth;
  }
  return true;
}

void spell_out(Json& value) {
  if (value.is_binary()) value = base64_of(value.get_binary());
  else if (value.is_structured())
    for (auto& one : value) spell_out(one);
}

}  // namespace

Encoding encoding_of(ByteView bytes) {
  std::string_view text = as_text(bytes);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.starts_with('{') ? Encoding::kJson : Encoding::kMsgpack;
}

std::optional<Json> decode(ByteView bytes, Encoding encoding) {
  Json out = Json::value_t::discarded;
  if (encoding == Encoding::kJson) {
    if (shallow_json(as_text(bytes))) out = Json::parse(as_text(bytes), nullptr, false);
  } else if (sound_msgpack(bytes)) {
    out = Json::from_msgpack(bytes.begin(), bytes.end(), true, false);
  }
  return out.is_discarded() ? std::nullopt : std::optional(std::move(out));
}

Bytes encode(Json value, Encoding encoding) {
  if (encoding == Encoding::kMsgpack) return Json::to_msgpack(value);
  spell_out(value);
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return {text.begin(), text.end()};
}

std::optional<Bytes> read_binary(const Json& field) {
  if (field.is_binary()) return Bytes(field.get_binary().begin(), field.get_binary().end());
  if (field.is_string()) return bytes_of_base64(field.get_ref<const std::string&>());
  return {};
}

}  // namespace convoy::zmq
