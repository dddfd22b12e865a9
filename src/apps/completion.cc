// convoy completion: what bash, zsh and fish complete by, printed from the tree of commands itself.
#include <fmt/format.h>

#include "apps/command_line.h"
#include "os/standard_streams.h"

namespace convoy::apps {

namespace {

struct Choice {
  std::string option;               // "--mode"
  std::vector<std::string> values;  // empty: none known
  bool takes_value = false;
  std::string help;
};

// One command: the words that lead to it, what may follow.
struct Spot {
  std::string path;  // "", "ctl", "ctl spawn"
  std::vector<const CLI::App*> subcommands;
  std::vector<Choice> options;
  bool positionals = false;
};

bool shown(const CLI::Option& option) { return !option.get_group().empty(); }

// CLI11 writes a set of allowed values into the type: "TEXT:{a,b}".
std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  std::vector<std::string> out;
  if (open == type.npos || close == type.npos) return out;
  for (std::size_t at = open + 1; at < close;) {
    const std::size_t end = std::min(type.find(',', at), close);
    out.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

void gather(const CLI::App& app, const std::string& path, std::vector<Spot>& out) {
  Spot spot{path, app.get_subcommands([](const CLI::App*) { return true; }), {}, false};
  for (const CLI::Option* option : app.get_options([](const CLI::Option*) { return true; })) {
    if (!shown(*option)) continue;
    if (option->get_positional()) {
      spot.positionals = true;
      const std::vector<std::string> values = values_of(*option);
      if (!values.empty()) spot.options.push_back({"", values, false, ""});
      continue;
    }
    for (const std::string& name : option->get_lnames())
      spot.options.push_back(
          {"--" + name, values_of(*option), option->get_items_expected_max() > 0, option->get_description()});
  }
  out.push_back(spot);
  for (const CLI::App* sub : spot.subcommands)
    gather(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(), out);
}

std::string words_of(const Spot& spot) {
  std::string words;
  const auto add = [&](const std::string& word) { words += (words.empty() ? "" : " ") + word; };
  for (const CLI::App* sub : spot.subcommands) add(sub->get_name());
  for (const Choice& option : spot.options) {
    if (!option.option.empty()) add(option.option);
    else
      for (const std::string& value : option.values) add(value);
  }
  return words;
}

// A shell function `name` that sets words, values and files for a path and the word before; bash and zsh read it alike.
std::string tables(const std::vector<Spot>& spots) {
  std::string out = "_convoy_words() {\n  case \"$1\" in\n";
  for (const Spot& spot : spots) out += fmt::format("    '{}') echo '{}' ;;\n", spot.path, words_of(spot));
  out += "  esac\n}\n_convoy_values() {\n  case \"$1|$2\" in\n";
  for (const Spot& spot : spots)
    for (const Choice& option : spot.options) {
      if (!option.takes_value) continue;
      out += fmt::format("    '{}|{}') echo '{}' ;;\n", spot.path, option.option,
                         option.values.empty() ? "@files" : fmt::format("{}", fmt::join(option.values, " ")));
    }
  out += "  esac\n}\n_convoy_is_command() {\n  case \"$1\" in\n";
  for (const Spot& spot : spots)
    if (!spot.path.empty()) out += fmt::format("    '{}') return 0 ;;\n", spot.path);
  return out + "  esac\n  return 1\n}\n";
}

std::string bash(const std::vector<Spot>& spots) {
  return "# bash completion of convoy; made by: convoy completion bash\n" + tables(spots) + R"sh(_convoy() {
  local at='' word i current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" values
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word="${COMP_WORDS[i]}"
    if _convoy_is_command "${at:+$at }$word"; then at="${at:+$at }$word"; fi
  done
  values="$(_convoy_values "$at" "$before")"
  if [ "$values" = @files ]; then
    COMPREPLY=($(compgen -f -- "$current"))
  elif [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$(_convoy_words "$at")" -- "$current"))
    if [ ${#COMPREPLY[@]} = 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
  fi
}
complete -o filenames -F _convoy convoy
)sh";
}

std::string zsh(const std::vector<Spot>& spots) {
  return "#compdef convoy\n# zsh completion of convoy; made by: convoy completion zsh\n" + tables(spots) +
         R"sh(_convoy() {
  local at='' i values
  for ((i = 2; i < CURRENT; ++i)); do
    if _convoy_is_command "${at:+$at }${words[i]}"; then at="${at:+$at }${words[i]}"; fi
  done
  values="$(_convoy_values "$at" "${words[CURRENT-1]}")"
  if [ "$values" = @files ]; then
    _files
  elif [ -n "$values" ]; then
    compadd -- ${=values}
  else
    compadd -- $(_convoy_words "$at")
    _files
  fi
}
if [ "${funcstack[1]}" = _convoy ]; then _convoy "$@"; else compdef _convoy convoy; fi
)sh";
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "'";
}

std::string fish(const std::vector<Spot>& spots) {
  std::string out =
      "# fish completion of convoy; made by: convoy completion fish\n" + std::string(R"sh(function __convoy_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$at $word")
    if contains -- "$next" $__convoy_commands
      set at $next
    end
  end
  test "$at" = "$argv[1]"
end
)sh");
  out += "set -g __convoy_commands";
  for (const Spot& spot : spots)
    if (!spot.path.empty()) out += " " + quoted(spot.path);
  out += "\n";
  for (const Spot& spot : spots) {
    const std::string where = fmt::format("complete -c convoy -n {}", quoted("__convoy_at \"" + spot.path + "\""));
    for (const CLI::App* sub : spot.subcommands)
      out += fmt::format("{} -f -a {} -d {}\n", where, sub->get_name(), quoted(sub->get_description()));
    for (const Choice& option : spot.options) {
      if (option.option.empty()) {
        out += fmt::format("{} -f -a {}\n", where, quoted(fmt::format("{}", fmt::join(option.values, " "))));
        continue;
      }
      out += fmt::format("{} -l {} -d {}", where, option.option.substr(2), quoted(option.help));
      if (!option.values.empty())
        out += fmt::format(" -x -a {}", quoted(fmt::format("{}", fmt::join(option.values, " "))));
      else if (option.takes_value) out += " -r";
      out += "\n";
    }
  }
  return out;
}

}  // namespace

int completion(const CommandLine& line, const std::string& shell) {
  std::vector<Spot> spots;
  gather(line.root(), "", spots);
  os::print("{}", shell == "bash" ? bash(spots) : shell == "zsh" ? zsh(spots) : fish(spots));
  return kOk;
}

}  // namespace convoy::apps
