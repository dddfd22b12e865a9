#include "sensing/battery.h"

#include <algorithm>
#include <cmath>

namespace convoy {

std::string problem_of(const BatteryModel& m) {
  if (!(m.capacity > 0 && m.capacity <= 1e6)) return "capacity is above 0, and 1e6 W h at most";
  if (!(m.charge >= 0 && m.charge <= 1)) return "charge is 0 to 1, of the capacity";
  if (!(m.idle >= 0 && m.idle <= 1e6)) return "idle is 0 to 1e6 W";
  if (!(m.per_meter >= 0 && m.per_meter <= 1e9)) return "per_meter is 0 to 1e9 J/m";
  if (!(m.voltage_empty > 0 && m.voltage_full >= m.voltage_empty && m.voltage_full <= 1e5))
    return "voltage_empty is above 0, and voltage_full at least that, and 1e5 V at most";
  return {};
}

BatteryReading battery_of(const BatteryModel& m, Duration age, double distance, double speed) {
  const double used = m.idle * seconds(age) + m.per_meter * distance;  // J
  BatteryReading out;
  out.share = std::max(0.0, m.charge - used / (3600 * m.capacity));
  out.voltage = m.voltage_empty + out.share * (m.voltage_full - m.voltage_empty);
  out.capacity = m.capacity / m.voltage_full, out.charge = out.share * out.capacity;
  if (out.share > 0) out.current = -(m.idle + m.per_meter * std::fabs(speed)) / out.voltage;
  return out;
}

}  // namespace convoy
