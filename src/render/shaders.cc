#include "render/shaders.h"

namespace convoy::render {

namespace {

// V is the world's axes with the camera as origin: single precision is enough in it however far away that is.
constexpr const char* kFrame = R"(
layout(std140) uniform Frame {
  mat4 clip;                // of V
  vec4 ray_0, ray_x, ray_y; // the ray of a pixel in V, 1 m long along the optical axis; w: where the picture begins
  vec4 to_sun;              // w: how sharp shadows are
  vec4 sun;                 // w: 1 by day, 0 at night
  vec4 sky;                 // w: time, s
  vec4 below;               // w: wetness
  vec4 zenith;              // w: cloudiness
  vec4 horizon;             // w: extinction, 1/m
  vec4 eye;                 // of the camera in W, m, but for a multiple of 512 m; w: far
  vec4 weather;             // rain, fog; width and height of the picture
  mat4 shadow[3];           // V to a cascade's map, 0 to 1
  vec4 texel;               // m, of each cascade's map
  vec4 zenith_root, horizon_root;
};
)";

constexpr const char* kCorner = R"(
layout(location = 0) in vec4 corner;
layout(location = 1) in vec3 flat_normal;
layout(location = 2) in vec3 normal;
layout(location = 3) in vec2 uv;
layout(location = 4) in vec4 row_0;
layout(location = 5) in vec4 row_1;
layout(location = 6) in vec4 row_2;
layout(location = 7) in vec4 scale;
layout(location = 8) in vec4 color;
layout(location = 9) in uvec2 ids;
layout(location = 10) in vec4 look;
layout(location = 11) in vec4 place;

#if PIXELS
flat out uvec2 f_ids;
#if COLOUR
flat out vec4 f_color;
flat out vec4 f_look;
flat out vec4 f_haze;
#endif
#if FLAT
flat out vec4 f_plane;
#if LIT
smooth out vec3 f_lit, f_lit_behind, f_at;
#elif COLOUR
smooth out vec3 f_normal;
#endif
#elif PLANE
flat out vec3 f_closing, f_along_x, f_along_y, f_normal;
flat out vec3 f_start; // x, y, and the distance of the plane
#if LIT
flat out vec3 f_lit, f_lit_line;
flat out vec4 f_slant;
#endif
#else
flat out vec3 f_row_0; flat out vec3 f_row_1; flat out vec3 f_row_2;
flat out vec4 f_scale;
smooth out vec3 f_local;
#endif
#if UV
smooth out vec2 f_uv;
#elif CUBE && (FLAT || PLANE)
smooth out vec3 f_way;
#endif
#endif

vec3 turned(vec3 v) { return vec3(dot(row_0.xyz, v), dot(row_1.xyz, v), dot(row_2.xyz, v)); }

#if LIT
// Light is worked out here where a pixel adds nothing to it: as shown, or what a texture is multiplied by.
vec3 lit(vec3 n) {
  vec3 light = (sun.rgb * max(dot(n, to_sun.xyz), 0.0) + mix(below.rgb, sky.rgb, 0.5 + 0.5 * n.z)) * (1.0 - 0.35 * below.w);
  vec3 c = color.rgb * (light + look.z);
#if TEXTURED
  return c;
#else
  return encoded(toned(c));
#endif
}
#endif

void main() {
  vec3 local = corner.xyz * scale.xyz;
#if CAPSULE
  local.z += corner.w * scale.w;
#elif PLANE
  local.z = 0.0;
#endif
  vec3 origin = vec3(row_0.w, row_1.w, row_2.w);
  vec3 at = turned(local) + origin;
  gl_Position = clip * vec4(at, 1.0);
#if PLANE
  gl_Position.z *= scale.z; // a little farther than it is: what lies on it is seen
#endif
#if PIXELS
  f_ids = ids;
#if COLOUR
  f_color = color;
  f_look = look;
  f_haze = vec4(horizon_root.rgb, -1.442695 * horizon.w);
#endif
#if FLAT
  vec3 plane = turned(flat_normal);
  f_plane = vec4(plane, dot(plane, at));
#if LIT
  vec3 n = turned(normal);
  f_lit = lit(n), f_lit_behind = lit(-n), f_at = at;
#elif COLOUR
  f_normal = turned(normal);
#endif
#elif PLANE
  // What is linear in the coordinates of a pixel: x, y, and 1.
  vec3 n = turned(normal), x = vec3(row_0.x, row_1.x, row_2.x) * place.z, y = vec3(row_0.y, row_1.y, row_2.y) * -place.w;
  f_closing = vec3(dot(n, ray_x.xyz), dot(n, ray_y.xyz), dot(n, ray_0.xyz));
  f_along_x = vec3(dot(x, ray_x.xyz), dot(x, ray_y.xyz), dot(x, ray_0.xyz));
  f_along_y = vec3(dot(y, ray_x.xyz), dot(y, ray_y.xyz), dot(y, ray_0.xyz));
  f_start = vec3(place.xy - vec2(dot(x, origin), dot(y, origin)), dot(n, origin));
  f_normal = f_start.z > 0.0 ? -n : n;
#if LIT
  f_lit = lit(f_normal);
  f_lit_line = f_lit * 0.65;
  f_slant.xz = vec2(length(ray_x.xyz), length(ray_y.xyz));
  f_slant.yw = vec2(dot(ray_0.xyz, ray_x.xyz), dot(ray_0.xyz, ray_y.xyz)) / f_slant.xz;
#endif
#else
  f_row_0 = row_0.xyz, f_row_1 = row_1.xyz, f_row_2 = row_2.xyz;
  f_scale = scale;
  f_local = local;
#endif
#if UV && FLAT
#if PLANAR
  f_uv = local.xy * vec2(1, -1) * place.zw + place.xy;
#else
  f_uv = uv;
#endif
#elif CUBE && (FLAT || PLANE)
  f_way = local * place.xyz;
#endif
#endif
}
)";

