#include "engines/identity.h"

#include <cmath>

#include "core/bytes.h"
#include "core/hash.h"
#include "core/math.h"
#include "engines/engines.h"
#include "os/machine.h"

namespace convoy::engines {

std::string version_text() { return CONVOY_VERSION; }

// The engines' libraries are files of their own, which no build id covers.
static std::string text_of(std::uint64_t build) {
  const std::string engine = mujoco_version(), rays = embree_version();
  return version_text() + "+" + hex16(build) + (engine.empty() ? "" : ".mujoco" + engine) +
         (rays.empty() ? "" : ".embree" + rays);
}

std::string build_text() { return text_of(os::build_id()); }

std::string build_text_of(std::span<const std::string> libraries) {
  std::uint64_t all = 0;
  for (const std::string& library : libraries) {
    const std::uint64_t id = os::build_id_of(library);
    if (id == 0) return {};
    all = chain(all, id);
  }
  return text_of(all);
}

std::uint64_t numeric_fingerprint() {
  Bytes probes;
  Writer w(probes);
  // libm picks its variants by processor (FMA, AVX2): the last bits of these differ between variants.
  volatile double x = 0.1;
  for (int i = 0; i < 2000; ++i) {
    const double v = x;
    w.f64(std::sin(v)), w.f64(std::cos(v)), w.f64(std::tan(v)), w.f64(std::exp(v * 0.1)), w.f64(std::log(v));
    w.f64(std::pow(v, 1.37)), w.f64(std::atan2(v, 0.7)), w.f64(std::sqrt(v));
    w.f64(math::sin(v)), w.f64(math::exp(v * 0.1)), w.f64(math::pow(v, 1.37));
    x = v * 1.003 + 0.017;
  }
  // Fused or not: a*b+c with a product that needs more than 53 bits.
  volatile double a = 1 + 0x1p-30, b = 1 - 0x1p-30, c = -1;
  w.f64(a * b + c);
  probe(probes);
  probe_rays(probes);
  return hash64(probes);
}

}  // namespace convoy::engines
