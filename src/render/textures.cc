#include "render/textures.h"

#include <algorithm>

namespace convoy::render {

namespace {

struct Table {
  std::array<float, 256> linear{};
  std::array<std::uint8_t, 4096> srgb{};  // of linear light in 4095ths
  Table() {
    for (std::size_t i = 0; i < linear.size(); ++i)
      linear[i] = static_cast<float>(render::linear(static_cast<double>(i) / 255));
    for (std::size_t i = 0; i < srgb.size(); ++i) srgb[i] = srgb_byte(static_cast<double>(i) / 4095);
  }
};
const Table& table() {
  static const Table out;  // never changes
  return out;
}

struct Level {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> rgba;
  const std::uint8_t* at(std::uint32_t x, std::uint32_t y) const {
    return rgba.data() + 4 * (std::size_t{std::min(y, height - 1)} * width + std::min(x, width - 1));
  }
};

Level face_of(const Texture& t, std::uint32_t first_row, std::uint32_t rows) {
  Level out{t.width, rows, {}};
  out.rgba.reserve(4 * std::size_t{t.width} * rows);
  const std::uint8_t* from = t.pixels.data() + std::size_t{first_row} * t.width * t.channels;
  for (std::size_t i = 0; i < std::size_t{t.width} * rows; ++i, from += t.channels) {
    const bool grey = t.channels < 3;
    for (std::size_t k = 0; k < 3; ++k) out.rgba.push_back(from[grey ? 0 : k]);
    out.rgba.push_back(255);
  }
  return out;
}

Level halved(const Level& from) {
  Level out{std::max(1u, from.width / 2), std::max(1u, from.height / 2), {}};
  out.rgba.resize(4 * std::size_t{out.width} * out.height, 255);
  const Table& t = table();
  for (std::uint32_t y = 0; y < out.height; ++y)
    for (std::uint32_t x = 0; x < out.width; ++x) {
      std::uint8_t* to = out.rgba.data() + 4 * (std::size_t{y} * out.width + x);
      for (std::size_t k = 0; k < 3; ++k) {
        const float sum = t.linear[from.at(2 * x, 2 * y)[k]] + t.linear[from.at(2 * x + 1, 2 * y)[k]] +
                          t.linear[from.at(2 * x, 2 * y + 1)[k]] + t.linear[from.at(2 * x + 1, 2 * y + 1)[k]];
        to[k] = t.srgb[static_cast<std::size_t>(sum / 4 * 4095 + 0.5f)];
      }
    }
  return out;
}

void upload_levels(const Gl& gl, GLenum target, Level level) {
  for (GLint i = 0;; ++i) {
    gl.tex_image_2d(target, i, GL_SRGB8_ALPHA8, static_cast<GLsizei>(level.width), static_cast<GLsizei>(level.height),
                    0, GL_RGBA, GL_UNSIGNED_BYTE, level.rgba.data());
    if (level.width == 1 && level.height == 1) return;
    level = halved(level);
  }
}

}  // namespace

GLuint upload(const Gl& gl, const Texture& texture) {
  const GLenum target = texture.cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
  GLuint out = 0;
  gl.gen_textures(1, &out);
  gl.bind_texture(target, out);
  gl.tex_parameter(target, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  gl.tex_parameter(target, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  const GLint wrap = texture.cube ? GL_CLAMP_TO_EDGE : GL_REPEAT;
  gl.tex_parameter(target, GL_TEXTURE_WRAP_S, wrap), gl.tex_parameter(target, GL_TEXTURE_WRAP_T, wrap);
  if (texture.cube) {
    const std::uint32_t side = texture.height / 6;
    for (std::uint32_t face = 0; face < 6; ++face)
      upload_levels(gl, GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, face_of(texture, face * side, side));
  } else {
    upload_levels(gl, target, face_of(texture, 0, texture.height));
  }
  return out;
}

Rgb mean_of(const Texture& t) {
  Rgb sum{};
  const std::size_t pixels = std::size_t{t.width} * t.height;
  for (std::size_t i = 0; i < pixels; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      sum[k] += static_cast<double>(table().linear[t.pixels[i * t.channels + (t.channels < 3 ? 0 : k)]]);
  for (double& c : sum) c /= static_cast<double>(pixels);
  return sum;
}

}  // namespace convoy::render
