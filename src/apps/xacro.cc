#include "apps/xacro.h"

#include <fmt/format.h>

#include "os/file.h"
#include "os/process.h"

namespace convoy::apps {

namespace {

constexpr int kPatience = 60;  // s

}  // namespace

bool is_xacro(const std::string& file) { return file.ends_with(".xacro"); }

Result<std::string> expand_xacro(const std::string& path) {
  const auto scratch = os::TempDirectory::create("convoy-xacro");
  if (!scratch) return tl::unexpected(scratch.error());
  const std::string out = scratch->path() + "/expanded.urdf";
  os::Supervisor family;
  os::ChildOptions child;
  child.name = "xacro", child.argv = {"xacro", path};
  child.out = os::Output::kFile, child.out_file = out;
  if (auto ok = family.start(std::move(child)); !ok)
    return fail(ok.error().code,
                fmt::format("{}; xacro comes with ROS, or by `pip install xacro`", ok.error().message()), path);
  std::string trouble = fmt::format("xacro was not done after {} s", kPatience);
  for (int i = 0; i < kPatience * 10 && family.running() > 0; ++i)
    for (const os::Death& death : family.poll(std::chrono::milliseconds(100)))
      trouble =
          death.exit.ok() ? "" : fmt::format("xacro {}: {}", death.exit.text(), fmt::join(death.last_lines, "; "));
  family.stop();
  if (!trouble.empty()) return fail(ErrorCode::kInvalid, trouble, path);
  return os::read_text(out);
}

}  // namespace convoy::apps
