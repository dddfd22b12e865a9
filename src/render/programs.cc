#include "render/programs.h"

#include <array>

namespace convoy::render {

Status Programs::use(const ProgramKey& key) {
  auto found = known_.find(key);
  if (found == known_.end()) {
    const auto made = compiled(key);
    if (!made) return tl::unexpected(made.error());
    found = known_.emplace(key, *made).first;
  }
  gl_.use_program(found->second);
  return {};
}

Result<GLuint> Programs::shader(GLenum kind, const std::string& text) const {
  const GLuint out = gl_.create_shader(kind);
  const char* begin = text.c_str();
  gl_.shader_source(out, 1, &begin, nullptr);
  gl_.compile_shader(out);
  GLint good = 0;
  gl_.get_shader(out, GL_COMPILE_STATUS, &good);
  if (good) return out;
  std::array<char, 1024> log{};
  gl_.shader_log(out, log.size(), nullptr, log.data());
  gl_.delete_shader(out);
  return fail(ErrorCode::kInternal, std::string("the driver does not compile a shader: ") + log.data());
}

Result<GLuint> Programs::compiled(const ProgramKey& key) const {
  const auto corners = shader(GL_VERTEX_SHADER, corner_shader(key));
  if (!corners) return corners;
  const auto pixels = shader(GL_FRAGMENT_SHADER, pixel_shader(key));
  if (!pixels) return pixels;
  const GLuint out = gl_.create_program();
  gl_.attach_shader(out, *corners), gl_.attach_shader(out, *pixels);
  gl_.link_program(out);
  gl_.delete_shader(*corners), gl_.delete_shader(*pixels);
  GLint good = 0;
  gl_.get_program(out, GL_LINK_STATUS, &good);
  if (!good) {
    std::array<char, 1024> log{};
    gl_.program_log(out, log.size(), nullptr, log.data());
    return fail(ErrorCode::kInternal, std::string("the driver does not link a program: ") + log.data());
  }
  if (const GLuint block = gl_.uniform_block_index(out, "Frame"); block != GL_INVALID_INDEX)
    gl_.uniform_block_binding(out, block, kFrameBinding);
  gl_.use_program(out);
  gl_.uniform_1i(gl_.uniform_location(out, "picture"), kTextureUnit);
  gl_.uniform_1i(gl_.uniform_location(out, "shadows"), kShadowUnit);
  return out;
}

}  // namespace convoy::render
