#include "stream/quality_choice.h"

#include <utility>

namespace convoy::stream {

bool QualityChoice::on_second(Duration every) {
  const std::int64_t count = std::exchange(count_, 0);
  const Duration sum = std::exchange(sum_, Duration{});
  if (count == 0) return false;
  took_ = sum / count;
  // Of a machine that draws less than kFewest a second there are few by nature.
  const bool slow = took_ * 5 > every * 4 && (count >= kFewest || took_ * kFewest > std::chrono::seconds(1));
  slow_ = slow ? slow_ + 1 : 0;
  if (!adapts_ || quality_ == PictureQuality::kPlain || slow_ < kSlowSeconds) return false;
  quality_ = PictureQuality::kPlain;
  slow_ = 0;
  return true;
}

}  // namespace convoy::stream
