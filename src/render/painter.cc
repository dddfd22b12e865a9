#include "render/painter.h"

#include <cstddef>

namespace convoy::render {

namespace {

constexpr GLsizei kShadowSide = 1536, kNiceShadowSide = 1536;  // pixels of a map

}  // namespace

Status Painter::make() {
  gl_.gen_buffers(1, &uniforms_), gl_.gen_buffers(1, &instances_);
  gl_.gen_vertex_arrays(1, &no_corners_);
  gl_.clip_control(GL_LOWER_LEFT, GL_ZERO_TO_ONE);
  gl_.enable(GL_DEPTH_TEST), gl_.enable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
  gl_.disable(GL_DITHER);
  gl_.front_face(GL_CW);  // pictures are upside down for OpenGL
  gl_.blend_func(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
  gl_.pixel_store(GL_PACK_ALIGNMENT, 1), gl_.pixel_store(GL_UNPACK_ALIGNMENT, 1);
  if (!options_.shadows) return {};
  return options_.nice ? shadow_maps_.make(kNiceShadowSide, kCascades) : shadow_maps_.make(kShadowSide, 1);
}

void Painter::set(const Frame& frame) const {
  gl_.bind_buffer(GL_UNIFORM_BUFFER, uniforms_);
  gl_.buffer_data(GL_UNIFORM_BUFFER, sizeof frame, &frame, GL_STREAM_DRAW);
  gl_.bind_buffer_base(GL_UNIFORM_BUFFER, kFrameBinding, uniforms_);
}

void Painter::feed(const Drawing& drawing) const {
  gl_.bind_buffer(GL_ARRAY_BUFFER, instances_);
  gl_.buffer_data(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(drawing.instances.size() * sizeof(Instance)),
                  drawing.instances.data(), GL_STREAM_DRAW);
}

Status Painter::light(const Job& job) {
  const Light light = light_of(job.scene.environment);
  frame_ = frame_of(job.view, job.scene, light, job.x, job.y);
  if (options_.shadows) {
    const Vec3& eye = job.view.X_WC.p;
    const auto squares =
        shadow_squares(job.view, light, options_.nice ? kCascades : 1, static_cast<unsigned>(shadow_maps_.side()));
    gl_.depth_func(GL_LESS), gl_.enable(GL_DEPTH_CLAMP), gl_.disable(GL_CULL_FACE);
    gl_.enable(GL_POLYGON_OFFSET_FILL), gl_.polygon_offset(1.5f, 4);
    for (std::size_t i = 0; i < squares.size(); ++i) {
      frame_.shadow[i] = shadow_matrix(squares[i], eye);
      frame_.texel[i] = static_cast<float>(squares[i].texel);
      Frame frame = frame_;
      frame.clip = clip_of(frame_.shadow[i]);
      set(frame);
      shadow_maps_.open_layer(static_cast<GLint>(i));
      const Drawing drawing = shadows_of(job.placed, squares[i], eye, job.models);
      feed(drawing);
      if (auto ok = draw(drawing.solid, {}); !ok) return ok;
    }
    gl_.disable(GL_DEPTH_CLAMP), gl_.disable(GL_POLYGON_OFFSET_FILL);
    shadow_maps_.bind();
  }
  set(frame_);
  return {};
}

Status Painter::pass(const Job& job, bool colour, bool data) {
  const Drawing drawing = drawing_of(job.placed, job.view, job.models);
  ProgramKey as;
  as.colour = colour, as.data = data;
  as.nice = colour && options_.nice, as.shadows = colour && options_.shadows;
  as.rain = as.nice && job.scene.environment.rain > 0, as.wet = as.nice && job.scene.environment.wetness > 0;
  gl_.viewport(job.x, job.y, static_cast<GLsizei>(job.view.width), static_cast<GLsizei>(job.view.height));
  gl_.depth_mask(GL_TRUE), gl_.depth_func(GL_GREATER);
  feed(drawing);
  if (auto ok = draw(drawing.solid, as); !ok) return ok;
  if (auto ok = draw(drawing.planes, as); !ok) return ok;
  if (colour)
    if (auto ok = draw_sky(as, data); !ok) return ok;
  return draw_clear(drawing, as);
}

void Painter::write_data(bool on) const {
  const GLboolean write = on ? GL_TRUE : GL_FALSE;
  for (const GLuint buffer : {1u, 2u}) gl_.color_mask_for(buffer, write, write, write, write);
}

Status Painter::draw_sky(const ProgramKey& as, bool data) {
  ProgramKey sky = as;
  sky.form = Form::kSky, sky.data = sky.wet = sky.shadows = false;
  if (auto ok = programs_.use(sky); !ok) return ok;
  gl_.depth_func(GL_GEQUAL), gl_.disable(GL_CULL_FACE);
  if (data) write_data(false);
  gl_.bind_vertex_array(no_corners_);
  gl_.draw_arrays(GL_TRIANGLES, 0, 3);
  if (data) write_data(true);
  gl_.depth_func(GL_GREATER);
  return {};
}

// From the back to the front. What is fainter than a half hides nothing, and has neither depth nor ids.
Status Painter::draw_clear(const Drawing& drawing, const ProgramKey& as) {
  if (drawing.clear.empty()) return {};
  if (as.colour) gl_.enable_for(GL_BLEND, 0);
  for (const Batch& batch : drawing.clear) {
    if (batch.faint && !as.colour) continue;
    gl_.depth_mask(batch.faint ? GL_FALSE : GL_TRUE);
    if (as.data && as.colour) write_data(!batch.faint);
    if (auto ok = draw(std::span(&batch, 1), as); !ok) return ok;
  }
  if (as.data && as.colour) write_data(true);
  gl_.depth_mask(GL_TRUE), gl_.disable_for(GL_BLEND, 0);
  return {};
}

Status Painter::draw(std::span<const Batch> batches, const ProgramKey& as) {
  const bool shadow = !as.colour && !as.data;
  for (const Batch& batch : batches) {
    ProgramKey key = as;
    key.form = batch.form;
    if (as.colour) key.texturing = batch.texturing, key.lines = batch.lines && options_.lines;
    if (shadow && batch.form != Form::kCapsule) key.form = batch.form == Form::kPlane ? Form::kPlane : Form::kFlat;
    if (auto ok = programs_.use(key); !ok) return ok;
    if (key.texturing != Texturing::kNone) {
      gl_.active_texture(GL_TEXTURE0 + kTextureUnit);
      gl_.bind_texture(key.texturing == Texturing::kCube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D, batch.texture);
    }
    if (batch.outside) gl_.enable(GL_CULL_FACE);
    else gl_.disable(GL_CULL_FACE);
    gl_.bind_vertex_array(batch.solid->array);
    gl_.bind_buffer(GL_ARRAY_BUFFER, instances_);
    const auto attribute = [&](GLuint at, GLint numbers, GLenum type, std::size_t offset) {
      const auto* from = reinterpret_cast<const void*>(batch.first * sizeof(Instance) + offset);
      gl_.enable_attribute(at), gl_.attribute_divisor(at, 1);
      if (type == GL_UNSIGNED_INT) gl_.integer_attribute(at, numbers, type, sizeof(Instance), from);
      else gl_.attribute(at, numbers, type, GL_FALSE, sizeof(Instance), from);
    };
    for (GLuint i = 0; i < 3; ++i) attribute(4 + i, 4, GL_FLOAT, offsetof(Instance, rows) + 16 * i);
    attribute(7, 4, GL_FLOAT, offsetof(Instance, scale)), attribute(8, 4, GL_FLOAT, offsetof(Instance, color));
    attribute(9, 2, GL_UNSIGNED_INT, offsetof(Instance, ids));
    attribute(10, 4, GL_FLOAT, offsetof(Instance, look)), attribute(11, 4, GL_FLOAT, offsetof(Instance, place));
    const auto count = static_cast<GLsizei>(batch.count);
    if (batch.solid->indices != 0)
      gl_.draw_indexed_instances(GL_TRIANGLES, batch.solid->count, GL_UNSIGNED_INT, nullptr, count);
    else gl_.draw_instances(GL_TRIANGLES, 0, batch.solid->count, count);
  }
  return {};
}

}  // namespace convoy::render
