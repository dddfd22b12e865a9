// A context of OpenGL without a window or a display server: through EGL's surfaceless platform, or else a device's.
//
// libEGL is opened at run time, so that a program that draws nothing needs none.
#pragma once

#include <memory>
#include <string>

#include "convoy/result.h"
#include "render/gl.h"

namespace convoy::render {

class Context {
 public:
  virtual ~Context() = default;
  // Of the calling thread until release(); a context is one thread's at a time.
  virtual Status make_current() = 0;
  virtual void release() = 0;
  virtual const Gl& gl() const = 0;
  virtual const std::string& driver() const = 0;  // "llvmpipe (LLVM 15.0.6, 256 bits), 4.5 (Core Profile) Mesa 22.3.6"
};

// kUnsupported: this machine lacks EGL, or OpenGL 3.3 with clip control; the text says what to install.
// `library`: libEGL's name, another's for tests.
Result<std::unique_ptr<Context>> headless_context(const std::string& library = "libEGL.so.1");

}  // namespace convoy::render
