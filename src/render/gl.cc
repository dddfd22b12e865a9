#include "render/gl.h"

namespace convoy::render {

namespace {

class Loader {
 public:
  explicit Loader(const GlFinder& find) : find_(find) {}
  template <class F>
  void operator()(F& to, const char* name) {
    to = reinterpret_cast<F>(find_(name));
    if (!to && missing.empty()) missing = name;
  }
  std::string missing;

 private:
  const GlFinder& find_;
};

void load_buffers(GlBuffers& gl, Loader& load) {
  load(gl.gen_buffers, "glGenBuffers"), load(gl.delete_buffers, "glDeleteBuffers");
  load(gl.bind_buffer, "glBindBuffer"), load(gl.bind_buffer_base, "glBindBufferBase");
  load(gl.buffer_data, "glBufferData");
  load(gl.gen_vertex_arrays, "glGenVertexArrays"), load(gl.delete_vertex_arrays, "glDeleteVertexArrays");
  load(gl.bind_vertex_array, "glBindVertexArray"), load(gl.enable_attribute, "glEnableVertexAttribArray");
  load(gl.attribute, "glVertexAttribPointer"), load(gl.integer_attribute, "glVertexAttribIPointer");
  load(gl.attribute_divisor, "glVertexAttribDivisor");
}

void load_shaders(GlShaders& gl, Loader& load) {
  load(gl.create_shader, "glCreateShader"), load(gl.delete_shader, "glDeleteShader");
  load(gl.shader_source, "glShaderSource"), load(gl.compile_shader, "glCompileShader");
  load(gl.get_shader, "glGetShaderiv"), load(gl.shader_log, "glGetShaderInfoLog");
  load(gl.create_program, "glCreateProgram"), load(gl.delete_program, "glDeleteProgram");
  load(gl.attach_shader, "glAttachShader"), load(gl.link_program, "glLinkProgram");
  load(gl.use_program, "glUseProgram"), load(gl.get_program, "glGetProgramiv");
  load(gl.program_log, "glGetProgramInfoLog"), load(gl.uniform_location, "glGetUniformLocation");
  load(gl.uniform_block_index, "glGetUniformBlockIndex"), load(gl.uniform_block_binding, "glUniformBlockBinding");
  load(gl.uniform_1i, "glUniform1i");
}

void load_textures(GlTextures& gl, Loader& load) {
  load(gl.gen_textures, "glGenTextures"), load(gl.delete_textures, "glDeleteTextures");
  load(gl.bind_texture, "glBindTexture"), load(gl.active_texture, "glActiveTexture");
  load(gl.tex_image_2d, "glTexImage2D"), load(gl.tex_image_3d, "glTexImage3D");
  load(gl.tex_parameter, "glTexParameteri"), load(gl.tex_parameters, "glTexParameterfv");
}

void load_frames(GlFrames& gl, Loader& load) {
  load(gl.gen_framebuffers, "glGenFramebuffers"), load(gl.delete_framebuffers, "glDeleteFramebuffers");
  load(gl.bind_framebuffer, "glBindFramebuffer"), load(gl.framebuffer_renderbuffer, "glFramebufferRenderbuffer");
  load(gl.framebuffer_layer, "glFramebufferTextureLayer"), load(gl.framebuffer_status, "glCheckFramebufferStatus");
  load(gl.gen_renderbuffers, "glGenRenderbuffers"), load(gl.delete_renderbuffers, "glDeleteRenderbuffers");
  load(gl.bind_renderbuffer, "glBindRenderbuffer"), load(gl.renderbuffer_storage, "glRenderbufferStorageMultisample");
  load(gl.blit_framebuffer, "glBlitFramebuffer"), load(gl.draw_buffers, "glDrawBuffers");
  load(gl.read_buffer, "glReadBuffer"), load(gl.read_pixels, "glReadPixels"), load(gl.pixel_store, "glPixelStorei");
}

void load_drawing(GlDrawing& gl, Loader& load) {
  load(gl.get_error, "glGetError"), load(gl.get_string, "glGetString"), load(gl.get_string_at, "glGetStringi"),
      load(gl.get_integer, "glGetIntegerv");
  load(gl.enable, "glEnable"), load(gl.disable, "glDisable");
  load(gl.enable_for, "glEnablei"), load(gl.disable_for, "glDisablei"), load(gl.blend_func, "glBlendFunc");
  load(gl.clip_control, "glClipControl"), load(gl.color_mask_for, "glColorMaski");
  load(gl.depth_mask, "glDepthMask"), load(gl.depth_func, "glDepthFunc"), load(gl.front_face, "glFrontFace");
  load(gl.polygon_offset, "glPolygonOffset"), load(gl.viewport, "glViewport");
  load(gl.clear_floats, "glClearBufferfv"), load(gl.clear_uints, "glClearBufferuiv");
  load(gl.draw_arrays, "glDrawArrays"), load(gl.draw_instances, "glDrawArraysInstanced");
  load(gl.draw_indexed_instances, "glDrawElementsInstanced");
}

}  // namespace

std::string load(Gl& gl, const GlFinder& find) {
  Loader load(find);
  load_buffers(gl, load), load_shaders(gl, load), load_textures(gl, load), load_frames(gl, load);
  load_drawing(gl, load);
  return load.missing;
}

}  // namespace convoy::render
