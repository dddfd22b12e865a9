#include "physics/mujoco/sensor_frames.h"

#include "physics/mujoco/numbers.h"

namespace convoy::mujoco {

namespace {

enum class Meaning { kNumbers, kPoint, kTwoPoints, kDirection, kOrientation };

Meaning meaning_of(const mjModel* m, int sensor) {
  switch (m->sensor_type[sensor]) {
    case mjSENS_FRAMEPOS: return m->sensor_reftype[sensor] == mjOBJ_UNKNOWN ? Meaning::kPoint : Meaning::kNumbers;
    case mjSENS_FRAMEQUAT:
      return m->sensor_reftype[sensor] == mjOBJ_UNKNOWN ? Meaning::kOrientation : Meaning::kNumbers;
    case mjSENS_FRAMEXAXIS:
    case mjSENS_FRAMEYAXIS:
    case mjSENS_FRAMEZAXIS:
    case mjSENS_FRAMELINVEL:
    case mjSENS_FRAMEANGVEL:
      return m->sensor_reftype[sensor] == mjOBJ_UNKNOWN ? Meaning::kDirection : Meaning::kNumbers;
    case mjSENS_FRAMELINACC:
    case mjSENS_FRAMEANGACC:
    case mjSENS_SUBTREELINVEL:
    case mjSENS_SUBTREEANGMOM:
    case mjSENS_GEOMNORMAL: return Meaning::kDirection;
    case mjSENS_SUBTREECOM: return Meaning::kPoint;
    case mjSENS_GEOMFROMTO: return Meaning::kTwoPoints;
    default: return Meaning::kNumbers;
  }
}

}  // namespace

void sensors_to_world(const mjModel* m, const Pose& X_WF, double* sensordata) {
  if (X_WF == Pose{}) return;
  const auto move = [&](double* at) { put(at, X_WF.p + rotate(X_WF.q, vec(at))); };
  for (int s = 0; s < m->nsensor; ++s) {
    double* at = sensordata + m->sensor_adr[s];
    switch (meaning_of(m, s)) {
      case Meaning::kNumbers: break;
      case Meaning::kPoint: move(at); break;
      case Meaning::kTwoPoints: move(at), move(at + 3); break;
      case Meaning::kDirection: put(at, rotate(X_WF.q, vec(at))); break;
      case Meaning::kOrientation: put(at, X_WF.q * quat(at)); break;
    }
  }
}

}  // namespace convoy::mujoco
