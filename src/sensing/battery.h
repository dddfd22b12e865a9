// A robot's battery: what standing and driving take from it.
//
// Its charge follows from the robot's age and the way it went alone, each since the robot was made or reset; where it is
// empty the robot goes on all the same. The voltage falls in proportion to the charge.
#pragma once

#include <string>

#include "convoy/time.h"
#include "core/fields.h"

namespace convoy {

struct BatteryModel {
  double capacity = 20;       // W h
  double charge = 1;          // at the beginning, of the capacity
  double idle = 5;            // W, always
  double per_meter = 20;      // J/m
  double voltage_empty = 10;  // V
  double voltage_full = 12.6;
  friend bool operator==(const BatteryModel&, const BatteryModel&) = default;
};
template <class V, MaybeConst<BatteryModel> T>
void fields(V& v, T& m) {
  v("capacity", m.capacity), v("charge", m.charge), v("idle", m.idle), v("per_meter", m.per_meter);
  v("voltage_empty", m.voltage_empty), v("voltage_full", m.voltage_full);
}

struct BatteryReading {
  double share = 1;                 // of the capacity that is left, 0 to 1
  double voltage = 0;               // V
  double current = 0;               // A; below 0: it is discharged
  double charge = 0, capacity = 0;  // A h, at the full voltage
};
template <class V, MaybeConst<BatteryReading> T>
void fields(V& v, T& b) {
  v("share", b.share), v("voltage", b.voltage), v("current", b.current), v("charge", b.charge);
  v("capacity", b.capacity);
}

// Empty, or what is wrong with it.
std::string problem_of(const BatteryModel& model);

// Of a robot of that age which has gone that far, m, and goes that fast now, m/s.
BatteryReading battery_of(const BatteryModel& model, Duration age, double distance, double speed);

}  // namespace convoy
