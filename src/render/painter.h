// Draws one view of a scene: shadow maps, what is solid, planes, the sky, and what can be seen through.
#pragma once

#include <array>
#include <span>

#include "render/batches.h"
#include "render/frame.h"
#include "render/programs.h"
#include "render/target.h"

namespace convoy::render {

struct PaintOptions {
  bool nice = false, shadows = false, lines = true;
};

class Painter {
 public:
  Painter(const Gl& gl, const PaintOptions& options) : gl_(gl), options_(options), programs_(gl), shadow_maps_(gl) {}
  Status make();

  struct Job {
    const View& view;
    const Scene& scene;
    std::span<const Placed> placed;
    const Models& models;
    int x = 0, y = 0;  // where in the target
  };
  // Readies the light of a view: its uniforms and shadow maps. Before its passes.
  Status light(const Job& job);
  // Into the target that is open. `ids`: does it have more than colour?
  Status pass(const Job& job, bool colour, bool data);

 private:
  // Of the instances that were fed.
  Status draw(std::span<const Batch> batches, const ProgramKey& as);
  Status draw_sky(const ProgramKey& as, bool data);
  Status draw_clear(const Drawing& drawing, const ProgramKey& as);
  void feed(const Drawing& drawing) const;
  void set(const Frame& frame) const;
  void write_data(bool on) const;

  const Gl& gl_;
  PaintOptions options_;
  Programs programs_;
  ShadowMaps shadow_maps_;
  GLuint uniforms_ = 0, instances_ = 0, no_corners_ = 0;
  Frame frame_;
};

}  // namespace convoy::render
