// A YAML document as a tree of plain values, each of which knows where it was written.
//
// yaml-cpp and its exceptions stay behind this header. Aliases are copied, duplicate keys refused, sizes bounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "convoy/result.h"

namespace convoy::scenario {

inline constexpr std::size_t kMaxDocumentBytes = 16 << 20;
inline constexpr std::size_t kMaxNodes = 1'000'000;  // with every alias copied
inline constexpr std::size_t kMaxDepth = 64;
inline constexpr std::size_t kMaxFields = 1000;  // of one map

struct Node {
  enum class Kind : std::uint8_t { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  bool quoted = false;            // a scalar in quotes is text, even if it resembles a number
  int line = 0;                   // of the key, or of the value if it has none; from 1
  std::string text;               // of a scalar
  std::string origin;             // "--set a.b=c" if an override made it, else empty
  std::vector<std::string> keys;  // of a map, beside items; one that stands there twice too, which a Section refuses
  std::vector<Node> items;        // of a list or map

  const Node* find(std::string_view key) const;  // the first of that name
};

// "nothing", "'abc'", "a list" or "a map": what messages call it.
std::string found(const Node& node);

// One YAML document. `file` is only for messages.
Result<Node> parse_yaml(std::string_view text, const std::string& file);

// Sets one value of the tree: "robots[0].count=10". Maps on the way are made, list elements must exist; the value is
// YAML. Whether the field is known is the schema's business, which will name this override.
Status apply_override(Node& root, const std::string& assignment);

// The whole file, at most `limit` bytes.
Result<std::string> read_file(const std::string& path, std::size_t limit);

}  // namespace convoy::scenario
