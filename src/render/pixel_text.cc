#include "render/shader_text.h"

namespace convoy::render::text {

const char* const kPixelParts = R"(
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
  float share = 1.0;
#if SHADOWS
  // Under a closed sky things shade what is beside them, too, if faintly.
  share = lit(p, n);
  ndl *= mix(1.0, share, mix(0.45, 1.0, to_sun.w));
  ambient *= mix(0.85 - 0.2 * (1.0 - to_sun.w), 1.0, share);
#endif
#if NICE && WET
  // What faces up gets wet: darker, and a mirror of the sky where water stands.
  float wet = below.w * smoothstep(0.3, 0.9, n.z);
  vec2 w = (p + eye.xyz).xy;
  float far = smoothstep(12.0, 50.0, length(p)); // where they would be finer than pixels, a mean
  float puddles = mix(0.65 * noise(w * 0.45) + 0.35 * noise(w * 1.9), 0.5, far);
  float standing = smoothstep(0.66 - 0.42 * below.w, 0.80 - 0.3 * below.w, puddles);
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
  c += base * min(sun.rgb * (to_sun.w * glint), vec3(4.0)) + fresnel * seen * mix(0.35 + 0.65 * smoothness, 1.0, metal);
  c = mix(c, seen, 0.6 * mirror);
#if WET
  c = mix(c, seen * (0.6 + 0.3 * share), pool * (0.25 + 0.6 * pow(1.0 - ndv, 3.0)));
#endif
  return c + albedo * f_look.z;
#else
  return albedo * (sun.rgb * ndl + ambient + f_look.z);
#endif
}
#endif
)";

const char* const kPixelMain = R"(
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

}  // namespace convoy::render::text
