#include "scenario/tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>
#include <utility>

namespace convoy::scenario {

namespace {

using Kind = Node::Kind;

std::string at(const std::string& file, int line) { return fmt::format("{}:{}", file, line); }

// Builds the tree from yaml-cpp's events. After the first error it ignores the rest.
class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(const std::string& file) : file_(file) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node;
    node.line = mark.line + 1;
    add(std::move(node), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (anchor >= anchors_.size() || !anchors_[anchor].known)
      return stop(mark.line + 1, "an alias inside its own value");
    const Anchor& source = anchors_[anchor];
    if (!count(source.nodes, mark.line + 1)) return;
    Node copy = source.node;
    copy.line = mark.line + 1;
    nodes_ += source.nodes;
    attach(std::move(copy));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node;
    node.kind = Kind::kScalar;
    node.line = mark.line + 1;
    node.quoted = tag == "!";
    node.text = value;
    add(std::move(node), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(Kind::kList, mark.line + 1, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(Kind::kMap, mark.line + 1, anchor);
  }
  void OnMapEnd() override { end(); }

  Result<Node> take() {
    if (failed_) return tl::unexpected(error_);
    return std::move(root_);
  }

 private:
  struct OpenNode {
    Node node;
    YAML::anchor_t anchor;
    std::size_t nodes_before;
    bool key_next;
    int key_line;
  };
  struct Anchor {
    bool known = false;
    Node node;
    std::size_t nodes = 0;
  };

  void stop(int line, std::string text) {
    if (failed_) return;
    failed_ = true;
    error_ = {ErrorCode::kInvalid, std::move(text), at(file_, line)};
  }
  bool count(std::size_t more, int line) {
    if (failed_) return false;
    if (nodes_ + more <= kMaxNodes && open_.size() < kMaxDepth) return true;
    stop(line, fmt::format("too large or too deep: at most {} values in {} levels are read", kMaxNodes, kMaxDepth));
    return false;
  }
  void remember(YAML::anchor_t anchor, const Node& node, std::size_t nodes) {
    if (anchor == 0) return;  // yaml-cpp's "no anchor"
    if (anchor >= anchors_.size()) anchors_.resize(anchor + 1);
    anchors_[anchor] = {true, node, nodes};
  }
  void add(Node node, YAML::anchor_t anchor) {
    if (!count(1, node.line)) return;
    ++nodes_;
    remember(anchor, node, 1);
    attach(std::move(node));
  }
  void begin(Kind kind, int line, YAML::anchor_t anchor) {
    if (!count(1, line)) return;
    ++nodes_;
    open_.push_back({{}, anchor, nodes_ - 1, kind == Kind::kMap, 0});
    open_.back().node.kind = kind;
    open_.back().node.line = line;
  }
  void end() {
    if (failed_) return;
    OpenNode done = std::move(open_.back());
    open_.pop_back();
    remember(done.anchor, done.node, nodes_ - done.nodes_before);
    attach(std::move(done.node));
  }
  void attach(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    OpenNode& parent = open_.back();
    if (parent.node.kind == Kind::kMap && parent.key_next) return attach_key(parent, node);
    if (parent.node.kind == Kind::kMap) {
      node.line = parent.key_line;
      parent.key_next = true;
    }
    parent.node.items.push_back(std::move(node));
  }
  void attach_key(OpenNode& parent, const Node& key) {
    if (key.kind != Kind::kScalar) return stop(key.line, fmt::format("a field's name is text, found {}", found(key)));
    if (parent.node.keys.size() >= kMaxFields)
      return stop(key.line, fmt::format("a map has at most {} fields", kMaxFields));
    parent.node.keys.push_back(key.text);
    parent.key_line = key.line;
    parent.key_next = false;
  }

  const std::string& file_;
  bool failed_ = false;
  Error error_;
  Node root_;
  std::size_t nodes_ = 0;
  std::vector<OpenNode> open_;
  std::vector<Anchor> anchors_;
};

void mark_origin(Node& node, const std::string& origin) {
  node.origin = origin;
  for (Node& item : node.items) mark_origin(item, origin);
}

// The next step of a path: a name, or an index in brackets.
struct Step {
  std::string name;
  std::size_t index = 0;
  bool is_index = false;
};
bool split_path(std::string_view path, std::vector<Step>& steps) {
  while (!path.empty()) {
    if (path.front() == '[') {
      Step step{.is_index = true};
      const std::size_t close = path.find(']');
      if (close == path.npos) return false;
      const auto [end, status] = std::from_chars(path.data() + 1, path.data() + close, step.index);
      if (status != std::errc{} || end != path.data() + close || close == 1) return false;
      steps.push_back(step);
      path.remove_prefix(close + 1);
    } else {
      const std::size_t length = std::min(path.find_first_of(".["), path.size());
      if (length == 0) return false;
      steps.push_back({.name = std::string(path.substr(0, length))});
      path.remove_prefix(length);
    }
    if (!path.empty() && path.front() == '.') {
      path.remove_prefix(1);
      if (path.empty() || path.front() == '[') return false;
    } else if (!path.empty() && path.front() != '[') {
      return false;
    }
  }
  return !steps.empty() && !steps.front().is_index && steps.size() < kMaxDepth;
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size() && i < items.size(); ++i)
    if (keys[i] == key) return &items[i];
  return nullptr;
}

std::string found(const Node& node) {
  switch (node.kind) {
    case Kind::kNull: return "nothing";
    case Kind::kList: return "a list";
    case Kind::kMap: return "a map";
    case Kind::kScalar: break;
  }
  std::string text;
  for (char c : node.text.substr(0, 60)) text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return fmt::format("'{}{}'", text, node.text.size() > 60 ? "..." : "");
}

Result<Node> parse_yaml(std::string_view text, const std::string& file) {
  if (text.size() > kMaxDocumentBytes)
    return fail(ErrorCode::kInvalid, fmt::format("larger than {} bytes", kMaxDocumentBytes), file);
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    Builder builder(file), rest(file);
    if (!parser.HandleNextDocument(builder)) return fail(ErrorCode::kInvalid, "the file is empty", file);
    Result<Node> root = builder.take();
    if (root && parser.HandleNextDocument(rest))
      return fail(ErrorCode::kInvalid, "more than one YAML document ('---')", file);
    return root;
  } catch (const YAML::Exception& e) {
    return fail(ErrorCode::kInvalid, "not YAML: " + e.msg, at(file, e.mark.line + 1));
  } catch (const std::exception& e) { return fail(ErrorCode::kInvalid, std::string("not YAML: ") + e.what(), file); }
}

Status apply_override(Node& root, const std::string& assignment) {
  const std::string origin = "--set " + assignment;
  const std::size_t equals = assignment.find('=');
  std::vector<Step> steps;
  if (equals == std::string::npos || !split_path(std::string_view(assignment).substr(0, equals), steps))
    return fail(ErrorCode::kInvalid, "an override is PATH=VALUE, for example robots[0].count=10", origin);
  const std::string value_text = assignment.substr(equals + 1);
  Node value;
  if (value_text.find_first_not_of(" \t\n") != std::string::npos) {
    Result<Node> parsed = parse_yaml(value_text, origin);
    if (!parsed) return tl::unexpected(Error{ErrorCode::kInvalid, parsed.error().text, origin});
    value = std::move(*parsed);
  }

  Node changed = root;  // one that fails leaves no trace
  Node* node = &changed;
  std::string path;
  for (const Step& step : steps) {
    if (step.is_index) {
      if (node->kind != Kind::kList)
        return fail(ErrorCode::kInvalid, fmt::format("{} is not a list, found {}", path, found(*node)), origin);
      if (step.index >= node->items.size())
        return fail(ErrorCode::kInvalid, fmt::format("{} has {} elements", path, node->items.size()), origin);
      node = &node->items[step.index];
      path += fmt::format("[{}]", step.index);
      continue;
    }
    if (node->kind == Kind::kNull) {
      node->kind = Kind::kMap;
      node->origin = origin;
    }
    if (node->kind != Kind::kMap)
      return fail(ErrorCode::kInvalid, fmt::format("{} is not a map, found {}", path, found(*node)), origin);
    Node* child = const_cast<Node*>(node->find(step.name));
    if (!child) {
      node->keys.push_back(step.name);
      child = &node->items.emplace_back();
      child->origin = origin;
    }
    node = child;
    path += (path.empty() ? "" : ".") + step.name;
  }
  *node = std::move(value);
  mark_origin(*node, origin);
  root = std::move(changed);
  return {};
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  const auto close = [](std::FILE* f) { std::fclose(f); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
  if (!file) return fail(ErrorCode::kNotFound, fmt::format("cannot open: {}", std::strerror(errno)), path);
  std::string text;
  char block[65536];
  while (true) {
    const std::size_t n = std::fread(block, 1, sizeof block, file.get());
    text.append(block, n);
    if (text.size() > limit) return fail(ErrorCode::kInvalid, fmt::format("larger than {} bytes", limit), path);
    if (n == sizeof block) continue;
    if (std::ferror(file.get()))
      return fail(ErrorCode::kNotFound, fmt::format("cannot read: {}", std::strerror(errno)), path);
    return text;
  }
}

}  // namespace convoy::scenario
