// What the world's models look like, as files and a list that pages load once.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/ports.h"
#include "shapes/shape_book.h"
#include "world/setup.h"
#include "world/world.h"

namespace convoy::web {

// By path, as "/models/0123456789abcdef.glb": named by what is in them.
using SceneFiles = std::map<std::string, SharedBytes>;

class SceneBook {
 public:
  explicit SceneBook(Log& log) : log_(log) {}

  // Of a run: what never moves in it. Its text and files are made anew.
  void begin(const Setup& setup, const World& world);
  // Takes in models that have come. True: there were some, or begin() was called.
  bool follow(const World& world);

  const nlohmann::json& scene() const { return scene_; }  // docs/web.md, `scene`
  const SceneFiles& files() const { return files_; }

 private:
  nlohmann::json keep(const char* folder, const Shapes& shapes, const std::string& name);
  nlohmann::json model_json(const World& world, std::size_t index);

  Log& log_;
  ShapeBook book_;
  nlohmann::json scene_;
  SceneFiles files_;
  bool fresh_ = false;
};

}  // namespace convoy::web
