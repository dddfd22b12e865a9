#include "apps/command_line.h"

#include <algorithm>

#include "core/nearest.h"
#include "engines/identity.h"
#include "os/terminal.h"

namespace convoy::apps {

namespace {

constexpr const char* kAbout =
    "Convoy simulates fleets of robots over many machines: one world, the same bytes on any number of hosts.";
constexpr const char* kFooter =
    "Options come before or after the subcommand. A flag rules over its CONVOY_* variable (shown as Env), that over "
    "the\n"
    "scenario file, and that over the default.\n"
    "Exit codes: 0 success, 1 the run or call failed, 2 bad usage or bad input, 130 interrupted.";

std::string names_of(const std::vector<CLI::App*>& path) {
  std::string out = "convoy";
  for (std::size_t i = 1; i < path.size(); ++i) out += " " + path[i]->get_name();
  return out;
}

std::vector<std::string> long_names(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty())
      for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  return out;
}

void forget_environment(CLI::App& app, const std::vector<CLI::App*>& path) {
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; })) forget_environment(*sub, path);
  if (std::find(path.begin(), path.end(), &app) != path.end()) return;
  for (CLI::Option* option : app.get_options([](CLI::Option*) { return true; })) option->envname("");
}

}  // namespace

CommandLine::CommandLine() : app_(kAbout, "convoy") {
  app_.footer(kFooter);
  app_.fallthrough();
  app_.require_subcommand(1);
  app_.get_formatter()->column_width(36);
  app_.set_version_flag("--version", "convoy " + engines::build_text(), "Print version and build");
  // The variables are read by the root alone: CLI11 lets the root's options act first, so that a flag after the
  // subcommand rules over them.
  app_.add_option("--log-level", arguments.log_level_text, "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->envname("CONVOY_LOG_LEVEL");
  app_.add_flag("--json", arguments.json, "print data as JSON")->envname("CONVOY_JSON");
  add_scenario_commands(*this);
  add_stream_commands(*this);
  add_record_commands(*this);
  add_job_command(*this);
  add_sweep_command(*this);
  add_ctl_command(*this);
  add_inspect_commands(*this);
  add_ros2_commands(*this);
  add_info_commands(*this);
}

CLI::App& CommandLine::add(CLI::App& parent, const std::string& name, const std::string& help, Body body,
                           bool prints_data) {
  CLI::App* sub = parent.add_subcommand(name, help);
  sub->footer("");
  sub->add_option("--log-level", arguments.log_level_text, "debug, info, warn or error (Env:CONVOY_LOG_LEVEL)")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}));
  if (prints_data) sub->add_flag("--json", arguments.json, "print data as JSON (Env:CONVOY_JSON)");
  if (body)
    sub->final_callback([this, sub, body = std::move(body)] {
      if (sub->get_subcommands().empty()) body_ = body;  // those come first
    });
  return *sub;
}

// The subcommands named, root first; a word where a subcommand must be and none is so called goes to `unknown`.
std::vector<CLI::App*> CommandLine::chosen(int argc, const char* const* argv, std::string& unknown) {
  std::vector<CLI::App*> path{&app_};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    CLI::App* at = path.back();
    if (at->get_subcommands([](CLI::App*) { return true; }).empty()) break;
    if (word.empty() || word[0] != '-') {
      const auto named = at->get_subcommands([&](CLI::App* sub) { return sub->get_name() == word; });
      if (named.empty()) {
        unknown = word;
        break;
      }
      path.push_back(named.front());
      continue;
    }
    if (word.find('=') != word.npos) continue;
    for (auto owner = path.rbegin(); owner != path.rend(); ++owner) {  // options fall through to the parents
      const CLI::Option* option = (*owner)->get_option_no_throw(word);
      if (option == nullptr) continue;
      if (option->get_items_expected_max() > 0) ++i;  // its value
      break;
    }
  }
  return path;
}

