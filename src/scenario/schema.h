// A typed reader of one map of a YAML tree, which names file, line, path and allowed values when it refuses something.
//
//   void read_time(Section& s, RunOptions& run) {
//     s.choice("mode", run.mode, kModes);
//     s.duration("duration", run.duration, {.min = 0s, .max = 24h});
//   }
//
// Each call declares that a field exists and reads it if it is there; a field that no call named is an error. So the
// code that reads is the schema: run without a document it lists every field (known_fields). Nothing throws. A problem
// does not stop the reading: all of them are reported (Document::errors), or the worst (Document::status).
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "convoy/result.h"
#include "convoy/time.h"
#include "scenario/tree.h"

namespace convoy::scenario {

// Values that are written as they are allowed, inclusive but where `above_min`.
struct NumberRange {
  double min = -1e6, max = 1e6;
  const char* unit = "";
  bool above_min = false;
};
inline constexpr NumberRange kMetres{-1e6, 1e6, "m", false};
struct DurationRange {
  Duration min{0}, max = std::chrono::hours(24 * 365);
};
template <class T>
struct Choice {
  std::string_view text;
  T value;
};
// What a text may be. A name: letters, digits and _, beginning with a letter. A path: names joined by '/'.
enum class TextRule : std::uint8_t { kAny, kName, kPath };
enum class Need : std::uint8_t { kOptional, kRequired };

inline constexpr std::size_t kMaxNameLength = 100;
inline constexpr std::size_t kMaxListed = 100'000;  // elements of one list
inline constexpr std::size_t kMaxProblems = 100;    // of one document that are kept; others are counted
bool is_name(std::string_view text);

// "10ms", "1500ns", "2s", "1.5s", "3min", "1h", or a number of seconds; nothing if it is none of these or not finite.
std::optional<Duration> parse_duration(std::string_view text);
// The whole text as one number; nothing if it is none, or not finite.
std::optional<double> parse_number(std::string_view text);
// The shortest of these that is exact: "10ms".
std::string to_text(Duration d);

// What a reading shares: the file's name, the problems so far, and in a listing the fields.
class Document {
 public:
  // Reads `file`, whose name is only for messages.
  explicit Document(std::string file) : file_(std::move(file)) {}

  enum class Trouble : std::uint8_t { kUnknownField, kValue, kMissing };
  // `field`: of what is missing.
  void problem(Trouble trouble, const Node* node, const std::string& path, std::string text,
               std::string_view field = {});
  // What stands there under a misspelt name is not missing too.
  void forgive_missing(const Node* node, std::string_view field);
  // The first problem of the worst sort: unknown fields, then values, then what is missing.
  Status status() const;
  // The problems in the order in which they were found, at most kMaxProblems.
  std::vector<Error> errors() const;
  std::size_t more() const { return more_; }                      // beyond those
  bool full() const { return problems_.size() >= kMaxProblems; }  // what comes is counted, and nobody reads it
  // "did you mean 'x'? ", or nothing.
  std::string hint(std::string_view wrong, const std::vector<std::string>& known) const;

  std::string where(const Node* node, const std::string& path) const;
  std::vector<std::string> warnings;

 private:
  friend class Section;
  friend std::vector<std::string> known_fields(const std::function<void(class Section&)>&);
  std::string file_;
  bool listing_ = false;
  std::set<std::string> fields_;
  struct Problem {
    Trouble trouble;
    const Node* node;
    std::string field;  // that is missing
    Error error;
  };
  std::vector<Problem> problems_;
  std::size_t found_ = 0;  // with those that are not kept, or were forgiven
  std::size_t more_ = 0;   // those that are not kept
};

// One map of the document. In a listing, or where the map is absent, every value stays as it is.
class Section {
 public:
  using Body = std::function<void(Section&)>;

