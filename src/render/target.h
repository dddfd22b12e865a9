// What is drawn into: a frame of the graphics card with some channels, and how its pixels come back.
#pragma once

#include <cstdint>
#include <vector>

#include "convoy/result.h"
#include "render/gl.h"

namespace convoy::render {

class Target {
 public:
  struct Form {
    GLsizei width = 0, height = 0;
    bool colour = false, depth = false, ids = false;
    GLsizei samples = 0;  // a pixel; 0: one
    friend bool operator==(const Form&, const Form&) = default;
  };

  explicit Target(const Gl& gl) : gl_(gl) {}
  // Makes it so, and what is drawn next goes there: outputs 0, 1 and 2 are colour, depth and ids, as far as it has them.
  // kUnavailable: the card has no memory for it.
  Status open(const Form& form);
  void clear() const;
  // The colours of all its samples, into another one of a sample a pixel.
  void resolve_into(const Target& other) const;

  // Of a rectangle; row by row as they are in the frame.
  struct Rect {
    GLint x = 0, y = 0;
    GLsizei width = 0, height = 0;
  };
  std::vector<std::uint8_t> rgb(const Rect& rect) const;
  std::vector<float> depths(const Rect& rect) const;
  void ids(const Rect& rect, std::vector<std::uint32_t>& instance, std::vector<std::uint32_t>& category) const;

 private:
  void close();
  void attach(GLenum at, GLenum format);
  void draw_into(bool depth, bool ids) const;

  const Gl& gl_;
  Form form_;
  GLuint frame_ = 0;
  std::vector<GLuint> buffers_;
};

// Maps of the depth that the sun sees, in layers.
class ShadowMaps {
 public:
  explicit ShadowMaps(const Gl& gl) : gl_(gl) {}
  Status make(GLsizei side, GLsizei layers);
  void open_layer(GLint layer) const;  // what is drawn next goes there
  void bind() const;                   // for programs that read it
  GLsizei side() const { return side_; }

 private:
  const Gl& gl_;
  GLsizei side_ = 0;
  GLuint texture_ = 0, frame_ = 0;
};

}  // namespace convoy::render
