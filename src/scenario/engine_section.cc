// The section `engine`: what engines of clusters are told, as it is.
#include <cctype>
#include <nlohmann/json.hpp>

#include "scenario/sections.h"

namespace convoy::scenario {

namespace {

using Json = nlohmann::json;

// As JSON has them: no leading zeros, hexadecimal digits or bare points.
bool is_json_number(const std::string& text) {
  const Json value = Json::parse(text, nullptr, false);
  return value.is_number();
}

Json json_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull: return nullptr;
    case Node::Kind::kScalar:
      if (node.quoted) return node.text;
      if (node.text == "true" || node.text == "false") return node.text == "true";
      if (is_json_number(node.text)) return Json::parse(node.text);
      return node.text;
    case Node::Kind::kList: {
      Json out = Json::array();
      for (const Node& item : node.items) out.push_back(json_of(item));
      return out;
    }
    case Node::Kind::kMap: {
      Json out = Json::object();
      for (std::size_t i = 0; i < node.items.size(); ++i) out[node.keys[i]] = json_of(node.items[i]);
      return out;
    }
  }
  return nullptr;
}

}  // namespace

void read_engine(Section& s, ClusterOptions& cluster) {
  s.text("interface", cluster.interface);
  for (const char* engine : kClusterEngines) {
    const Node* node = s.take(engine);
    if (!node) continue;
    if (node->kind == Node::Kind::kMap) cluster.settings[engine] = json_of(*node).dump();
    else s.refuse(engine, "must be a map, found " + found(*node));
  }
}

Result<ClusterOptions> load_engine_file(const std::string& path, ClusterOptions over) {
  const Result<std::string> text = read_file(path, kMaxDocumentBytes);
  if (!text) return tl::unexpected(text.error());
  const Result<Node> root = parse_yaml(*text, path);
  if (!root) return tl::unexpected(root.error());
  Document document(path);
  Section::read(document, *root, [&](Section& s) { read_engine(s, over); });
  if (auto ok = document.status(); !ok) return tl::unexpected(ok.error());
  return over;
}

}  // namespace convoy::scenario
