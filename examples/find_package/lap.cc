// Composes poses with Convoy's public words: four equal arcs make a lap, which ends where it began.
#include <convoy/geometry.h>
#include <convoy/result.h>
#include <convoy/time.h>
#include <cmath>
#include <cstdio>

namespace {

convoy::Result<convoy::Pose> drive_arc(const convoy::Pose& X_WB, convoy::Duration time, double v, double w) {
  if (time < convoy::Duration(0)) return convoy::fail(convoy::ErrorCode::kInvalid, "time runs forward");
  const double angle = w * convoy::seconds(time), radius = v / w;
  const convoy::Pose X_BC{{radius * std::sin(angle), radius * (1 - std::cos(angle)), 0},
                          {std::cos(angle / 2), 0, 0, std::sin(angle / 2)}};
  return X_WB * X_BC;
}

}  // namespace

int main() {
  constexpr double kQuarter = 1.5707963267948966;
  convoy::Pose X_WB{{1, 2, 0}, {}};
  for (int i = 0; i < 4; ++i) {
    const auto next = drive_arc(X_WB, std::chrono::seconds(1), 0.2, kQuarter);
    if (!next) return std::printf("%s\n", next.error().message().c_str()), 1;
    X_WB = *next;
  }
  std::printf("lap ends at %.9f %.9f\n", X_WB.p.x, X_WB.p.y);
  return std::abs(X_WB.p.x - 1) < 1e-12 && std::abs(X_WB.p.y - 2) < 1e-12 ? 0 : 1;
}
