#include "physics/mujoco/document.h"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <set>

namespace convoy::mujoco {

namespace {

constexpr int kMaxDepth = 200;  // of elements, and of includes

std::string escaped(const std::string& value) {
  std::string out;
  for (char c : value) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else if (c == '\n' || c == '\r') out += ' ';  // a tag stays on its line
    else out += c;
  }
  return out;
}

class Loader {
 public:
  Loader(std::string main_folder, const FileReader& read) : main_folder_(std::move(main_folder)), read_(read) {}

  Result<Element> load(const std::string& path, const std::string& asked_at, int depth) {
    if (!seen_.insert(path).second)
      return fail(ErrorCode::kInvalid, "the file '" + path + "' is included twice", asked_at);
    auto bytes = read_(path);
    if (!bytes) return fail(bytes.error().code, bytes.error().message(), asked_at);
    tinyxml2::XMLDocument xml;
    if (xml.Parse(reinterpret_cast<const char*>(bytes->data()), bytes->size()) != tinyxml2::XML_SUCCESS) {
      const char* name = xml.ErrorName();
      return fail(ErrorCode::kInvalid, fmt::format("not well-formed XML ({})", name),
                  fmt::format("{}:{}", path, xml.ErrorLineNum()));
    }
    const tinyxml2::XMLElement* root = xml.RootElement();
    if (!root) return fail(ErrorCode::kInvalid, "the file has no element", path);
    if (depth == 0) keeps_includes_ = std::string_view(root->Name()) == "sdf";
    Element out;
    if (auto ok = take(*root, path, out, depth); !ok) return tl::unexpected(ok.error());
    return out;
  }

 private:
  Status take(const tinyxml2::XMLElement& from, const std::string& file, Element& to, int depth) {
    if (depth > kMaxDepth)
      return fail(ErrorCode::kInvalid, "nested too deep", fmt::format("{}:{}", file, from.GetLineNum()));
    to.tag = from.Name(), to.file = file, to.line = from.GetLineNum();
    for (const auto* a = from.FirstAttribute(); a; a = a->Next()) to.attributes.emplace_back(a->Name(), a->Value());
    if (const char* text = from.GetText()) to.text = trimmed(text);
    for (const auto* child = from.FirstChildElement(); child; child = child->NextSiblingElement()) {
      if (!keeps_includes_ && std::string_view(child->Name()) == "include") {
        if (auto ok = include(*child, file, to, depth); !ok) return ok;
        continue;
      }
      if (auto ok = take(*child, file, to.children.emplace_back(), depth + 1); !ok) return ok;
    }
    return {};
  }

  Status include(const tinyxml2::XMLElement& element, const std::string& file, Element& to, int depth) {
    const std::string where = fmt::format("{}:{}", file, element.GetLineNum());
    const char* name = element.Attribute("file");
    if (!name || !*name) return fail(ErrorCode::kInvalid, "<include> names no file", where);
    std::vector<std::string> tried;
    for (const std::string& folder : {main_folder_, folder_of(file)}) {
      const std::string path = joined(folder, name);
      if (std::find(tried.begin(), tried.end(), path) != tried.end()) continue;
      tried.push_back(path);
      if (!seen_.count(path) && !read_(path)) continue;
      auto included = load(path, where, depth + 1);
      if (!included) return tl::unexpected(included.error());
      for (Element& child : included->children) to.children.push_back(std::move(child));
      return {};
    }
    return fail(ErrorCode::kNotFound, fmt::format("no file '{}'; tried {}", name, fmt::join(tried, ", ")), where);
  }

  std::string main_folder_;
  const FileReader& read_;
  std::set<std::string> seen_;
  bool keeps_includes_ = false;
};

void write_into(const Element& e, Text& out) {
  std::string& xml = out.xml;
  out.places.push_back(e.where());
  xml += '<' + e.tag;
  for (const auto& [name, value] : e.attributes) xml += ' ' + name + "=\"" + escaped(value) + '"';
  if (e.children.empty()) {
    xml += "/>\n";
    return;
  }
  xml += ">\n";
  for (const Element& child : e.children) write_into(child, out);
  xml += "</" + e.tag + ">\n";
  out.places.push_back(e.where());
}

}  // namespace

const std::string* Element::find(const char* name) const {
  for (const auto& [key, value] : attributes)
    if (key == name) return &value;
  return nullptr;
}

std::string Element::get(const char* name) const {
  const std::string* value = find(name);
  return value ? *value : std::string();
}

void Element::set(const char* name, std::string value) {
  for (auto& [key, old] : attributes)
    if (key == name) return void(old = std::move(value));
  attributes.emplace_back(name, std::move(value));
}

void Element::erase(const char* name) {
  std::erase_if(attributes, [&](const auto& a) { return a.first == name; });
}

const Element* Element::child(const char* wanted) const {
  for (const Element& c : children)
    if (c.tag == wanted) return &c;
  return nullptr;
}

Element* Element::child(const char* wanted) { return const_cast<Element*>(std::as_const(*this).child(wanted)); }

Element& Element::add(const char* name) {
  Element made;
  made.tag = name, made.file = file, made.line = line;
  return children.emplace_back(std::move(made));
}

Result<Element> load_document(const std::string& path, const FileReader& read) {
  return Loader(folder_of(path), read).load(path, {}, 0);
}

Text write(const Element& root) {
  Text out;
  write_into(root, out);
  return out;
}

std::string Text::place_in(const std::string& message) const {
  for (const char* mark : {"line ", "Line number="}) {
    const std::size_t at = message.rfind(mark);
    if (at == std::string::npos) continue;
    std::size_t line = 0, i = at + std::string_view(mark).size();
    for (; i < message.size() && message[i] >= '0' && message[i] <= '9'; ++i)
      line = line * 10 + static_cast<std::size_t>(message[i] - '0');
    if (line >= 1 && line <= places.size()) return places[line - 1];
  }
  return {};
}

std::string trimmed(const std::string& text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, std::max<std::size_t>(slash, 1));
}

std::string joined(const std::string& folder, const std::string& path) {
  if (folder.empty() || path.starts_with('/')) return path;
  return folder.ends_with('/') ? folder + path : folder + '/' + path;
}

std::string base_name(const std::string& path) {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string stem(const std::string& path) {
  const std::string name = base_name(path);
  return name.substr(0, name.rfind('.'));
}

std::string extension(const std::string& path) {
  const std::string name = base_name(path);
  const std::size_t dot = name.rfind('.');
  std::string out = dot == std::string::npos ? "" : name.substr(dot + 1);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace convoy::mujoco
