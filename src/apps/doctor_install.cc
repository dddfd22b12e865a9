#include <fmt/format.h>

#include "apps/findings.h"
#include "apps/prepare.h"
#include "apps/scenario_files.h"
#include "apps/stream.h"
#include "engines/engines.h"
#include "os/file.h"
#include "sensing/pictures.h"

namespace convoy::apps {

namespace {

std::string first_there(std::initializer_list<const char*> names) {
  for (const std::string& path : beside_program(names))
    if (os::exists(path)) return path;
  return {};
}

Finding found(const char* what, const std::string& path, const char* lacks) {
  return path.empty() ? Finding{Verdict::kWarn, what, lacks} : Finding{Verdict::kOk, what, path};
}

Finding maps() {
  std::string all;
  for (const std::string& folder : map_path())
    if (os::exists(folder)) all += (all.empty() ? "" : ", ") + folder;
  return found("maps", all, "no map folder; build the target 'maps', install, or set CONVOY_MAP_PATH");
}

Finding cameras() {
  const auto maker = engines::picture_maker();
  if (!maker) return {Verdict::kWarn, "cameras", "this build has no renderer (CONVOY_RENDER=OFF)"};
  const auto drawn = maker->fingerprint();
  return drawn ? Finding{Verdict::kOk, "cameras", "a picture was drawn"}
               : Finding{Verdict::kWarn, "cameras", drawn.error().message()};
}

}  // namespace

std::vector<Finding> inspect_installation() {
  std::vector<Finding> out{maps()};
  const std::size_t scenarios = scenario_files().size();
  out.push_back(scenarios == 0
                    ? Finding{Verdict::kWarn, "scenarios", "none beside this program, nor in CONVOY_SCENARIO_PATH"}
                    : Finding{Verdict::kOk, "scenarios", fmt::format("{}, as convoy scenarios lists them", scenarios)});
  out.push_back(found("page", first_there({"web/index.html", "../share/convoy/web/index.html"}),
                      "no page for --web: a build with Node makes it (scripts/python-env.sh web, CONVOY_PAGE)"));
  out.push_back(
      found("components",
            first_there({"rclcpp/libconvoy_components.so", "../" CONVOY_LIBDIR "/convoy/libconvoy_components.so"}),
            "no nodes of robots: a build with CONVOY_ROS makes what they need"));
  out.push_back(engines::ray_casters()
                    ? Finding{Verdict::kOk, "rays", "Embree " + engines::embree_version()}
                    : Finding{Verdict::kWarn, "rays", "this build has no lidars (CONVOY_EMBREE=OFF)"});
  out.push_back(cameras());
  const auto lacks = video_lacks();
  out.push_back(lacks ? Finding{Verdict::kWarn, "video", lacks->text}
                      : Finding{Verdict::kOk, "video", "convoy viewer has all that it loads"});
  return out;
}

}  // namespace convoy::apps
