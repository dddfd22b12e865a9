#include "apps/models.h"

#include <fmt/format.h>

#include <filesystem>
#include <variant>

#include "apps/prepare.h"
#include "apps/xacro.h"
#include "engines/engines.h"
#include "os/file.h"
#include "os/machine.h"
#include "physics/mujoco/import.h"
#include "physics/mujoco/import_group.h"
#include "physics/mujoco/import_world.h"

namespace convoy::scenario {

template <class V, MaybeConst<WorldFile> T>
void fields(V& v, T& w) {
  v("fixed", w.fixed), v("objects", w.objects), v("boxes", w.boxes);
}

}  // namespace convoy::scenario

namespace convoy::apps {

std::vector<std::string> model_path() {
  std::vector<std::string> path = folders_of("CONVOY_MODEL_PATH");
  for (std::string& folder : beside_program({"models", "../share/convoy/models"})) path.push_back(std::move(folder));
  return path;
}

namespace {

constexpr os::WorkerLimits kLimits{};  // far beyond what robots need: an hour's work of a person's is no attack

// What is asked of the worker.
struct WorldRequest {
  ModelRequest file;
  UprightShapes shapes;
};
template <class V, MaybeConst<WorldRequest> T>
void fields(V& v, T& r) {
  v("file", r.file), v("shapes", r.shapes);
}
struct JudgeRequest {
  Model model;
  std::vector<Bytes> files;
  Duration tick{};
};
template <class V, MaybeConst<JudgeRequest> T>
void fields(V& v, T& r) {
  v("model", r.model), v("files", r.files), v("tick", r.tick);
}
struct AnyRequest {
  std::variant<ModelRequest, WorldRequest, LooseGroup, JudgeRequest> of;
};
template <class V, MaybeConst<AnyRequest> T>
void fields(V& v, T& r) {
  v("of", r.of);
}

// What it answers: an error, or the bytes of what it made.
struct Answered {
  bool ok = false;
  ErrorCode code{};
  std::string text, where;
  Bytes made;
};
template <class V, MaybeConst<Answered> T>
void fields(V& v, T& a) {
  v("ok", a.ok), v("code", a.code), v("text", a.text), v("where", a.where), v("made", a.made);
}

template <class T>
Bytes pack(const Result<T>& made) {
  if (made) return save(Answered{true, {}, {}, {}, save(*made)});
  return save(Answered{false, made.error().code, made.error().text, made.error().where, {}});
}

template <class T>
Result<T> ask(os::Worker& worker, const AnyRequest& request, const std::string& what) {
  const auto bytes = worker.ask(save(request));
  if (!bytes) return fail(bytes.error().code, bytes.error().text, what);
  Answered answered;
  T made;
  if (!load(*bytes, answered) || (answered.ok && !load(answered.made, made)))
    return fail(ErrorCode::kInternal, "the process that read it said nothing that makes sense", what);
  if (!answered.ok) return tl::unexpected(Error{answered.code, answered.text, answered.where});
  return made;
}

// ---- in the worker

Result<Bytes> read_bytes(const std::string& path) { return os::read_file(path, kMaxModelFile); }

Result<std::string> find_file(const ModelRequest& request) {
  std::vector<std::string> folders{request.folder}, tried;
  for (std::string& folder : model_path()) folders.push_back(std::move(folder));
  for (const std::string& folder : folders) {
    tried.push_back((std::filesystem::path(folder) / request.file).string());  // an absolute one rules
    if (os::exists(tried.back())) return tried.back();
  }
  return fail(ErrorCode::kNotFound, fmt::format("no file '{}'; looked for {}", request.file, fmt::join(tried, ", ")));
}

// Of a file that another program has expanded: under its name without the suffix.
mujoco::FileReader reading(const std::string& path, const std::string& expanded) {
  return [path, expanded](const std::string& asked) {
    return asked == path ? Result<Bytes>(Bytes(expanded.begin(), expanded.end())) : read_bytes(asked);
  };
}

mujoco::ImportOptions options_of(const ModelRequest& request) {
  std::vector<std::string> roots = folders_of("AMENT_PREFIX_PATH");
  for (std::string& folder : model_path()) roots.push_back(std::move(folder));
  for (const char* gazebo : {"GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH"})
    for (std::string& folder : folders_of(gazebo)) roots.push_back(std::move(folder));
  return {read_bytes,           std::move(roots), request.name,    request.left_wheels,
          request.right_wheels, request.ground,   request.inertia, request.options};
}

Result<ImportedModel> make(const ModelRequest& request) {
  mujoco::ImportOptions options = options_of(request);
  if (!request.text.empty()) {
    const std::string path = request.folder + request.file;
    options.read = reading(path, request.text);
    return mujoco::import_model(path, options);
  }
  auto path = find_file(request);
  if (!path) return tl::unexpected(path.error());
  if (!request.expanded.empty()) {
    path->resize(path->size() - std::string_view(".xacro").size());
    options.read = reading(*path, request.expanded);
  }
  return mujoco::import_model(*path, options);
}

Result<scenario::WorldFile> make(const WorldRequest& request) {
  const auto path = find_file(request.file);
  if (!path) return tl::unexpected(path.error());
  auto made = mujoco::import_world(*path, options_of(request.file), request.shapes);
  if (!made) return tl::unexpected(made.error());
  return scenario::WorldFile{std::move(made->fixed), std::move(made->objects), std::move(made->boxes)};
}

Result<ImportedModel> make(LooseGroup& group) {
  for (LooseBody& body : group.bodies) {
    if (body.shape != LooseBody::Shape::kFile) continue;
    auto path = find_file({body.file, group.folder, {}, {}, {}});
    if (!path) return tl::unexpected(path.error());
    body.file = std::move(*path);
  }
  return mujoco::import_group(group, options_of({group.name, group.folder, {}, {}, {}}));
}

Result<ImportedModel> make(JudgeRequest& request) {
  ModelFiles files;
  for (Bytes& bytes : request.files) add(files, std::move(bytes));
  auto made = mujoco::import_again(request.model, files);
  if (!made) return made;
  ModelFiles all;
  for (const Bytes& bytes : made->files) add(all, bytes);
  if (auto ok = engines::physics_factory()->check(made->model, all, request.tick); !ok)
    return tl::unexpected(ok.error());
  return made;
}

ImportReport& report_of(ImportedModel& made) { return made.report; }
ImportReport& report_of(scenario::WorldFile& made) { return made.fixed.report; }

// With what it took.
template <class Make>
auto measured(const Make& make) {
  const double before = os::spent().processor;
  auto made = make();
  if (made) {
    const os::Spent spent = os::spent();
    report_of(*made).processor = spent.processor - before, report_of(*made).memory = spent.peak_bytes;
  }
  return made;
}

}  // namespace

int serve_models() {
  const Status started = engines::start();
  return os::serve(kLimits, [&](ByteView bytes) {
    AnyRequest request;
    if (!load(bytes, request)) return Bytes{};
    if (!started) return pack<ImportedModel>(tl::unexpected(started.error()));
    return std::visit([](auto& one) { return pack(measured([&] { return make(one); })); }, request.of);
  });
}

// ---- outside

bool reads_models() { return true; }

ModelImporter::ModelImporter(bool trust)
    : worker_({os::executable_path().value_or("convoy"), kModelWorker}, kLimits), trust_(trust) {}

Result<ImportedModel> ModelImporter::robot(ModelRequest request) {
  if (trust_ && is_xacro(request.file)) {
    const auto path = find_file(request);
    if (!path) return tl::unexpected(path.error());
    auto expanded = expand_xacro(*path);
    if (!expanded) return tl::unexpected(expanded.error());
    request.expanded = std::move(*expanded);
  }
  return ask<ImportedModel>(worker_, {request}, request.file);
}

Result<scenario::WorldFile> ModelImporter::world(const ModelRequest& request, const UprightShapes& shapes) {
  return ask<scenario::WorldFile>(worker_, {WorldRequest{request, shapes}}, request.file);
}

Result<ImportedModel> ModelImporter::objects(const LooseGroup& group) {
  return ask<ImportedModel>(worker_, {group}, "objects");
}

Result<ImportedModel> ModelImporter::judge(const Model& model, const ModelFiles& files, Duration tick) {
  JudgeRequest request{model, {}, tick};
  for (const auto& [hash, bytes] : files) request.files.push_back(*bytes);
  return ask<ImportedModel>(worker_, {std::move(request)}, {});
}

}  // namespace convoy::apps
