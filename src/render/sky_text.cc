#include "render/shader_text.h"

namespace convoy::render::text {

const char* const kLight = R"(
layout(location = 0) out vec4 o_colour;

#if NICE
float hash(ivec2 p) {
  uint h = uint(p.x) * 0x9E3779B1u ^ uint(p.y) * 0x85EBCA77u;
  h ^= h >> 15; h *= 0x2C1B3C6Du; h ^= h >> 12; h *= 0x297A2D39u; h ^= h >> 15;
  return float(h >> 8) / 16777216.0;
}
float noise(vec2 p) {
  ivec2 i = ivec2(floor(p));
  vec2 f = fract(p); f = f * f * (3.0 - 2.0 * f);
  return mix(mix(hash(i), hash(i + ivec2(1, 0)), f.x), mix(hash(i + ivec2(0, 1)), hash(i + ivec2(1, 1)), f.x), f.y);
}
#endif

#if NICE
// Of a direction of length 1, as shown.
vec3 gradient(vec3 way) {
  vec3 c = mix(horizon.rgb, zenith.rgb, pow(clamp(way.z, 0.0, 1.0), 0.55));
  float s = max(dot(way, to_sun.xyz), 0.0);
  float clear = to_sun.w * step(-0.02, way.z);
  c += sun.rgb * clear * sun.w * (0.10 * pow(s, 8.0) + 0.22 * pow(s, 64.0));
  return c;
}
#endif

#if RAIN
// Streaks on upright cylinders around the camera, so that they stay where they are when it turns.
vec3 rained(vec3 c, vec3 way, float distance) {
  float level = length(way.xy), azimuth = atan(way.y, way.x) / 6.2831853, rise = way.z / max(level, 0.2);
  float steep = smoothstep(0.1, 0.5, level), sum = 0.0;
  for (int i = 0; i < 4; ++i) {
    float away = 2.5 * exp2(float(i)), columns = floor(140.0 * exp2(0.75 * float(i)));
    float u = (azimuth + 0.5) * columns, column = floor(u), drift = hash(ivec2(int(column), i));
    float v = (rise * away + 9.0 * sky.w) / 1.6 + 37.0 * drift, cell = floor(v);
    float seed = hash(ivec2(int(column) + 977 * i, int(mod(cell, 65536.0))));
    float across = abs(fract(u) - 0.2 - 0.6 * fract(17.0 * seed)), along = fract(v);
    float streak = smoothstep(0.10, 0.0, across) * smoothstep(0.0, 0.15, along) * smoothstep(0.45, 0.15, along);
    sum += streak * step(seed, 0.25 + 0.6 * weather.x) * step(away, distance) * (0.5 - 0.08 * float(i));
  }
  return mix(c, mix(horizon.rgb, vec3(1.0), 0.35 * sun.w), clamp(0.5 * sum * steep * (0.3 + 0.7 * weather.x), 0.0, 0.6));
}
#endif

#if NICE
// Of linear light.
void finish(vec3 c, vec3 way, float distance, float opacity) {
#if RAIN
  c = rained(c, way, distance);
#endif
  // Less than a step of 255: gradients show no bands.
  float grain = (hash(ivec2(gl_FragCoord.xy) + ivec2(7919, 104729)) - 0.5) / 255.0;
  o_colour = vec4(encoded(c) + grain, opacity);
}
#endif
)";

const char* const kSkyPixel = R"(
smooth in vec3 f_ray;
flat in vec3 f_zenith, f_horizon;
#if NICE
float cloud(vec2 p) {
  float sum = 0.0, weight = 0.5;
  for (int i = 0; i < 5; ++i) sum += weight * noise(p), p = mat2(1.6, 1.2, -1.2, 1.6) * p + 11.3, weight *= 0.5;
  return sum;
}
#endif

void main() {
#if NICE
  vec3 way = normalize(f_ray), c = gradient(way);
  float up = clamp(way.z, 0.0, 1.0), thin = (1.0 - weather.y) * smoothstep(0.0, 0.12, way.z);
  vec2 p = way.xy / (up + 0.12);
  float night = clamp(1.0 - 3.0 * sun.w, 0.0, 1.0) * (1.0 - zenith.w);
  ivec2 star = ivec2(floor(p * 90.0));
  vec2 off = fract(p * 90.0) - 0.5;
  c += night * thin * step(0.985, hash(star)) * smoothstep(0.4, 0.0, length(off)) * hash(star + 31) * 0.8;
  float s = dot(way, to_sun.xyz), disc = smoothstep(0.99985, 0.99992, s);
  c = mix(c, mix(vec3(0.75, 0.8, 0.9), vec3(1.0, 0.97, 0.9), sun.w), disc * to_sun.w * thin);
  float cover = 0.75 * zenith.w;
  float d = cloud(p * 1.3 + 0.004 * sky.w), toward = cloud(p * 1.3 + 0.004 * sky.w + 0.18 * to_sun.xy);
  float thick = smoothstep(0.62 - 0.62 * cover, 0.80 - 0.45 * cover, d) * step(0.001, cover);
  float bright = clamp(0.86 + 1.3 * (d - toward), 0.45, 1.1);
  vec3 white = mix(horizon.rgb, 1.02 * sun.rgb + 0.3 * zenith.rgb, 0.65) * bright;
  c = mix(c, white, 0.92 * thick * thin);
  finish(c, way, 1e9, 1.0);
#else
  o_colour = vec4(mix(f_horizon, f_zenith, sqrt(max(f_ray.z, 0.0) * inversesqrt(dot(f_ray, f_ray)))), 1.0);
#endif
}
)";

}  // namespace convoy::render::text
