#include "render/context.h"

#define EGL_NO_X11  // or its header brings X11's
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>

#include <array>
#include <string_view>
#include <utility>

namespace convoy::render {

namespace {

constexpr const char* kPackages =
    "install libegl1 and libgl1-mesa-dri (Debian's names), or a graphics card's driver with EGL";

// libEGL's functions. The library stays loaded: drivers do not outlive being unloaded.
struct Egl {
  decltype(&eglGetProcAddress) find = nullptr;
  decltype(&eglInitialize) initialize = nullptr;
  decltype(&eglBindAPI) bind_api = nullptr;
  decltype(&eglChooseConfig) choose_config = nullptr;
  decltype(&eglCreateContext) create_context = nullptr;
  decltype(&eglDestroyContext) destroy_context = nullptr;
  decltype(&eglMakeCurrent) make_current = nullptr;
  PFNEGLGETPLATFORMDISPLAYEXTPROC platform_display = nullptr;
  PFNEGLQUERYDEVICESEXTPROC query_devices = nullptr;  // null: no devices

  bool load(void* library) {
    const auto get = [&](auto& to, const char* name) {
      to = reinterpret_cast<std::decay_t<decltype(to)>>(dlsym(library, name));
      return to != nullptr;
    };
    const bool all = get(find, "eglGetProcAddress") && get(initialize, "eglInitialize") &&
                     get(bind_api, "eglBindAPI") && get(choose_config, "eglChooseConfig") &&
                     get(create_context, "eglCreateContext") && get(destroy_context, "eglDestroyContext") &&
                     get(make_current, "eglMakeCurrent");
    if (!all) return false;
    platform_display = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(find("eglGetPlatformDisplayEXT"));
    query_devices = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(find("eglQueryDevicesEXT"));
    return platform_display != nullptr;
  }
};

class EglContext final : public Context {
 public:
  explicit EglContext(const Egl& egl) : egl_(egl) {}
  ~EglContext() override {
    // The display is not terminated: all contexts of a process share it.
    if (context_ != EGL_NO_CONTEXT) egl_.destroy_context(display_, context_);
  }
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

  // Makes it on a display: empty, or why not.
  std::string open(EGLDisplay display) {
    display_ = display;
    if (display_ == EGL_NO_DISPLAY || !egl_.initialize(display_, nullptr, nullptr)) return "no display";
    if (!egl_.bind_api(EGL_OPENGL_API)) return "no OpenGL";
    constexpr std::array<EGLint, 5> kConfig{EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint found = 0;
    if (!egl_.choose_config(display_, kConfig.data(), &config, 1, &found) || found < 1) return "no configuration";
    constexpr std::array<EGLint, 7> kVersion{
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    context_ = egl_.create_context(display_, config, EGL_NO_CONTEXT, kVersion.data());
    if (context_ == EGL_NO_CONTEXT) return "no OpenGL 3.3";
    if (auto ok = make_current(); !ok) return ok.error().text;
    const auto find = [&](const char* name) { return reinterpret_cast<void*>(egl_.find(name)); };
    std::string missing = load(gl_, find);
    if (missing.empty() && !has_clip_control()) missing = "ARB_clip_control";
    if (missing.empty()) {
      const auto text = [&](GLenum name) { return std::string(reinterpret_cast<const char*>(gl_.get_string(name))); };
      driver_ = text(GL_RENDERER) + ", " + text(GL_VERSION);
    }
    release();
    return missing.empty() ? "" : "its OpenGL lacks " + missing;
  }

  Status make_current() override {
    // Of each thread: whoever else draws in it may have asked for OpenGL ES.
    if (egl_.bind_api(EGL_OPENGL_API) && egl_.make_current(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_))
      return {};
    return fail(ErrorCode::kState, "the renderer's OpenGL context is in use by another thread, or lost");
  }
  void release() override { egl_.make_current(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT); }
  const Gl& gl() const override { return gl_; }
  const std::string& driver() const override { return driver_; }

 private:
  // A function that is found need not work: libraries that dispatch to drivers have all of them.
  bool has_clip_control() const {
    GLint count = 0;
    gl_.get_integer(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; ++i)
      if (std::string_view("GL_ARB_clip_control") ==
          reinterpret_cast<const char*>(gl_.get_string_at(GL_EXTENSIONS, static_cast<GLuint>(i))))
        return true;
    return false;
  }

  Egl egl_;
  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
  Gl gl_;
  std::string driver_;
};

}  // namespace

Result<std::unique_ptr<Context>> headless_context(const std::string& library) {
  void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!opened) return fail(ErrorCode::kUnsupported, "pictures need EGL, and there is no " + library + ": " + kPackages);
  Egl egl;
  if (!egl.load(opened)) return fail(ErrorCode::kUnsupported, library + " lacks functions of EGL 1.5: " + kPackages);
  std::string why;
  const auto tried = [&](const char* name, EGLDisplay display) -> std::unique_ptr<Context> {
    auto context = std::make_unique<EglContext>(egl);
    const std::string problem = context->open(display);
    if (problem.empty()) return context;
    why += (why.empty() ? "" : "; ") + std::string(name) + ": " + problem;
    return nullptr;
  };
  if (auto context = tried("surfaceless", egl.platform_display(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr)))
    return context;
  std::array<EGLDeviceEXT, 16> devices{};
  EGLint count = 0;
  if (egl.query_devices) egl.query_devices(static_cast<EGLint>(devices.size()), devices.data(), &count);
  for (EGLint i = 0; i < count; ++i)
    if (auto context = tried(
            "device", egl.platform_display(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<std::size_t>(i)], nullptr)))
      return context;
  return fail(ErrorCode::kUnsupported, "pictures need OpenGL 3.3 through EGL (" + why + "): " + kPackages);
}

}  // namespace convoy::render