// The whole picture, behind everything.
constexpr const char* kSkyCorner = R"(
smooth out vec3 f_ray;
flat out vec3 f_zenith, f_horizon;
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(corner, 0.0, 1.0);
  vec2 pixel = (0.5 * corner + 0.5) * weather.zw + vec2(ray_x.w, ray_y.w);
  f_ray = ray_0.xyz + pixel.x * ray_x.xyz + pixel.y * ray_y.xyz;
  f_zenith = zenith_root.rgb, f_horizon = horizon_root.rgb;
}
)";

// Khronos' PBR Neutral: colours of materials stay what they are, highlights lose theirs.
constexpr const char* kTone = R"(
vec3 toned(vec3 c) {
  float low = min(c.r, min(c.g, c.b)), toe = low < 0.08 ? low - 6.25 * low * low : 0.04;
  c -= toe * sun.w; // by night what is left would be too strong a colour
  float peak = max(max(c.r, max(c.g, c.b)), 0.76), more = peak - 0.52; // 0.76: where highlights begin
  float shown = 1.0 - 0.0576 / more;
#if NICE
  return mix(c * (shown / peak), vec3(shown), 1.0 - 1.0 / (0.15 * (peak - shown) + 1.0));
#else
  return c * ((more - 0.0576) / (more * peak));
#endif
}

// Roots: what reads the picture back turns them into sRGB by a table, which is exact, and quick.
vec3 encoded(vec3 c) { return sqrt(clamp(c, 0.0, 1.0)); }
)";

constexpr const char* kLight = R"(
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

constexpr const char* kSkyPixel = R"(
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

constexpr const char* kPixel = R"(
#if DATA
layout(location = 1) out float o_depth;
layout(location = 2) out uvec2 o_ids;
flat in uvec2 f_ids;
#endif
#if COLOUR
flat in vec4 f_color;
flat in vec4 f_look; // specular, roughness, emission, metallic or, below 0, what it reflects
flat in vec4 f_haze; // roots of its colour, and how fast it closes
#endif
#if FLAT
flat in vec4 f_plane;
#if LIT
smooth in vec3 f_lit, f_lit_behind, f_at;
#elif COLOUR
smooth in vec3 f_normal;
#endif
#elif PLANE
flat in vec3 f_closing, f_along_x, f_along_y, f_normal;
flat in vec3 f_start;
#if LIT
flat in vec3 f_lit, f_lit_line;
flat in vec4 f_slant; // how far a pixel looks sideways and down, 1 m ahead
#endif
#else
flat in vec3 f_row_0; flat in vec3 f_row_1; flat in vec3 f_row_2;
flat in vec4 f_scale;
smooth in vec3 f_local;
#endif
#if UV
smooth in vec2 f_uv;
#elif CUBE && (FLAT || PLANE)
smooth in vec3 f_way;
#endif
#if COLOUR
#if UV || PLANAR
uniform sampler2D picture;
#elif CUBE
uniform samplerCube picture;
#endif
#if SHADOWS
uniform sampler2DArrayShadow shadows;
#endif
#endif

