#include "plugins/welcome_library.h"

#include "os/loaded_files.h"
#include "plugins/code_files.h"
#include "plugins/given_parameters.h"
#include "plugins/guarded.h"
#include "plugins/typed_library.h"
#include "world/setup.h"

namespace convoy {
namespace {

constexpr LibraryKind kWelcomes{"convoy_welcome",  CONVOY_WELCOME_ABI, "convoy_welcome_types",
                                "CONVOY_WELCOMES", "convoy/welcome.h", "welcomes"};
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

// What the function sees of the run. Names are the setup's own copies.
class SceneOf final : public welcome::Scene {
 public:
  SceneOf(const World& world, const Setup& setup)
      : world_(world), name_(setup.name), seed_(setup.seed), tick_(setup.tick), entities_(setup.entities) {
    for (const auto& model : setup.models) {
      names_.push_back(std::make_unique<std::string>(model.name));
      models_.push_back({*names_.back(), bounding_radius(model), model.height, model.mass});
    }
    for (const EntitySpec& e : entities_) places_.push_back({e.name, e.model, e.host, e.pose});
  }
  std::string_view name() const override { return name_; }
  std::uint64_t seed() const override { return seed_; }
  std::int64_t tick_ns() const override { return nanos(tick_); }
  std::span<const welcome::Model> models() const override { return models_; }
  std::span<const welcome::Place> places() const override { return places_; }
  welcome::Weather weather() const override {
    const Environment& e = world_.environment();
    return {e.fog, e.rain, e.wetness, e.cloudiness, e.road_damage, e.time_of_day, e.wind.value_or(Vec3{})};
  }
  double min_x() const override { return data().origin.x; }
  double min_y() const override { return data().origin.y; }
  double width() const override { return data().width * data().resolution; }
  double depth() const override { return data().height * data().resolution; }
  bool solid(double x, double y) const override {
    const Vec2 at = world_.map().to_map(x, y);
    return world_.map().solid_at(at.x, at.y);
  }

 private:
  const MapData& data() const { return world_.map().data(); }

  const World& world_;
  std::string name_;
  std::uint64_t seed_;
  Duration tick_;
  std::vector<EntitySpec> entities_;
  std::vector<std::unique_ptr<std::string>> names_;
  std::vector<welcome::Model> models_;
  std::vector<welcome::Place> places_;
};

class TalkWith final : public welcome::Talk {
 public:
  TalkWith(const std::string& program, const std::function<void(ByteView)>& send) : program_(program), send_(send) {}
  std::string_view program() const override { return program_; }
  void send(std::span<const std::uint8_t> bytes) override {
    if (bytes.size() <= kMostBytes) return send_(bytes);
    trouble = "it sent " + std::to_string(bytes.size()) + " bytes at once; at most 1 MiB leave";
  }
  std::string trouble;

 private:
  const std::string& program_;
  const std::function<void(ByteView)>& send_;
};

}  // namespace

struct WelcomeLibrary::Inside {
  Inside(const World& world, const Setup& setup) : scene(world, setup) {}
  SceneOf scene;
  std::string library;
  OpenedLibrary opened;
  welcome::Type type{};
  welcome::Welcomer* welcomer = nullptr;
};

WelcomeLibrary::WelcomeLibrary(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}

WelcomeLibrary::~WelcomeLibrary() {
  if (inside_->welcomer) guarded([&] { inside_->type.maker.drop(inside_->welcomer); });
}

Result<std::unique_ptr<WelcomeLibrary>> WelcomeLibrary::make(const WelcomeSpec& spec, LibraryFolders folders,
                                                             const World& world, const Setup& setup) {
  LibraryRule rule(std::move(folders));
  const auto file = rule.admit(spec.library, CodeSource::kScenario);
  if (!file) return tl::unexpected(file.error());
  auto inside = std::make_unique<Inside>(world, setup);
  inside->library = spec.library;
  const auto opened = open_library(*file, kWelcomes);
  if (!opened) return tl::unexpected(opened.error());
  inside->opened = *opened;
  const welcome::Types types = reinterpret_cast<welcome::Types (*)()>(opened->types)();
  if (!types.types || types.count > kMostTypes) return fail(ErrorCode::kInvalid, "its list of types is none", *file);
  std::vector<std::string> names;
  for (const welcome::Type& one : std::span(types.types, types.count)) {
    names.emplace_back(one.name ? one.name : "");
    if (names.back() == spec.type) inside->type = one;
  }
  if (!inside->type.name) return tl::unexpected(no_such_type(kWelcomes, spec.library, spec.type, names));
  if (!inside->type.maker.make || !inside->type.maker.drop)
    return fail(ErrorCode::kInvalid, "its type '" + spec.type + "' lacks a function", *file);
  UsersParameters given;
  if (!spec.parameters.empty() && !load(spec.parameters, given))
    return fail(ErrorCode::kInvalid, "its parameters are malformed", *file);
  GivenParameters parameters(given);
  std::string wrong = guarded([&] { inside->welcomer = inside->type.maker.make(parameters, inside->scene); });
  std::unique_ptr<WelcomeLibrary> made(new WelcomeLibrary(std::move(inside)));
  if (wrong.empty() && !made->inside_->welcomer) wrong = "its library made none";
  if (wrong.empty()) wrong = parameters.wrong();
  if (!wrong.empty()) return fail(ErrorCode::kInvalid, wrong, *file);
  return made;
}

std::string WelcomeLibrary::received(const std::string& program, ByteView bytes,
                                     const std::function<void(ByteView)>& send) {
  TalkWith talk(program, send);
  const std::string thrown = guarded([&] { inside_->welcomer->received(talk, bytes); });
  return thrown.empty() ? talk.trouble : thrown;
}

std::vector<CodeFile> WelcomeLibrary::code() const {
  return code_files(inside_->library, os::files_of_library(inside_->opened.handle));
}

}  // namespace convoy
