// Programs of a context, each compiled when it is first used.
#pragma once

#include <map>

#include "convoy/result.h"
#include "render/gl.h"
#include "render/shaders.h"

namespace convoy::render {

class Programs {
 public:
  explicit Programs(const Gl& gl) : gl_(gl) {}
  // Uses it for what is drawn next. kInternal: the driver does not compile it, and what it says.
  Status use(const ProgramKey& key);

 private:
  Result<GLuint> compiled(const ProgramKey& key) const;
  Result<GLuint> shader(GLenum kind, const std::string& text) const;

  const Gl& gl_;
  std::map<ProgramKey, GLuint> known_;
};

}  // namespace convoy::render
