// The functions of OpenGL 3.3 that the renderer calls, found at run time: no library of OpenGL is linked.
//
// They are grouped by what they are about. Their types come from Khronos' own header.
#pragma once

#include <GL/glcorearb.h>

#include <functional>
#include <string>

namespace convoy::render {

struct GlBuffers {
  PFNGLGENBUFFERSPROC gen_buffers = nullptr;
  PFNGLDELETEBUFFERSPROC delete_buffers = nullptr;
  PFNGLBINDBUFFERPROC bind_buffer = nullptr;
  PFNGLBINDBUFFERBASEPROC bind_buffer_base = nullptr;
  PFNGLBUFFERDATAPROC buffer_data = nullptr;
  PFNGLGENVERTEXARRAYSPROC gen_vertex_arrays = nullptr;
  PFNGLDELETEVERTEXARRAYSPROC delete_vertex_arrays = nullptr;
  PFNGLBINDVERTEXARRAYPROC bind_vertex_array = nullptr;
  PFNGLENABLEVERTEXATTRIBARRAYPROC enable_attribute = nullptr;
  PFNGLVERTEXATTRIBPOINTERPROC attribute = nullptr;
  PFNGLVERTEXATTRIBIPOINTERPROC integer_attribute = nullptr;
  PFNGLVERTEXATTRIBDIVISORPROC attribute_divisor = nullptr;
};

struct GlShaders {
  PFNGLCREATESHADERPROC create_shader = nullptr;
  PFNGLDELETESHADERPROC delete_shader = nullptr;
  PFNGLSHADERSOURCEPROC shader_source = nullptr;
  PFNGLCOMPILESHADERPROC compile_shader = nullptr;
  PFNGLGETSHADERIVPROC get_shader = nullptr;
  PFNGLGETSHADERINFOLOGPROC shader_log = nullptr;
  PFNGLCREATEPROGRAMPROC create_program = nullptr;
  PFNGLDELETEPROGRAMPROC delete_program = nullptr;
  PFNGLATTACHSHADERPROC attach_shader = nullptr;
  PFNGLLINKPROGRAMPROC link_program = nullptr;
  PFNGLUSEPROGRAMPROC use_program = nullptr;
  PFNGLGETPROGRAMIVPROC get_program = nullptr;
  PFNGLGETPROGRAMINFOLOGPROC program_log = nullptr;
  PFNGLGETUNIFORMLOCATIONPROC uniform_location = nullptr;
  PFNGLGETUNIFORMBLOCKINDEXPROC uniform_block_index = nullptr;
  PFNGLUNIFORMBLOCKBINDINGPROC uniform_block_binding = nullptr;
  PFNGLUNIFORM1IPROC uniform_1i = nullptr;
};

struct GlTextures {
  PFNGLGENTEXTURESPROC gen_textures = nullptr;
  PFNGLDELETETEXTURESPROC delete_textures = nullptr;
  PFNGLBINDTEXTUREPROC bind_texture = nullptr;
  PFNGLACTIVETEXTUREPROC active_texture = nullptr;
  PFNGLTEXIMAGE2DPROC tex_image_2d = nullptr;
  PFNGLTEXIMAGE3DPROC tex_image_3d = nullptr;
  PFNGLTEXPARAMETERIPROC tex_parameter = nullptr;
  PFNGLTEXPARAMETERFVPROC tex_parameters = nullptr;
};

struct GlFrames {
  PFNGLGENFRAMEBUFFERSPROC gen_framebuffers = nullptr;
  PFNGLDELETEFRAMEBUFFERSPROC delete_framebuffers = nullptr;
  PFNGLBINDFRAMEBUFFERPROC bind_framebuffer = nullptr;
  PFNGLFRAMEBUFFERRENDERBUFFERPROC framebuffer_renderbuffer = nullptr;
  PFNGLFRAMEBUFFERTEXTURELAYERPROC framebuffer_layer = nullptr;
  PFNGLCHECKFRAMEBUFFERSTATUSPROC framebuffer_status = nullptr;
  PFNGLGENRENDERBUFFERSPROC gen_renderbuffers = nullptr;
  PFNGLDELETERENDERBUFFERSPROC delete_renderbuffers = nullptr;
  PFNGLBINDRENDERBUFFERPROC bind_renderbuffer = nullptr;
  PFNGLRENDERBUFFERSTORAGEMULTISAMPLEPROC renderbuffer_storage = nullptr;
  PFNGLBLITFRAMEBUFFERPROC blit_framebuffer = nullptr;
  PFNGLDRAWBUFFERSPROC draw_buffers = nullptr;
  PFNGLREADBUFFERPROC read_buffer = nullptr;
  PFNGLREADPIXELSPROC read_pixels = nullptr;
  PFNGLPIXELSTOREIPROC pixel_store = nullptr;
};

struct GlDrawing {
  PFNGLGETERRORPROC get_error = nullptr;
  PFNGLGETSTRINGPROC get_string = nullptr;
  PFNGLGETSTRINGIPROC get_string_at = nullptr;
  PFNGLGETINTEGERVPROC get_integer = nullptr;
  PFNGLENABLEPROC enable = nullptr;
  PFNGLDISABLEPROC disable = nullptr;
  PFNGLENABLEIPROC enable_for = nullptr;
  PFNGLDISABLEIPROC disable_for = nullptr;
  PFNGLBLENDFUNCPROC blend_func = nullptr;
  PFNGLCLIPCONTROLPROC clip_control = nullptr;
  PFNGLCOLORMASKIPROC color_mask_for = nullptr;
  PFNGLDEPTHMASKPROC depth_mask = nullptr;
  PFNGLDEPTHFUNCPROC depth_func = nullptr;
  PFNGLFRONTFACEPROC front_face = nullptr;
  PFNGLPOLYGONOFFSETPROC polygon_offset = nullptr;
  PFNGLVIEWPORTPROC viewport = nullptr;
  PFNGLCLEARBUFFERFVPROC clear_floats = nullptr;
  PFNGLCLEARBUFFERUIVPROC clear_uints = nullptr;
  PFNGLDRAWARRAYSPROC draw_arrays = nullptr;
  PFNGLDRAWARRAYSINSTANCEDPROC draw_instances = nullptr;
  PFNGLDRAWELEMENTSINSTANCEDPROC draw_indexed_instances = nullptr;
};

struct Gl : GlBuffers, GlShaders, GlTextures, GlFrames, GlDrawing {};

// What finds a function by its name; null: there is none.
using GlFinder = std::function<void*(const char* name)>;
// Empty, or the name of the first function that is missing.
std::string load(Gl& gl, const GlFinder& find);

}  // namespace convoy::render