#if COLOUR && !NICE
// Plain pictures have haze between roots: fewer of them are to be drawn.
void finish(vec3 root, float distance, float opacity) {
  o_colour = vec4(mix(f_haze.rgb, root, exp2(f_haze.w * distance)), opacity);
}
#endif

// How far along the ray, from a place within the shape and its way there: to the surface in front, or of what is seen
// from inside, behind.
float root(float a, float b, float c) {
  float r = sqrt(max(b * b - a * c, 0.0));
  return ((gl_FrontFacing ? -r : r) - b) / max(a, 1e-20);
}

#if BALL
float step_onto(vec3 p, vec3 d, out vec3 n) {
  vec3 q = p / f_scale.xyz, e = d / f_scale.xyz;
  float t = root(dot(e, e), dot(q, e), dot(q, q) - 1.0);
  n = (q + t * e) / f_scale.xyz;
  return t;
}
#elif CYLINDER
float step_onto(vec3 p, vec3 d, out vec3 n) {
  float side = gl_FrontFacing ? -1.0 : 1.0;
  float round = root(dot(d.xy, d.xy), dot(p.xy, d.xy), dot(p.xy, p.xy) - f_scale.x * f_scale.x);
  float dz = abs(d.z) < 1e-9 ? 1e-9 : d.z, face = side * sign(dz);
  float level = (face * f_scale.z - p.z) / dz;
  bool on_face = side * level < side * round;
  n = on_face ? vec3(0, 0, face) : vec3((p.xy + round * d.xy) / f_scale.x, 0);
  return on_face ? level : round;
}
#elif CAPSULE
float step_onto(vec3 p, vec3 d, out vec3 n) {
  float r = f_scale.x, h = f_scale.w;
  float round = root(dot(d.xy, d.xy), dot(p.xy, d.xy), dot(p.xy, p.xy) - r * r), z = p.z + round * d.z;
  vec3 q = p - vec3(0, 0, clamp(z, -h, h));
  float cap = root(dot(d, d), dot(q, d), dot(q, q) - r * r);
  bool on_cap = abs(z) > h;
  n = on_cap ? q + cap * d : vec3(p.xy + round * d.xy, 0);
  return on_cap ? cap : round;
}
#endif

#if COLOUR
#if SHADOWS
float tap(vec3 at, float layer) { return texture(shadows, vec4(at.xy, layer, at.z)); }

// The share of the sun's light that comes through.
float lit(vec3 p, vec3 n) {
  float slope = clamp(1.0 - dot(n, to_sun.xyz), 0.0, 1.0);
#if NICE
  // The finest map that has it; then a disc of taps, as wide as a hand and at least as smooth as the map is coarse.
  vec3 at = vec3(2.0);
  float layer = 0.0, coarse = texel.z;
  for (int i = 2; i >= 0; --i) {
    vec3 here = (shadow[i] * vec4(p + n * texel[i] * (0.8 + 3.6 * slope), 1.0)).xyz;
    bool inside = max(abs(here.x - 0.5), abs(here.y - 0.5)) < 0.485;
    at = inside ? here : at, layer = inside ? float(i) : layer, coarse = inside ? texel[i] : coarse;
  }
  float wide = max(1.6, 0.02 / coarse) / float(textureSize(shadows, 0).x), sum = 0.0;
  for (int k = 0; k < 6; ++k) {
    float r = sqrt((float(k) + 0.5) / 6.0), a = 2.3999632 * float(k);
    sum += tap(vec3(at.xy + wide * r * vec2(cos(a), sin(a)), at.z), layer);
  }
  return at.x > 1.5 ? 1.0 : sum / 6.0;
#else
  vec3 at = (shadow[0] * vec4(p + n * texel.x * (0.6 + 2.2 * slope), 1.0)).xyz;
  return all(lessThan(abs(at.xy - 0.5), vec2(0.49))) ? tap(at, 0.0) : 1.0;
#endif
}
#endif

#if PLANE && LINES
// Lines of the ground, a metre and ten metres apart, as the page has them; they fade where they would flicker. `width`:
// what a pixel covers, m.
float lines(vec2 at, vec2 width) {
  vec2 wide = 1.0 / max(width, vec2(1e-6));
  vec2 one = 1.0 - abs(fract(at - 0.5) - 0.5) * wide, ten = 1.0 - abs(fract(0.1 * at - 0.5) - 0.5) * (8.33 * wide);
  float much = max(width.x, width.y);
  float near = clamp(1.43 - 2.86 * much, 0.0, 1.0), far = clamp(1.43 - 0.286 * much, 0.0, 1.0);
  return max(0.45 * near * max(one.x, one.y), 0.7 * far * max(max(ten.x, ten.y), 0.0));
}
#endif

