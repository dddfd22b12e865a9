import assert from "node:assert/strict";
import { test } from "node:test";
import { haze_of, kFairNoon, light_of } from "../src/light.ts";

test("at noon the sun stands high, at midnight there is little light", () => {
  const noon = light_of(false, kFairNoon), night = light_of(false, { ...kFairNoon, time_of_day: 0 });

  assert.ok(noon.to_sun.z > 0.7 && Math.abs(noon.to_sun.length() - 1) < 1e-9);
  assert.ok(night.to_sun.z > 0 && night.sunlight < 0.1 * noon.sunlight && night.filling < 0.4 * noon.filling);
});

test("clouds take the sun's light, and water darkens the ground", () => {
  const fair = light_of(false, kFairNoon), bad = light_of(false, { ...kFairNoon, cloudiness: 1, wetness: 1 });

  assert.ok(bad.sunlight < 0.5 * fair.sunlight && bad.ground.r < fair.ground.r);
});

test("fog brings the haze nearer, and what is looked at is still seen", () => {
  const clear = haze_of(kFairNoon, 5, 10), half = haze_of({ ...kFairNoon, fog: 0.5 }, 5, 10), thick = haze_of({ ...kFairNoon, fog: 1 }, 5, 10);

  assert.ok(thick.near < half.near && half.near < clear.near && thick.far < half.far && half.far < clear.far);
  assert.ok(thick.far > 10);
});
