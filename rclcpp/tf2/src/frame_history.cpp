#include "frame_history.hpp"

#include <algorithm>

namespace tf2 {

bool FrameHistory::insert(const Entry& entry) {
  if (is_static_) {
    entries_.assign(1, entry);
    return true;
  }
  if (!entries_.empty() && entry.stamp + length_ < entries_.back().stamp) return false;
  const auto place = std::lower_bound(entries_.begin(), entries_.end(), entry.stamp,
                                      [](const Entry& e, TimePoint t) { return e.stamp < t; });
  if (place != entries_.end() && place->stamp == entry.stamp) *place = entry;
  else entries_.insert(place, entry);
  while (entries_.front().stamp + length_ < entries_.back().stamp) entries_.pop_front();
  return true;
}

TF2Error FrameHistory::at(TimePoint time, Entry& out, std::string* why) const {
  const auto failed = [&](TF2Error code, const char* what, TimePoint known) {
    if (why) {
      const bool one = code == TF2Error::TF2_NO_DATA_FOR_EXTRAPOLATION_ERROR;
      *why = one ? "Lookup would require extrapolation at time " + displayTimePoint(time) + ", but only time " +
                       displayTimePoint(known) + " is in the buffer"
                 : std::string("Lookup would require extrapolation into the ") + what + ".  Requested time " +
                       displayTimePoint(time) + " but the " + (*what == 'p' ? "earliest" : "latest") +
                       " data is at time " + displayTimePoint(known);
    }
    return code;
  };
  if (is_static_ || time == TimePointZero) {
    out = entries_.back();
    return TF2Error::TF2_NO_ERROR;
  }
  const auto after =
      std::lower_bound(entries_.begin(), entries_.end(), time, [](const Entry& e, TimePoint t) { return e.stamp < t; });
  if (after != entries_.end() && after->stamp == time) {
    out = *after;
    return TF2Error::TF2_NO_ERROR;
  }
  if (entries_.size() == 1) return failed(TF2Error::TF2_NO_DATA_FOR_EXTRAPOLATION_ERROR, "", latest());
  if (after == entries_.end()) return failed(TF2Error::TF2_FORWARD_EXTRAPOLATION_ERROR, "future", latest());
  if (after == entries_.begin()) return failed(TF2Error::TF2_BACKWARD_EXTRAPOLATION_ERROR, "past", earliest());
  const Entry& before = *std::prev(after);
  out = before;
  if (before.parent != after->parent) return TF2Error::TF2_NO_ERROR;  // it changed its parent: the old one still holds
  const double part =
      static_cast<double>((time - before.stamp).count()) / static_cast<double>((after->stamp - before.stamp).count());
  out.stamp = time;
  out.translation.setInterpolate3(before.translation, after->translation, part);
  out.rotation = before.rotation.slerp(after->rotation, part);
  return TF2Error::TF2_NO_ERROR;
}

}  // namespace tf2
