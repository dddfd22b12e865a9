#include "render/renderer.h"

#include <algorithm>
#include <utility>

#include "render/context.h"
#include "render/lens.h"
#include "render/models.h"
#include "render/painter.h"

namespace convoy::render {

namespace {

constexpr GLsizei kSamples = 4;  // of nice pictures, a pixel

// The context is this thread's while it lives.
class Current {
 public:
  explicit Current(Context& context) : context_(context), ok(context.make_current()) {}
  ~Current() { context_.release(); }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  Context& context_;

 public:
  Status ok;
};

PaintOptions paint_options(const RendererOptions& options) {
  const bool nice = options.quality == Quality::kNice;
  const bool shadows =
      options.shadows == RendererOptions::Shadows::kByQuality ? nice : options.shadows == RendererOptions::Shadows::kOn;
  return {nice, shadows, options.lines};
}

class GlRenderer final : public Renderer {
 public:
  GlRenderer(std::unique_ptr<Context> context, const PaintOptions& options)
      : context_(std::move(context)),
        nice_(options.nice),
        models_(context_->gl()),
        painter_(context_->gl(), options),
        flat_(context_->gl()),
        smooth_(context_->gl()) {}

  // Its context is the calling thread's before, and nobody's after.
  Status start() {
    const Gl& gl = context_->gl();
    gl.get_integer(GL_MAX_RENDERBUFFER_SIZE, &most_);
    GLint samples = 0;
    gl.get_integer(GL_MAX_SAMPLES, &samples);
    samples_ = std::min<GLsizei>(samples, kSamples);
    Status made = painter_.make();
    context_->release();
    return made;
  }

  Result<std::vector<Picture>> render(const Scene& scene, std::span<const View> views) override {
    if (const std::string problem = problem_of(scene); !problem.empty()) return fail(ErrorCode::kInvalid, problem);
    for (const View& view : views)
      if (const std::string problem = problem_of(view); !problem.empty()) return fail(ErrorCode::kInvalid, problem);
    const Current current(*context_);
    if (!current.ok) return tl::unexpected(current.ok.error());
    models_.forget();
    const std::vector<Placed> placed = place(scene.items, models_);
    std::vector<Picture> out;
    for (const View& view : views) {
      auto picture = picture_of(view, scene, placed);
      if (!picture) return tl::unexpected(picture.error());
      out.push_back(std::move(*picture));
    }
    return out;
  }

  const std::string& driver() const override { return context_->driver(); }

 private:
  Result<Picture> picture_of(const View& view, const Scene& scene, std::span<const Placed> placed) {
    if (!(view.lens == Lens{})) {
      const auto wide = wider(view);
      if (!wide) return tl::unexpected(wide.error());
      auto picture = pinhole(*wide, scene, placed);
      if (picture) *picture = resampled(*picture, *wide, view);
      return picture;
    }
    return pinhole(view, scene, placed);
  }

  Result<Picture> pinhole(const View& view, const Scene& scene, std::span<const Placed> placed) {
    const auto width = static_cast<GLsizei>(view.width), height = static_cast<GLsizei>(view.height);
    if (width > most_ || height > most_)
      return fail(ErrorCode::kUnavailable,
                  "the graphics card draws no more than " + std::to_string(most_) + " pixels a side");
    const Painter::Job job{view, scene, placed, models_};
    const Channels& want = view.channels;
    const bool data = want.depth || want.ids;
    if (auto ok = painter_.light(job); !ok) return tl::unexpected(ok.error());
    if (nice_ && want.colour) {
      if (auto ok = smooth_.open({width, height, true, false, false, samples_}); !ok) return tl::unexpected(ok.error());
      smooth_.clear();
      if (auto ok = painter_.pass(job, true, false); !ok) return tl::unexpected(ok.error());
    }
    // Depth and ids are of the middle of a pixel, so smooth pictures have them from a pass of its own.
    if (auto ok = flat_.open({width, height, want.colour, want.depth, want.ids, 0}); !ok)
      return tl::unexpected(ok.error());
    if (data || !nice_) {
      flat_.clear();
      const bool colour = want.colour && !nice_;
      if (auto ok = painter_.pass(job, colour, data); !ok) return tl::unexpected(ok.error());
    }
    if (nice_ && want.colour) smooth_.resolve_into(flat_);
    return read(view);
  }

  Result<Picture> read(const View& view) const {
    const Target::Rect all{0, 0, static_cast<GLsizei>(view.width), static_cast<GLsizei>(view.height)};
    Picture out;
    out.width = view.width, out.height = view.height;
    if (view.channels.colour) out.rgb = flat_.rgb(all);
    if (view.channels.depth) out.depth = flat_.depths(all);
    if (view.channels.ids) flat_.ids(all, out.instance, out.category);
    if (const GLenum error = context_->gl().get_error(); error == GL_OUT_OF_MEMORY)
      return fail(ErrorCode::kUnavailable, "the graphics card is out of memory");
    else if (error != GL_NO_ERROR)
      return fail(ErrorCode::kInternal, "OpenGL reports the error " + std::to_string(error));
    return out;
  }

  std::unique_ptr<Context> context_;
  bool nice_;
  GLint most_ = 0;
  GLsizei samples_ = 0;
  Models models_;
  Painter painter_;
  Target flat_, smooth_;
};

}  // namespace

Result<std::unique_ptr<Renderer>> Renderer::make(const RendererOptions& options) {
  auto context = headless_context();
  if (!context) return tl::unexpected(context.error());
  if (auto ok = (*context)->make_current(); !ok) return tl::unexpected(ok.error());
  auto out = std::make_unique<GlRenderer>(std::move(*context), paint_options(options));
  if (auto ok = out->start(); !ok) return tl::unexpected(ok.error());
  return out;
}

Result<Picture> Renderer::render(const Scene& scene, const View& view) {
  auto all = render(scene, std::span(&view, 1));
  if (!all) return tl::unexpected(all.error());
  return std::move(all->front());
}

}  // namespace convoy::render
