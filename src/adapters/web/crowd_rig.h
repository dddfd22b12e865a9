// Whole frames as tests write them, byte by byte (docs/web.md), of entities without joints or with the same number each.
#pragma once

#include "adapters/web/crowd.h"

namespace convoy::web::testing {

struct Body {
  std::uint32_t number;
  float x = 0, y = 0;
  std::int16_t vx = 0;  // 1/256 m/s
  float q = 0;          // of its joint, if bodies have one
};

inline Bytes frame_of(const std::vector<Body>& bodies, bool jointed = false, std::uint32_t run = 0) {
  Bytes out;
  Writer w(out);
  const double nothing = 0;
  w.u8(1), w.u8(0), w.u16(0), w.u32(0), w.u32(run), w.u32(1), w.raw(&nothing, 8), w.raw(&nothing, 8);
  w.u32(static_cast<std::uint32_t>(bodies.size())), w.u32(jointed ? static_cast<std::uint32_t>(bodies.size()) : 0);
  for (const Body& body : bodies) {
    const float z = 0;
    w.raw(&body.x, 4), w.raw(&body.y, 4), w.raw(&z, 4), w.u16(32767), w.u16(0), w.u16(0), w.u16(0);
    w.raw(&body.vx, 2);
    for (int i = 0; i < 5; ++i) w.u16(0);
  }
  for (const Body& body : bodies)
    if (jointed) w.raw(&body.q, 4);
  return out;
}

inline std::shared_ptr<const Roster> roster_of(const std::vector<Body>& bodies, bool jointed = false) {
  Roster out;
  for (const Body& body : bodies) {
    out.numbers.push_back(body.number);
    out.joint_at.push_back(out.joint_at.back() + (jointed ? 1 : 0));
  }
  return std::make_shared<const Roster>(std::move(out));
}

// On a line along x, one a metre, numbers from 1; more than are sent whole.
inline std::vector<Body> line(std::size_t count = 10'000) {
  std::vector<Body> out;
  for (std::uint32_t i = 0; i < count; ++i) out.push_back({.number = i + 1, .x = static_cast<float>(i)});
  return out;
}

// Slots of a part.
inline std::vector<std::uint32_t> slots_in(const Bytes& part) {
  std::uint32_t count = 0;
  std::memcpy(&count, part.data() + 32, 4);
  std::vector<std::uint32_t> out(count);
  if (count != 0) std::memcpy(out.data(), part.data() + 40, 4 * count);  // an empty vector's data() may be null
  return out;
}

}  // namespace convoy::web::testing
