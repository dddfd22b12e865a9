#include "sensing/share.h"

namespace convoy {

Share share_of(const SensorSpec& spec, const SensorRules& rules) {
  Share out;
  const SensorType* type = spec.library.empty() ? find_sensor_type(spec.type) : nullptr;
  if (type) out.load = type->traits.load;
  if (spec.library.empty())
    for (const SensorTypeRule& rule : rules.types)
      if (rule.type == spec.type) out.distribution = rule.distribution, out.load = rule.load.value_or(out.load);
  if (spec.distribution) out.distribution = *spec.distribution;
  if (spec.load) out.load = *spec.load;
  if (type && type->traits.stays()) out.distribution = Distribution::kMainOnly;
  return out;
}

}  // namespace convoy