vec3 shaded(vec3 albedo, vec3 p, vec3 n, vec3 way) {
  float facing = dot(n, to_sun.xyz), ndl = max(facing, 0.0);
  vec3 ambient = mix(below.rgb, sky.rgb, 0.5 + 0.5 * n.z);
#if SHADOWS
  // Under a closed sky things shade what is beside them, too, if faintly.
  float share = lit(p, n);
  ndl *= mix(1.0, share, mix(0.45, 1.0, to_sun.w));
  ambient *= mix(0.85 - 0.2 * (1.0 - to_sun.w), 1.0, share);
#endif
#if NICE && WET
  // What faces up gets wet: darker, and a mirror of the sky where water stands.
  float wet = below.w * smoothstep(0.3, 0.9, n.z);
  vec2 w = (p + eye.xyz).xy;
  float standing = smoothstep(0.62 - 0.45 * below.w, 0.74 - 0.3 * below.w, 0.65 * noise(w * 0.45) + 0.35 * noise(w * 1.9));
  float pool = below.w * standing * smoothstep(0.97, 0.995, n.z);
  albedo *= 1.0 - 0.45 * wet;
#else
  albedo *= 1.0 - 0.35 * below.w;
#endif
#if NICE
  float metal = max(f_look.w, 0.0), mirror = max(-f_look.w, 0.0);
  float rough = f_look.y;
  vec3 base = mix(vec3(0.08 * f_look.x), albedo, metal);
  vec3 half_way = normalize(to_sun.xyz - way);
  float ndv = clamp(-dot(n, way), 0.0, 1.0), grazing = pow(1.0 - ndv, 5.0);
#if WET
  rough = mix(rough, 0.25, 0.8 * wet);
  rough = mix(rough, 0.06, pool);
  base = mix(base, max(base, vec3(0.03)), wet);
#endif
  float power = 2.0 / pow(max(rough, 0.08), 4.0), smoothness = (1.0 - rough) * (1.0 - rough);
  float glint = ndl * (power + 6.0) / 8.0 * pow(max(dot(n, half_way), 0.0), power);
  vec3 back = reflect(way, n);
  vec3 seen = gradient(normalize(vec3(back.xy, abs(back.z) + 0.02)));
  seen = mix(mix(below.rgb, sky.rgb, 0.5 + 0.5 * back.z), seen, smoothness) * mix(0.35, 1.0, smoothstep(-0.3, 0.2, back.z));
  vec3 fresnel = base + (max(vec3(1.0 - rough), base) - base) * grazing;
  vec3 c = albedo * (1.0 - metal) * (1.0 - mirror) * (sun.rgb * ndl + ambient);
  c += base * min(sun.rgb * glint, vec3(4.0)) + fresnel * seen * mix(0.35 + 0.65 * smoothness, 1.0, metal);
  c = mix(c, seen, 0.6 * mirror);
#if WET
  c = mix(c, seen * 0.9, pool * (0.25 + 0.6 * pow(1.0 - ndv, 3.0)));
#endif
  return c + albedo * f_look.z;
#else
  return albedo * (sun.rgb * ndl + ambient + f_look.z);
#endif
}
#endif

