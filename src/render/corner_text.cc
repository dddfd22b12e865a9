#include "render/shader_text.h"

namespace convoy::render::text {

// V is the world's axes with the camera as origin: single precision is enough in it however far away that is.
const char* const kFrame = R"(
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

// Khronos' PBR Neutral: colours of materials stay what they are, highlights lose theirs.
const char* const kTone = R"(
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

const char* const kCorner = R"(
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
const char* const kSkyCorner = R"(
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

}  // namespace convoy::render::text
