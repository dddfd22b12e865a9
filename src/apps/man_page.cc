// convoy completion man: the manual page, printed from the tree of commands itself.
#include <fmt/format.h>

#include "apps/command_line.h"
#include "engines/identity.h"
#include "os/standard_streams.h"

namespace convoy::apps {

namespace {

// As roff takes it: a line that begins with a dot or a quote is none of its requests, and a dash is the one that is typed.
std::string roff(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool begins = i == 0 || text[i - 1] == '\n';
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
  }
  return out;
}

std::string of_option(const CLI::Option& option) {
  std::string name, value = option.get_type_name();
  if (option.get_positional()) {
    name = option.get_name(true);
  } else {
    for (const std::string& one : option.get_snames()) name += (name.empty() ? "-" : ", -") + one;
    for (const std::string& one : option.get_lnames()) name += (name.empty() ? "--" : ", --") + one;
  }
  if (const std::size_t open = value.find('{'); open != value.npos) value = value.substr(open);  // "TEXT:{a,b}"
  if (option.get_positional() || option.get_items_expected_max() == 0) value.clear();
  std::string out = ".TP\n\\fB" + roff(name) + "\\fR" + (value.empty() ? "" : " " + roff(value)) + "\n" +
                    roff(option.get_description()) + "\n";
  if (!option.get_envname().empty()) out += "Variable: \\fB" + roff(option.get_envname()) + "\\fR.\n";
  return out;
}

void add_command(const CLI::App& app, const std::string& path, std::string& out) {
  out += ".SS \"" + roff(path) + "\"\n" + roff(app.get_description()) + "\n";
  for (const CLI::Option* option : app.get_options([](const CLI::Option*) { return true; }))
    if (!option->get_group().empty() && option->get_name() != "--help") out += of_option(*option);
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!sub->get_group().empty()) add_command(*sub, path + " " + sub->get_name(), out);
}

constexpr const char* kEnd = R"(.SH EXIT STATUS
.TP
\fB0\fR
All is well.
.TP
\fB1\fR
It failed.
.TP
\fB2\fR
The command line, a scenario or a plan is wrong; nothing was begun.
.TP
\fB3\fR
Only a part is there.
.TP
\fB130\fR
Interrupted.
.PP
A run ends with what the software of a robot returned, if that is not 0.
.SH ENVIRONMENT
Options that name a variable take their value from it where they are not given. Beyond those:
.TP
\fBCONVOY_SCENARIO_PATH\fR
Folders of scenarios that are known by name, before those that are shipped.
.TP
\fBCONVOY_MAP_PATH\fR
Folders of maps.
.TP
\fBAMENT_PREFIX_PATH\fR
Where packages of components and message types are.
.TP
\fBROS_DOMAIN_ID\fR
The domain of ROS 2 where none is given.
.SH EXAMPLES
.nf
convoy run hello
convoy run warehouse \-\-web
convoy launch warehouse \-\-hosts 2
convoy sweep sweep_speed
convoy init my_project
.fi
)";

}  // namespace

int man_page(const CommandLine& line) {
  std::string out = ".TH CONVOY 1 \"\" \"convoy " + roff(engines::version_text()) + "\" \"Convoy\"\n";
  out +=
      ".SH NAME\nconvoy \\- distributed robot simulator\n.SH SYNOPSIS\n\\fBconvoy\\fR \\fICOMMAND\\fR "
      "[\\fIOPTIONS\\fR]\n";
  out += ".SH DESCRIPTION\n" + roff(line.root().get_description()) + "\n.SH OPTIONS\n";
  for (const CLI::Option* option : line.root().get_options([](const CLI::Option*) { return true; }))
    if (!option->get_group().empty()) out += of_option(*option);
  out += ".SH COMMANDS\n";
  for (const CLI::App* sub : line.root().get_subcommands([](const CLI::App*) { return true; }))
    if (!sub->get_group().empty()) add_command(*sub, sub->get_name(), out);
  os::print("{}", out + kEnd);
  return kOk;
}

}  // namespace convoy::apps
