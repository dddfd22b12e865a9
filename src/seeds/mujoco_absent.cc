#include "seeds/kind.h"

namespace convoy::testing {

Result<Cast> mujoco_cast() { return fail(ErrorCode::kNotFound, "this build has no MuJoCo"); }

}  // namespace convoy::testing
