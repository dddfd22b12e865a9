// Robots from files, for the commands that read them, and models that came by the wire.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "os/handler_pool.h"
#include "os/worker.h"
#include "scenario/scenario.h"
#include "world/engine_options.h"
#include "world/ground.h"
#include "world/inertia_rule.h"
#include "world/model_files.h"
#include "world/upright_shapes.h"

namespace convoy::apps {

// The model in a file, MJCF or URDF: `file` as written in a document of `folder`, or found in model_path(). `name` of
// the model may be empty; the wheels as well.
struct ModelRequest {
  std::string file, folder, name;
  std::vector<std::string> left_wheels, right_wheels;
  Ground ground = Ground::kAuto;
  InertiaRule inertia = InertiaRule::kRepair;
  EngineOptions options{};  // in place of its own
  std::string expanded;     // what is read in place of a .xacro; ModelImporter fills it in
  std::string text{};       // what is read in place of the file, which need not be there; its name says what it is
};
template <class V, MaybeConst<ModelRequest> T>
void fields(V& v, T& r) {
  v("file", r.file), v("folder", r.folder), v("name", r.name);
  v("left_wheels", r.left_wheels), v("right_wheels", r.right_wheels), v("ground", r.ground), v("inertia", r.inertia);
  v("options", r.options), v("expanded", r.expanded), v("text", r.text);
}

// Reads files and compiles them in a process of its own, which has limits of memory and time: what a stranger's mesh does
// to its reader is an Error here.
class ModelImporter {
 public:
  // `trust`: robots' files may be xacro, which runs in a process of the caller's without such limits.
  explicit ModelImporter(bool trust = false);

  Result<ImportedModel> robot(ModelRequest request);
  // The world in an MJCF file, found likewise, and the shapes in it.
  Result<scenario::WorldFile> world(const ModelRequest& request, const UprightShapes& shapes);
  // Loose objects put together; their files are found likewise, from the group's folder.
  Result<ImportedModel> objects(const LooseGroup& group);
  // See ModelJudge; for a world with ticks of that length.
  Result<ImportedModel> judge(const Model& model, const ModelFiles& files, Duration tick);
  // Gives up what another thread asks.
  void cancel() { worker_.cancel(); }

 private:
  os::Worker worker_;
  bool trust_;
};

// Judges models for a server in a thread of its own; `ring` is called there when one is done. An end waits for none.
class JudgeThread {
 public:
  explicit JudgeThread(std::function<void()> ring) : pool_(1, std::move(ring)) {}
  ~JudgeThread() { importer_.cancel(); }
  ModelJudge judge(Duration tick) {
    return [this, tick](const Model& model, const ModelFiles& files) { return importer_.judge(model, files, tick); };
  }
  Handlers& handlers() { return pool_; }

 private:
  ModelImporter importer_;
  os::HandlerPool pool_;  // ends first
};

// Can this build read them?
bool reads_models();

// The process that does it, started as `convoy model-worker`; returns the exit code.
inline constexpr const char* kModelWorker = "model-worker";
int serve_models();

// Folders of robots: CONVOY_MODEL_PATH, and those that come with the build or the installation.
std::vector<std::string> model_path();

}  // namespace convoy::apps
