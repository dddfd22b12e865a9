// A plain loop over robots: what kinematic robots with collisions cost when nothing is distributed, hashed or recorded.
// Structure of arrays of floats; a step integrates, reads one cell of a bitmap, sorts by cell (counting sort) and
// pushes apart whom the 3x3 cells around hold. It gives no digest, no exact footprints and no drivers, so its ratio to
// `convoy run` is the price of those.
//
//   bench_kinematic_loop [--robots N] [--density ROBOTS_PER_M2] [--ticks N]
//
// Prints JSON: robot ticks per second of CPU time.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

constexpr float kRadius = 0.14f, kCell = 0.5f, kBitmapCell = 0.1f, kDt = 0.01f;

double cpu_s() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

struct Robots {
  std::vector<float> x, y, c, s, v, w, nx, ny;
};

// Apart, with __restrict: a lambda that captures by reference did not vectorise, and took 11 times as long.
[[gnu::noinline]] void integrate(std::size_t n, const float* __restrict x, const float* __restrict y,
                                 float* __restrict c, float* __restrict s, const float* __restrict v,
                                 const float* __restrict w, float* __restrict nx, float* __restrict ny) {
  for (std::size_t i = 0; i < n; ++i) {
    const float a = w[i] * kDt, ca = 1 - 0.5f * a * a, sa = a - a * a * a * (1.0f / 6);
    const float c1 = c[i] * ca - s[i] * sa, s1 = s[i] * ca + c[i] * sa;
    const float scale = 1.5f - 0.5f * (c1 * c1 + s1 * s1);
    c[i] = c1 * scale, s[i] = s1 * scale;
    nx[i] = x[i] + v[i] * kDt * c[i], ny[i] = y[i] + v[i] * kDt * s[i];
  }
}

[[gnu::noinline]] void collide_map(std::size_t n, const std::uint64_t* __restrict bits, std::size_t side,
                                   float* __restrict x, float* __restrict y, const float* __restrict nx,
                                   const float* __restrict ny, float* __restrict w) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto col = static_cast<std::uint32_t>(nx[i] * (1 / kBitmapCell));
    const auto row = static_cast<std::uint32_t>(ny[i] * (1 / kBitmapCell));
    const std::size_t at = row * side + col;
    const bool solid = (bits[at >> 6] >> (at & 63) & 1) != 0;
    x[i] = solid ? x[i] : nx[i], y[i] = solid ? y[i] : ny[i], w[i] = solid ? -w[i] : w[i];
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t n = 10000, ticks = 200;
  double density = 0.44;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--density") density = std::atof(argv[i + 1]);
    else (name == "--robots" ? n : ticks) = std::strtoull(argv[i + 1], nullptr, 10);
  }
  const float side = static_cast<float>(std::sqrt(static_cast<double>(n) / density));
  const auto cells = static_cast<std::uint32_t>(side / kCell) + 3;
  const auto bit_side = static_cast<std::size_t>(side / kBitmapCell) + 2;
  std::vector<std::uint64_t> bits(bit_side * bit_side / 64 + 1, 0);
  for (std::size_t r = 0; r < bit_side; ++r)
    for (std::size_t k = 0; k < bit_side; ++k)
      if (r < 2 || k < 2 || r + 4 > bit_side || k + 4 > bit_side)
        bits[(r * bit_side + k) >> 6] |= std::uint64_t{1} << ((r * bit_side + k) & 63);

  Robots b;
  for (auto* field : {&b.x, &b.y, &b.c, &b.s, &b.v, &b.w, &b.nx, &b.ny}) field->resize(n);
  std::uint64_t seed = 1;
  const auto uniform = [&] {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<float>(seed >> 40) * 0x1p-24f;
  };
  for (std::size_t i = 0; i < n; ++i) {
    b.x[i] = 0.5f + uniform() * (side - 1), b.y[i] = 0.5f + uniform() * (side - 1);
    const float yaw = uniform() * 6.2831853f;
    b.c[i] = std::cos(yaw), b.s[i] = std::sin(yaw), b.v[i] = 0.22f, b.w[i] = uniform() - 0.5f;
  }

  std::vector<std::uint32_t> begin(std::size_t{cells} * cells + 1), cell_of(n), order(n);
  std::vector<float> sx(n), sy(n);
  std::uint64_t contacts = 0;
  double from = 0;
  const std::size_t warm_up = ticks / 10 + 1;
  for (std::size_t tick = 0; tick < ticks + warm_up; ++tick) {
    if (tick == warm_up) from = cpu_s();
    integrate(n, b.x.data(), b.y.data(), b.c.data(), b.s.data(), b.v.data(), b.w.data(), b.nx.data(), b.ny.data());
    collide_map(n, bits.data(), bit_side, b.x.data(), b.y.data(), b.nx.data(), b.ny.data(), b.w.data());
    std::fill(begin.begin(), begin.end(), 0);
    for (std::size_t i = 0; i < n; ++i) {
      cell_of[i] = (static_cast<std::uint32_t>(b.y[i] * (1 / kCell)) + 1) * cells +
                   static_cast<std::uint32_t>(b.x[i] * (1 / kCell)) + 1;
      ++begin[cell_of[i]];
    }
    std::uint32_t sum = 0;
    for (std::uint32_t& at : begin) sum += at, at = sum;
    for (std::size_t i = n; i-- > 0;) {
      const std::uint32_t at = --begin[cell_of[i]];
      order[at] = static_cast<std::uint32_t>(i), sx[at] = b.x[i], sy[at] = b.y[i];
    }
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint32_t i = order[k], cell = cell_of[i];
      float px = 0, py = 0;
      for (std::uint32_t row = cell - cells; row <= cell + cells; row += cells) {
        for (std::uint32_t j = begin[row - 1]; j < begin[row + 2]; ++j) {
          const float dx = sx[k] - sx[j], dy = sy[k] - sy[j], squared = dx * dx + dy * dy;
          if (squared >= 4 * kRadius * kRadius || j == k) continue;
          const float distance = std::sqrt(squared) + 1e-6f, push = 0.5f * (2 * kRadius - distance) / distance;
          px += dx * push, py += dy * push;
          ++contacts;
        }
      }
      const float most = side - 0.4f;
      b.x[i] = std::clamp(sx[k] + px, 0.3f, most), b.y[i] = std::clamp(sy[k] + py, 0.3f, most);
    }
  }
  const double cpu = cpu_s() - from;
  fmt::print(
      "{{\"robots\": {}, \"density\": {}, \"ticks\": {}, \"robot_ticks_per_cpu_s\": {:.0f}, \"contacts\": {}}}\n", n,
      density, ticks, static_cast<double>(n * ticks) / cpu, contacts);
  return 0;
}
