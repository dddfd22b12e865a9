// An XML document as it was put together from files: each element knows the file and line that it came from.
//
//   auto root = load_document("scene.xml", read);      // <include> resolved
//   Text text = write(*root);                          // one tag a line
//   text.place(12)                                     // "robot.xml:7", for what MuJoCo calls line 12
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "convoy/result.h"
#include "core/bytes.h"

namespace convoy::mujoco {

// The bytes of a file of the caller's machine.
using FileReader = std::function<Result<Bytes>(const std::string& path)>;

struct Element {
  std::string tag;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<Element> children;
  std::string text;  // between its tags, up to the first child, without the blanks around it; write() leaves it out
  std::string file;
  int line = 0;

  std::string where() const { return file + ":" + std::to_string(line); }
  const std::string* find(const char* name) const;  // an attribute; null: it has none
  std::string get(const char* name) const;          // "" if it has none
  void set(const char* name, std::string value);
  void erase(const char* name);
  Element* child(const char* tag);  // the first of that tag, or null
  const Element* child(const char* tag) const;
  Element& add(const char* tag);  // a new last child, from the same place
};

// The root of the document at `path`, with includes put in place: relative to the document's folder, or else to that of
// the file that includes. An <sdf> keeps its includes: they name models, not files. Errors name file and line.
Result<Element> load_document(const std::string& path, const FileReader& read);

struct Text {
  std::string xml;
  std::vector<std::string> places;  // of each line, from 1
  // "robot.xml:7" for "... line 12 ..." as MuJoCo writes it; empty if the message names no line.
  std::string place_in(const std::string& message) const;
};
Text write(const Element& root);

// Calls f for the element and all below it, parents first.
template <class E, class F>
void each(E& element, const F& f) {
  f(element);
  for (auto& child : element.children) each(child, f);
}

std::string trimmed(const std::string& text);  // without the blanks around it

// Paths, without asking the file system.
std::string folder_of(const std::string& path);                          // "" for a bare name
std::string joined(const std::string& folder, const std::string& path);  // an absolute path rules
std::string base_name(const std::string& path);
std::string stem(const std::string& path);
std::string extension(const std::string& path);  // lower case, without the dot

}  // namespace convoy::mujoco
