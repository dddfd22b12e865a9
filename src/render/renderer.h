// Draws pictures of scenes as cameras see them: colour, depth and who is where, without a window.
//
//   auto renderer = Renderer::make({.quality = Quality::kNice});      // an error says what this machine lacks
//   auto picture = (*renderer)->render({.items = items}, view);
//   picture->rgb, picture->depth[v * picture->width + u]
//
// A picture is a function of the scene, the view and the options, and of nothing that was drawn before: the same bytes,
// whatever came between. Depth is exact but for edges: a pixel has the depth of the ray through its middle. Other drivers
// and graphics cards give other bytes; fingerprint() tells who gives the same.
//
// One thread at a time may use a renderer; it need not be the same one. Several renderers are independent.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "render/scene.h"

namespace convoy::render {

enum class Quality : std::uint8_t {
  kPlain,  // as fast as it gets: light from the sun and the sky
  kNice,   // smooth edges, glints, clouds, rain, wet ground that mirrors the sky
};

struct RendererOptions {
  Quality quality = Quality::kPlain;
  // Of the sun or moon; none: nice pictures have soft ones, plain ones have none.
  enum class Shadows : std::uint8_t { kByQuality, kOff, kOn } shadows = Shadows::kByQuality;
  bool lines = true;  // on ground without end and without a picture: a metre and ten metres apart
};

class Renderer {
 public:
  virtual ~Renderer() = default;

  // kUnsupported: this machine has no EGL or no OpenGL 3.3; the text names the packages.
  static Result<std::unique_ptr<Renderer>> make(const RendererOptions& options = {});

  // kInvalid: a view or a scene with numbers that make no sense. kUnavailable: too large for the graphics card.
  virtual Result<std::vector<Picture>> render(const Scene& scene, std::span<const View> views) = 0;
  Result<Picture> render(const Scene& scene, const View& view);

  // What draws, for logs: "llvmpipe (LLVM 15.0.6, 256 bits), 4.5 (Core Profile) Mesa 22.3.6".
  virtual const std::string& driver() const = 0;
};

// Of a small fixed picture in both qualities that has every kind of shape, texture, light and weather in it. Hosts whose
// fingerprints are equal draw the same pictures.
Result<std::uint64_t> fingerprint();

}  // namespace convoy::render
