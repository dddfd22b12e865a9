// What light, sky and haze are like: by theme, time of day and weather.
import { Color, Vector3 } from "three";

// Of the environment of a run what can be seen.
export interface Weather { time_of_day: number; fog: number; cloudiness: number; rain: number; wetness: number }
export const kFairNoon: Weather = { time_of_day: 12, fog: 0, cloudiness: 0, rain: 0, wetness: 0 };

export interface Light {
  zenith: Color; horizon: Color; ground: Color; line: Color; sun: Color; fill: Color; below: Color;
  sunlight: number; filling: number; to_sun: Vector3;
}
interface Palette { zenith: number; horizon: number; ground: number; line: number; sun: number; fill: number; below: number; sunlight: number; filling: number }
const kLight: Palette = { zenith: 0x6ea6dd, horizon: 0xe6eef5, ground: 0xd3d7da, line: 0x8d99a5, sun: 0xfff3e0, fill: 0xdcebff, below: 0xa89f94, sunlight: 3.4, filling: 2.3 };
const kDark: Palette = { zenith: 0x0b1220, horizon: 0x2a3646, ground: 0x333c47, line: 0x5d6b7b, sun: 0xfff1dc, fill: 0xa9c1e6, below: 0x39404a, sunlight: 2.3, filling: 1.2 };
const kNightSky = new Color(0x060a14), kNightHorizon = new Color(0x141d2c), kDusk = new Color(0xf0a268), kLowSun = new Color(0xffa45c);
const kNoonHeight = 0.91, kNoonBearing = -0.74; // rad: of the sun at 12 o'clock

export function light_of(dark: boolean, weather: Weather): Light {
  const p = dark ? kDark : kLight, color = (hex: number): Color => new Color(hex);
  const hour = ((weather.time_of_day - 12) / 12) * Math.PI, height = kNoonHeight * Math.cos(hour), bearing = kNoonBearing - hour;
  const day = smooth(-0.15, 0.3, height), dusk = day * (1 - smooth(0.1, 0.6, height)), grey = Math.max(weather.cloudiness, 0.8 * weather.rain);
  const up = Math.max(height, 0.15); // the moon stands there
  const horizon = color(p.horizon).lerp(kDusk, 0.5 * dusk * (1 - grey)).lerp(kNightHorizon, 1 - day), zenith = color(p.zenith).lerp(kNightSky, 1 - day);
  const overcast = color(p.horizon).multiplyScalar(0.55 * (0.15 + 0.85 * day));
  zenith.lerp(overcast, 0.85 * grey), horizon.lerp(overcast, 0.5 * grey);
  zenith.lerp(horizon, weather.fog);
  return {
    zenith, horizon, ground: color(p.ground).multiplyScalar(1 - 0.35 * weather.wetness), line: color(p.line),
    sun: color(p.sun).lerp(kLowSun, 0.7 * dusk), fill: color(p.fill), below: color(p.below),
    sunlight: p.sunlight * (0.08 + 0.92 * day) * (1 - 0.75 * grey) * (1 - 0.6 * weather.fog), filling: p.filling * (0.28 + 0.72 * day) * (1 - 0.25 * grey),
    to_sun: new Vector3(Math.cos(up) * Math.cos(bearing), Math.cos(up) * Math.sin(bearing), Math.sin(up)),
  };
}

// From where haze begins to where nothing else is seen, m: from an eye at that height, which looks at something so far away.
export function haze_of(weather: Weather, height: number, distance: number): { near: number; far: number } {
  const mix = (clear: number, thick: number): number => clear ** (1 - weather.fog) * thick ** weather.fog;
  return { near: mix(60 + 6 * height, 1 + 0.4 * distance), far: mix(600 + 12 * height, 6 + 1.7 * distance) };
}

function smooth(low: number, high: number, value: number): number {
  const t = Math.min(1, Math.max(0, (value - low) / (high - low)));
  return t * t * (3 - 2 * t);
}