void main() {
#if PLANE
  // The plane under the pixel, and how fast it goes by there: exact up to the horizon.
  vec3 pixel = vec3(gl_FragCoord.xy, 1.0);
  float closing = 1.0 / dot(f_closing, pixel), t = f_start.z * closing;
  t = t > 0.0 ? t : 1.0 / gl_FragCoord.w;
#elif DATA || !(LIT && FLAT)
  float t = 1.0 / gl_FragCoord.w;
#endif
#if !(LIT && PLANE) && (DATA || !(LIT && FLAT))
  vec3 ray = ray_0.xyz + gl_FragCoord.x * ray_x.xyz + gl_FragCoord.y * ray_y.xyz;
#if FLAT
  // The triangle's own plane is more exact than what is interpolated over a large triangle.
  float closing = dot(f_plane.xyz, ray), exact = f_plane.w / closing;
  t = abs(closing) > 1e-6 && exact > 0.0 ? exact : t;
#elif !PLANE
  vec3 n, d = ray.x * f_row_0 + ray.y * f_row_1 + ray.z * f_row_2;
  float onto = step_onto(f_local, d, n);
  t += onto;
#endif
#endif
#if DATA
  bool there = t <= eye.w;
  o_depth = there ? t : uintBitsToFloat(0x7F800000u);
  o_ids = there ? f_ids : uvec2(0u);
#endif
#if COLOUR
#if LIT && FLAT
  float distance = length(f_at);
#elif LIT && PLANE
  vec2 slant = gl_FragCoord.xy * f_slant.xz + f_slant.yw;
  float distance = t * sqrt(1.0 + dot(slant, slant));
#else
  float distance = t * length(ray);
#endif
#if PLANE && (LINES || PLANAR)
  vec2 along = vec2(dot(f_along_x, pixel), dot(f_along_y, pixel)), at = t * along + f_start.xy;
  vec2 at_dx = t * (vec2(f_along_x.x, f_along_y.x) - along * (f_closing.x * closing));
  vec2 at_dy = t * (vec2(f_along_x.y, f_along_y.y) - along * (f_closing.y * closing));
#endif
#if PLANE && PLANAR
  vec3 picked = textureGrad(picture, at, at_dx, at_dy).rgb;
#elif UV
  vec3 picked = texture(picture, f_uv).rgb;
#elif CUBE && FLAT
  vec3 picked = texture(picture, f_way).rgb;
#elif CUBE && !PLANE
  vec3 picked = texture(picture, (f_local + onto * d) / f_scale.xyz).rgb;
#endif
#if PLANE && LINES
  float line = lines(at, abs(at_dx) + abs(at_dy));
#endif
#if LIT
#if FLAT
  vec3 c = gl_FrontFacing ? f_lit : f_lit_behind;
#else
  vec3 c = f_lit;
#endif
#if TEXTURED
  c = encoded(toned(c * picked));
#elif PLANE && LINES
  c = mix(c, f_lit_line, line);
#endif
  finish(c, distance, f_color.a);
#else
  vec3 p = t * ray, way = p / distance;
#if PLANE
  vec3 facet = f_normal;
#else
#if FLAT
  vec3 facet = normalize(f_normal);
#else
  vec3 facet = normalize(vec3(dot(f_row_0, n), dot(f_row_1, n), dot(f_row_2, n)));
#endif
  // Smooth normals may look away where the triangle does not.
  float away = dot(facet, way);
  facet = away > 0.0 ? (gl_FrontFacing ? normalize(facet - 1.01 * away * way) : -facet) : facet;
#endif
  vec3 albedo = f_color.rgb;
#if TEXTURED
  albedo *= picked;
#elif PLANE && LINES
  albedo *= 1.0 - 0.58 * line;
#endif
  vec3 c = toned(shaded(albedo, p, facet, way));
#if NICE
  c = mix(gradient(normalize(vec3(way.xy, max(way.z, 0.0)))), c, exp2(-1.442695 * horizon.w * distance));
  finish(c, way, distance, f_color.a);
#else
  finish(encoded(c), distance, f_color.a);
#endif
#endif
#endif
}
)";

std::string defined(const ProgramKey& key) {
  std::string out = "#version 330 core\n";
  const auto define = [&](const char* name, bool on) {
    out += std::string("#define ") + name + (on ? " 1\n" : " 0\n");
  };
  define("FLAT", key.form == Form::kFlat), define("PLANE", key.form == Form::kPlane);
  define("BALL", key.form == Form::kBall), define("CYLINDER", key.form == Form::kCylinder);
  define("CAPSULE", key.form == Form::kCapsule);
  define("PLANAR", key.texturing == Texturing::kPlanar), define("CUBE", key.texturing == Texturing::kCube);
  define("UV",
         key.form == Form::kFlat && (key.texturing == Texturing::kCorners || key.texturing == Texturing::kPlanar));
  define("COLOUR", key.colour), define("DATA", key.data), define("PIXELS", key.colour || key.data);
  define("NICE", key.nice), define("SHADOWS", key.shadows), define("RAIN", key.rain), define("WET", key.wet);
  define("LINES", key.lines);
  const bool textured = key.texturing != Texturing::kNone, round = key.form != Form::kFlat && key.form != Form::kPlane;
  define("TEXTURED", textured);
  define("LIT", key.colour && !key.nice && !key.shadows && !round && key.form != Form::kSky);
  return out + kFrame + kTone;
}

}  // namespace

std::string corner_shader(const ProgramKey& key) {
  return defined(key) + (key.form == Form::kSky ? kSkyCorner : kCorner);
}

std::string pixel_shader(const ProgramKey& key) {
  const std::string begin = defined(key);
  if (!key.colour && !key.data) return begin + "void main() {}\n";
  return begin + (key.colour ? kLight : "") + (key.form == Form::kSky ? kSkyPixel : kPixel);
}

}  // namespace convoy::render
