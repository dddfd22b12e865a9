// Pictures of one boundary, by the camera that takes them: begun before the robots' tick, taken when somebody needs them.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "sensing/pictures.h"

namespace convoy {

class Exposures {
 public:
  struct Camera {
    WorldNumber robot = kNoEntity;
    std::uint32_t sensor = 0;  // of its robot's, in the order of its spec
    friend auto operator<=>(const Camera&, const Camera&) = default;
  };
  // `cameras` ascending, a shot each.
  Exposures(PictureMaker& maker, std::shared_ptr<const PictureScene> scene, std::vector<Camera> cameras,
            std::vector<Shot> shots)
      : maker_(&maker), scene_(std::move(scene)), cameras_(std::move(cameras)) {
    if (!shots.empty()) job_ = maker_->draw(scene_, std::move(shots));
  }

  // Waits for it. Any thread. kNotFound: none was begun for that camera.
  Result<CameraPicture> take(const Camera& camera) const {
    const auto at = std::lower_bound(cameras_.begin(), cameras_.end(), camera);
    if (at == cameras_.end() || *at != camera) return fail(ErrorCode::kNotFound, "no picture was begun");
    return job_->take(static_cast<std::size_t>(at - cameras_.begin()));
  }
  // One more of the same scene, waited for.
  Result<CameraPicture> take(const Shot& shot) const { return maker_->draw(scene_, {shot})->take(0); }

 private:
  PictureMaker* maker_;
  std::shared_ptr<const PictureScene> scene_;
  std::vector<Camera> cameras_;
  std::shared_ptr<PictureJob> job_;
};

}  // namespace convoy
