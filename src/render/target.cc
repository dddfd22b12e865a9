#include "render/target.h"

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>

#include "render/light.h"
#include "render/shaders.h"

namespace convoy::render {

namespace {

Status complete(const Gl& gl) {
  const bool good = gl.framebuffer_status(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  const GLenum error = gl.get_error();
  if (error == GL_OUT_OF_MEMORY)
    return fail(ErrorCode::kUnavailable, "the graphics card has no memory for the picture");
  if (!good || error != GL_NO_ERROR)
    return fail(ErrorCode::kUnavailable, "the graphics card can't draw a picture of this size");
  return {};
}

// The programs write roots of linear light: 8 bits of them are enough, and any driver makes the same sRGB of them.
std::array<std::uint32_t, 256> table_of_roots() {
  std::array<std::uint32_t, 256> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = srgb_byte(static_cast<double>(i * i) / (255 * 255));
  return out;
}

// Four bytes a pixel to three. A pixel is written as four, of which the next one overwrites the last: half the stores.
void to_srgb(const std::uint8_t* from, std::size_t pixels, std::uint8_t* to) {
  static_assert(std::endian::native == std::endian::little);
  static const std::array<std::uint32_t, 256> srgb = table_of_roots();  // never changes
  for (std::size_t i = 0; i + 1 < pixels; ++i, from += 4, to += 3) {
    const std::uint32_t pixel = srgb[from[0]] | srgb[from[1]] << 8 | srgb[from[2]] << 16;
    std::memcpy(to, &pixel, 4);
  }
  for (std::size_t k = 0; k < 3; ++k) to[k] = static_cast<std::uint8_t>(srgb[from[k]]);
}

}  // namespace

Status Target::open(const Form& form) {
  if (!(form == form_) || frame_ == 0) {
    close();
    gl_.gen_framebuffers(1, &frame_);
    gl_.bind_framebuffer(GL_FRAMEBUFFER, frame_);
    form_ = form;
    if (form.colour) attach(GL_COLOR_ATTACHMENT0, GL_RGBA8);
    if (form.depth) attach(GL_COLOR_ATTACHMENT1, GL_R32F);
    if (form.ids) attach(GL_COLOR_ATTACHMENT2, GL_RG32UI);
    attach(GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT32F);
    draw_into(form.depth, form.ids);
    if (auto ok = complete(gl_); !ok) {
      close();
      return ok;
    }
  }
  gl_.bind_framebuffer(GL_FRAMEBUFFER, frame_);
  return {};
}

void Target::draw_into(bool depth, bool ids) const {
  const std::array<GLenum, 3> buffers{form_.colour ? GLenum{GL_COLOR_ATTACHMENT0} : GL_NONE,
                                      depth ? GLenum{GL_COLOR_ATTACHMENT1} : GL_NONE,
                                      ids ? GLenum{GL_COLOR_ATTACHMENT2} : GL_NONE};
  gl_.draw_buffers(3, buffers.data());
}

void Target::attach(GLenum at, GLenum format) {
  GLuint buffer = 0;
  gl_.gen_renderbuffers(1, &buffer);
  gl_.bind_renderbuffer(GL_RENDERBUFFER, buffer);
  gl_.renderbuffer_storage(GL_RENDERBUFFER, form_.samples, format, form_.width, form_.height);
  gl_.framebuffer_renderbuffer(GL_FRAMEBUFFER, at, GL_RENDERBUFFER, buffer);
  buffers_.push_back(buffer);
}

void Target::close() {
  gl_.delete_framebuffers(1, &frame_);
  gl_.delete_renderbuffers(static_cast<GLsizei>(buffers_.size()), buffers_.data());
  buffers_.clear(), frame_ = 0, form_ = {};
}

void Target::clear() const {
  constexpr std::array<float, 4> kBlack{0, 0, 0, 1}, kFar{std::numeric_limits<float>::infinity()}, kFarthest{};
  constexpr std::array<GLuint, 4> kNobody{};
  if (form_.colour) gl_.clear_floats(GL_COLOR, 0, kBlack.data());
  if (form_.depth) gl_.clear_floats(GL_COLOR, 1, kFar.data());
  if (form_.ids) gl_.clear_uints(GL_COLOR, 2, kNobody.data());
  gl_.clear_floats(GL_DEPTH, 0, kFarthest.data());
}

void Target::resolve_into(const Target& other) const {
  gl_.bind_framebuffer(GL_READ_FRAMEBUFFER, frame_), gl_.bind_framebuffer(GL_DRAW_FRAMEBUFFER, other.frame_);
  gl_.read_buffer(GL_COLOR_ATTACHMENT0);
  other.draw_into(false, false);  // colours are copied into whatever is drawn into
  gl_.blit_framebuffer(0, 0, form_.width, form_.height, 0, 0, form_.width, form_.height, GL_COLOR_BUFFER_BIT,
                       GL_NEAREST);
  other.draw_into(other.form_.depth, other.form_.ids);
}

std::vector<std::uint8_t> Target::rgb(const Rect& rect) const {
  const std::size_t pixels = static_cast<std::size_t>(rect.width) * static_cast<std::size_t>(rect.height);
  // Four bytes a pixel come as they are; drivers take longer to drop the fourth.
  const auto all = std::make_unique_for_overwrite<std::uint8_t[]>(4 * pixels);
  std::vector<std::uint8_t> out(3 * pixels);
  gl_.bind_framebuffer(GL_FRAMEBUFFER, frame_);
  gl_.read_buffer(GL_COLOR_ATTACHMENT0);
  gl_.read_pixels(rect.x, rect.y, rect.width, rect.height, GL_RGBA, GL_UNSIGNED_BYTE, all.get());
  to_srgb(all.get(), pixels, out.data());
  return out;
}

std::vector<float> Target::depths(const Rect& rect) const {
  std::vector<float> out(static_cast<std::size_t>(rect.width) * static_cast<std::size_t>(rect.height));
  gl_.bind_framebuffer(GL_FRAMEBUFFER, frame_);
  gl_.read_buffer(GL_COLOR_ATTACHMENT1);
  gl_.read_pixels(rect.x, rect.y, rect.width, rect.height, GL_RED, GL_FLOAT, out.data());
  return out;
}

void Target::ids(const Rect& rect, std::vector<std::uint32_t>& instance, std::vector<std::uint32_t>& category) const {
  const std::size_t pixels = static_cast<std::size_t>(rect.width) * static_cast<std::size_t>(rect.height);
  const auto both = std::make_unique_for_overwrite<std::uint32_t[]>(2 * pixels);
  gl_.bind_framebuffer(GL_FRAMEBUFFER, frame_);
  gl_.read_buffer(GL_COLOR_ATTACHMENT2);
  gl_.read_pixels(rect.x, rect.y, rect.width, rect.height, GL_RG_INTEGER, GL_UNSIGNED_INT, both.get());
  instance.resize(pixels), category.resize(pixels);
  for (std::size_t i = 0; i < pixels; ++i) instance[i] = both[2 * i], category[i] = both[2 * i + 1];
}

Status ShadowMaps::make(GLsizei side, GLsizei layers) {
  side_ = side;
  gl_.gen_textures(1, &texture_), gl_.gen_framebuffers(1, &frame_);
  gl_.active_texture(GL_TEXTURE0 + kShadowUnit);
  gl_.bind_texture(GL_TEXTURE_2D_ARRAY, texture_);
  gl_.tex_image_3d(GL_TEXTURE_2D_ARRAY, 0, GL_DEPTH_COMPONENT32F, side, side, layers, 0, GL_DEPTH_COMPONENT, GL_FLOAT,
                   nullptr);
  for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
    gl_.tex_parameter(GL_TEXTURE_2D_ARRAY, filter, GL_LINEAR);
  for (const GLenum wrap : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
    gl_.tex_parameter(GL_TEXTURE_2D_ARRAY, wrap, GL_CLAMP_TO_EDGE);
  gl_.tex_parameter(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
  gl_.tex_parameter(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
  open_layer(0);
  return complete(gl_);
}

void ShadowMaps::open_layer(GLint layer) const {
  constexpr std::array<float, 1> kFarthest{1};
  constexpr std::array<GLenum, 1> kNoColour{GL_NONE};
  gl_.bind_framebuffer(GL_FRAMEBUFFER, frame_);
  gl_.framebuffer_layer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, texture_, 0, layer);
  gl_.draw_buffers(1, kNoColour.data());
  gl_.viewport(0, 0, side_, side_);
  gl_.depth_mask(GL_TRUE);
  gl_.clear_floats(GL_DEPTH, 0, kFarthest.data());
}

void ShadowMaps::bind() const {
  gl_.active_texture(GL_TEXTURE0 + kShadowUnit);
  gl_.bind_texture(GL_TEXTURE_2D_ARRAY, texture_);
}

}  // namespace convoy::render
