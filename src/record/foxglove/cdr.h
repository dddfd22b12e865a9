// Writes CDR as ROS 2 does (OMG DDSI-RTPS, XCDR1, little-endian): each number on a multiple of its size, counted from
// behind the four bytes that say so.
#pragma once

#include <array>
#include <string_view>

#include "convoy/geometry.h"
#include "core/bytes.h"

namespace convoy {

class Cdr {
 public:
  // Replaces `out`.
  explicit Cdr(Bytes& out) : out_(out) { out_.assign({0, 1, 0, 0}); }

  template <class T>
  void number(T v) {
    while ((out_.size() - 4) % sizeof v != 0) out_.push_back(0);
    Writer(out_).raw(&v, sizeof v);
  }
  // Its length counts the zero that ends it.
  void text(std::string_view v) {
    number(static_cast<std::uint32_t>(v.size() + 1));
    Writer(out_).bytes(as_bytes(v));
    out_.push_back(0);
  }
  void vector(const Vec3& v) { number(v.x), number(v.y), number(v.z); }
  void turn(const Quat& q) { number(q.x), number(q.y), number(q.z), number(q.w); }
  // 3 x 3, with that much of each axis.
  void covariance(double variance) {
    for (int i = 0; i < 9; ++i) number(i % 4 == 0 ? variance : 0.0);
  }

 private:
  Bytes& out_;
};

}  // namespace convoy
