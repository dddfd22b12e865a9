// Documents of robots, up to where MuJoCo takes them: its own reader has a process of its own (os/worker.h).
#include "fuzz/targets.h"
#include "physics/mujoco/assets.h"
#include "physics/mujoco/document.h"
#include "physics/mujoco/ground.h"

namespace convoy::fuzz {

namespace {

constexpr const char* kPart =
    "<mujoco><asset><mesh name='m' file='m.stl'/></asset><worldbody><body name='part'><geom type='mesh' mesh='m'/>"
    "</body></worldbody></mujoco>";

}  // namespace

// A document with the files that its seeds name, given a ground and checked as where it arrives.
bool model(ByteView input) {
  const mujoco::FileReader read = [&](const std::string& path) -> Result<Bytes> {
    const std::string name = mujoco::base_name(path);
    if (name == "main.xml") return Bytes(input.begin(), input.end());
    if (name == "part.xml") return bytes_of(kPart);
    if (name == "m.stl" || name == "t.png") return Bytes{1, 2, 3};
    return fail(ErrorCode::kNotFound, "no such file");
  };
  auto root = mujoco::load_document("main.xml", read);
  if (!root || root->tag != "mujoco") return false;
  const std::vector<std::string> roots;
  mujoco::Assets assets("", read, roots);
  if (!assets.collect(*root)) return false;
  const auto ground = mujoco::wanted_ground(*root, Ground::kAuto);
  if (!ground) return false;
  if (*ground != Ground::kNone) mujoco::add_ground(*root);
  const std::string text = mujoco::write(*root).xml;
  Model model;
  ModelFiles files;
  const auto keep = [&](const std::string& name, Bytes bytes) {
    model.files.push_back({name, hash64(bytes)});
    convoy::add(files, std::move(bytes));
  };
  keep("main.xml", bytes_of(text));
  for (auto& [name, bytes] : assets.take()) keep(name, std::move(bytes));
  return mujoco::names_only_its_files(model, files).has_value();
}

std::vector<Bytes> model_seeds() {
  return {bytes_of("<mujoco model='a'>\n<compiler meshdir='parts' strippath='true'/><asset><mesh name='m' file='x/m.stl' "
                   "scale='1 1 1'/><texture name='t' type='2d' file='t.png'/></asset>\n<worldbody><geom type='plane' "
                   "size='1 1 1'/><body name='b' pos='0 0 1'><freejoint/><geom type='mesh' mesh='m'/></body><body "
                   "name='c'><joint type='hinge'/><geom size='.1'/></body></worldbody>\n<keyframe><key name='home' "
                   "qpos='0 0 1 1 0 0 0 0.5' mpos='0 0 0' mquat='1 0 0 0'/></keyframe></mujoco>"),
          bytes_of("<mujoco><include file='part.xml'/><default><geom size='1'/></default><worldbody><frame pos='1 0 "
                   "0'><body><geom size='.1'/></body></frame></worldbody></mujoco>"),
          bytes_of("<mujoco><asset><model name='p' file='part.xml'/></asset><worldbody><replicate count='3' offset='1 0 "
                   "0'><attach model='p' body='part' prefix='p_'/></replicate></worldbody></mujoco>")};
}

}  // namespace convoy::fuzz