std::optional<int> CommandLine::parse(int argc, const char* const* argv) {
  if (argc > 1 && std::string_view(argv[1]) == "help") {  // "convoy help ctl get", as others have it
    std::vector<const char*> asked{argv[0]};
    asked.insert(asked.end(), argv + 2, argv + argc);
    asked.push_back("--help");
    return parse(static_cast<int>(asked.size()), asked.data());
  }
  std::string unknown;
  const std::vector<CLI::App*> path = chosen(argc, argv, unknown);
  const std::string self = names_of(path);
  if (argc <= 1) {
    std::fprintf(stderr, "%s", app_.help().c_str());
    return kUsage;
  }
  // "convoy node PACKAGE EXECUTABLE", as "ros2 run"; "convoy sweep PLAN".
  if (const std::string at = path.back()->get_name(); !unknown.empty() && (at == "node" || at == "sweep")) {
    std::vector<const char*> meant(argv, argv + argc);
    meant.insert(std::find(meant.begin() + 1, meant.end(), std::string_view(at)) + 1, "run");
    return parse(static_cast<int>(meant.size()), meant.data());
  }
  if (!unknown.empty() && path.back()->get_name() != "launch") {  // whose word is a scenario
    std::vector<std::string> known;
    for (const CLI::App* sub : path.back()->get_subcommands([](CLI::App*) { return true; }))
      known.push_back(sub->get_name());
    const std::string near = nearest_name(unknown, known);
    return complain(
        "unknown command '" + os::escape_line(unknown, 100) + "'" +
            (near.empty() ? "; " + self + " --help lists them" : "; did you mean '" + self + " " + near + "'?"),
        kUsage);
  }
  // CLI11 would read the variables of commands that were not chosen too, into the same places.
  forget_environment(app_, path);
  std::vector<std::string> words(argv + 1, argv + argc);
  if (path.back()->get_name() == "job")
    if (const auto wrong = take_components(words, arguments.job))
      return complain(os::escape_line(*wrong) + " (" + self + " --help shows the options)", kUsage);
  if (path.size() > 2 && path[1]->get_name() == "node" && path.back()->get_name() == "run")
    arguments.program.words = take_program(words, path);
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app_.parse(std::move(words));
  } catch (const CLI::ParseError& error) { return explain(error, path); }
  if (const auto level = os::parse_log_level(arguments.log_level_text)) arguments.log_level = *level;
  return {};
}

int CommandLine::explain(const CLI::ParseError& error, const std::vector<CLI::App*>& path) {
  const std::string self = names_of(path);
  if (error.get_exit_code() == 0) {
    app_.exit(error);  // help or version, on stdout
    return kOk;
  }
  if (path.size() > 1 && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
      !path.back()->get_subcommands([](CLI::App*) { return true; }).empty()) {
    const std::string parents = names_of({path.begin(), path.end() - 1});
    std::fprintf(stderr, "%s", path.back()->help(parents).c_str());
    return kUsage;
  }
  std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    // "The following arguments were not expected: x --hots", in no useful order: an option is the likelier cause.
    std::string word;
    for (std::size_t at = text.find(": ") + 1; at < text.size();) {
      const std::size_t end = std::min(text.find(' ', at + 1), text.size());
      const std::string next = text.substr(at + 1, end - at - 1);
      if (word.empty() || (word[0] != '-' && next[0] == '-')) word = next;
      at = end;
    }
    const bool option = !word.empty() && word[0] == '-';
    std::vector<std::string> known;
    for (const CLI::App* app : path)
      for (const std::string& name : long_names(*app)) known.push_back(name);
    word = word.substr(0, word.find('='));
    const std::string near = option ? nearest_name(word, known) : "";
    text = (option ? "unknown option '" : "unexpected '") + word + "'" +
           (near.empty() ? "" : "; did you mean '" + near + "'?");
  }
  return complain(os::escape_line(text) + " (" + self + " --help shows the options)", kUsage);
}

}  // namespace convoy::apps
