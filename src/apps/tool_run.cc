#include "apps/tool_run.h"

#include <fmt/format.h>

#include "os/clock.h"

namespace convoy::apps {

namespace {

std::string last_line(const std::string& text) {
  if (text.empty()) return {};
  const std::size_t end = text.size() - 1;  // its own end of line
  const std::size_t begin = text.rfind('\n', end == 0 ? 0 : end - 1);
  return text.substr(begin == text.npos ? 0 : begin + 1, end - (begin == text.npos ? 0 : begin + 1));
}

}  // namespace

std::string ToolOutput::trouble() const {
  for (const std::string* text : {&err, &out})
    if (const std::string line = last_line(*text); !line.empty()) return line;
  return exit.text();
}

Result<ToolOutput> run_tool(std::vector<std::string> argv, Duration patience, std::string input) {
  ToolOutput output;
  const std::string program = argv.front();
  os::Supervisor family;
  os::ChildOptions child;
  child.name = program, child.argv = std::move(argv), child.input = std::move(input);
  child.on_line = [&output](std::string_view line, bool to_stderr) {
    // One of just this length has been broken, and goes on: what is one line to a tool may be a whole document.
    (to_stderr ? output.err : output.out).append(line).append(line.size() < os::kMaxChildLine ? "\n" : "");
  };
  if (auto ok = family.start(std::move(child)); !ok) return fail(ErrorCode::kNotFound, ok.error().message());
  for (const Moment end = os::now() + patience; family.running() > 0;) {
    if (os::now() >= end)
      return fail(ErrorCode::kUnavailable, fmt::format("{} was not done after {:.0f} s", program, seconds(patience)));
    for (const os::Death& death : family.poll(std::chrono::milliseconds(100))) output.exit = death.exit;
  }
  return output;
}

}  // namespace convoy::apps
