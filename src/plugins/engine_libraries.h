// The physics of users' engines beside that of Convoy's own: what makes robots of any model.
//
//   EngineLibraries physics(engines::physics_factory(), library_folders(arguments));
//   AgentParts parts{physics, software, rays};
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "convoy/robot.h"
#include "physics/factory.h"
#include "plugins/library_rule.h"

namespace convoy {

// A type that a library or the program itself has. Lives as long as the library stays loaded: for good.
struct EngineType {
  robot::Type exported{};
  robot::Facts facts;
  std::string name;
};

// make() and check() belong to one thread; the robots that come of it may each be stepped by another.
class EngineLibraries final : public PhysicsFactory {
 public:
  EngineLibraries(std::unique_ptr<PhysicsFactory> own, LibraryFolders folders)
      : own_(std::move(own)), rule_(std::move(folders)) {}
  // Types of the program itself, for models that name no library. Before the first robot.
  Status add(const robot::Types& types);

  std::unique_ptr<Physics> make(const Model& model, const World& world, Duration tick) const override;
  Preparation prepare(const Model& model, const World& world) const override;
  Status check(const Model& model, const ModelFiles& files, Duration tick) const override;
  Status check_map(const StaticMap& map) const override { return own_->check_map(map); }
  Status check(const ControllerSpec& controller, const Model& model, const ModelFiles& files,
               Duration tick) const override;
  Duration step_of(const Model& model, const ModelFiles& files, Duration tick) const override;
  bool saves(const Model& model) const override;
  void add_bodies(const Neighbour& neighbour, const ModelFiles* files, std::vector<MetBody>& out) const override {
    own_->add_bodies(neighbour, files, out);
  }
  std::vector<CodeFile> code_of(std::span<const Model> models, std::optional<Error>& missing) const override;

 private:
  using Types = std::vector<std::unique_ptr<const EngineType>>;
  struct Loaded {
    void* handle = nullptr;
    Types types;
  };
  Result<const Loaded*> load(const std::string& library) const;
  Result<const EngineType*> find(const ModelEngine& engine) const;

  std::unique_ptr<PhysicsFactory> own_;
  mutable LibraryRule rule_;
  Types own_types_;
  mutable std::map<std::string, Loaded> loaded_;  // by file
};

}  // namespace convoy