  void text(const char* name, std::string& value, TextRule rule = TextRule::kAny, Need need = Need::kOptional);
  void texts(const char* name, std::vector<std::string>& values, TextRule rule);
  void flag(const char* name, bool& value);
  void number(const char* name, double& value, NumberRange range, Need need = Need::kOptional);
  // True if the keyword was there instead of a number.
  bool number_or(const char* name, double& value, NumberRange range, const char* keyword);
  template <class T>
  void integer(const char* name, T& value, std::uint64_t min, std::uint64_t max, Need need = Need::kOptional) {
    std::uint64_t v = static_cast<std::uint64_t>(value);
    whole(name, v, min, max, need);
    value = static_cast<T>(v);
  }
  void duration(const char* name, Duration& value, DurationRange range, Need need = Need::kOptional);
  bool duration_or(const char* name, Duration& value, DurationRange range, const char* keyword);
  template <class T>
  void choice(const char* name, T& value, std::span<const Choice<T>> choices, Need need = Need::kOptional) {
    std::vector<std::string_view> allowed;
    for (const Choice<T>& c : choices) allowed.push_back(c.text);
    if (const auto index = choose(name, allowed, need)) value = choices[*index].value;
  }
  // What stands there, whatever it is; null: nothing.
  const Node* take(const char* name, Need need = Need::kOptional);
  // A list of values.size() numbers, of which the last `optional` may be left out and then stay as they are.
  void numbers(const char* name, std::span<double> values, NumberRange range, Need need = Need::kOptional,
               std::size_t optional = 0);
  // A list of lists of `least` to `most` numbers; shorter rows are filled up with 0.
  void rows(const char* name, std::vector<std::vector<double>>& rows, std::size_t least, std::size_t most,
            NumberRange range);

  // A map. A scalar or a list may be given for the map with that one field, where `scalar_is` or `list_is` names it.
  struct Short {
    const char* scalar_is = nullptr;
    const char* list_is = nullptr;
  };
  void section(const char* name, const Body& body) { section(name, {}, body); }
  void section(const char* name, Short shorthand, const Body& body, Need need = Need::kOptional);
  // A list of maps, read in order. A scalar may be given for the map with that one field, where `scalar_is` names it.
  void list(const char* name, const Body& element, std::size_t at_most = kMaxListed, const char* scalar_is = nullptr);

  bool has(const char* name) const;
  // At most one of these fields may be there.
  void at_most_one_of(std::initializer_list<const char*> names);
  // A problem or a warning at one of this map's fields; at the map itself if the name is empty or absent.
  void refuse(const char* name, std::string text);
  // The same where a field's word names none of those that are known.
  void unknown(const char* name, const char* what, const std::string& word, const std::vector<std::string>& known);
  // A problem if the field is not there; `advice` says what to write.
  void missing(const char* name, std::string_view advice);
  void warn(const char* name, const std::string& text);
  // "file:line: path" of the same.
  std::string where(const char* name = "") const;
  const std::string& path() const { return path_; }
  // False in a listing and after a problem in this map: checks across its fields make no sense then.
  bool sound() const { return node_ && problems() == begun_; }
  // How many the document has had so far: what has had none is what it says.
  std::size_t problems() const { return document_.found_; }
  // Unknown fields give a warning instead of an error.
  void tolerate_unknown_fields() { tolerant_ = true; }

  // Reads a whole document.
  static void read(Document& document, const Node& root, const Body& body);

 private:
  friend std::vector<std::string> known_fields(const Body& body);
  Section(Document& document, const Node* node, std::string path)
      : document_(document), node_(node), path_(std::move(path)) {}

  std::string path_of(std::string_view name) const;
  const Node* take_list(const char* name, std::size_t at_most, Need need = Need::kOptional);
  void whole(const char* name, std::uint64_t& value, std::uint64_t min, std::uint64_t max, Need need);
  std::optional<std::size_t> choose(const char* name, std::span<const std::string_view> allowed, Need need);
  void enter(const Node* node, const std::string& path, const Body& body);
  void finish();

  Document& document_;
  const Node* node_;
  std::string path_;
  std::size_t begun_ = 0;  // problems of the document before this map
  bool tolerant_ = false;
  std::vector<std::string> known_;
};

// Every field that the body asks for, as "robots[].driver.kind", sorted.
std::vector<std::string> known_fields(const Section::Body& body);

// A top-level section that another part of the system reads. `read` runs once per document that has the section, and
// once in every listing; it keeps what it read where it likes.
struct ExtraSection {
  std::string name;
  Section::Body read;
};

}  // namespace convoy::scenario
