// The 3D view without its actors: renderer, light, sky and ground.
import {
  BackSide, Color, DirectionalLight, Fog, HemisphereLight, Matrix4, Mesh, MeshLambertMaterial, NeutralToneMapping, Object3D, PCFShadowMap,
  PerspectiveCamera, PlaneGeometry, Scene, ShaderMaterial, SphereGeometry, Vector2, Vector3, WebGLRenderer,
} from "three";
import { haze_of, kFairNoon, light_of, type Weather } from "./light.ts";

// What the machine can do. Without a graphics card each pixel is dear: no smooth edges, no shadows, and the plainest light.
export interface Quality { smooth: boolean; shadows: boolean; plain: boolean; pixel_ratio: number }

export function quality_of_machine(): Quality {
  const asked = new URLSearchParams(location.search).get("quality");
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) throw new Error("This browser has no WebGL 2, so it cannot show the world.");
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const renderer = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  const fast = asked ? asked === "high" : !/llvmpipe|swiftshader|software|basic render/i.test(renderer);
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return fast ? { smooth: true, shadows: true, plain: false, pixel_ratio: 2 } : { smooth: false, shadows: false, plain: true, pixel_ratio: 1 };
}

Object3D.DEFAULT_UP.set(0, 0, 1); // as the world has it

const kFewestPixels = 0.55; // of those a side
const kRest = 0.2; // s between pictures while nothing moves

export interface Covered { left: number; right: number; above: number; below: number } // CSS pixels at each side

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(50, 1, 0.05, 3000);
  readonly renderer: WebGLRenderer;
  private sun = new DirectionalLight(0xffffff, 2.6);
  private fill = new HemisphereLight(0xffffff, 0x888888, 1.5);
  private sky: ShaderMaterial;
  private ground: MeshLambertMaterial;
  private ground_mesh: Mesh;
  private line = { value: new Color() };
  private horizon = { value: new Color() };
  private haze = { value: new Vector2() }; // m, of the ground: where it begins, where it ends
  private to_sun = new Vector3();
  private dark = false;
  private weather = kFairNoon;

  private share = 1; // of the pixels a side that are drawn
  private moved_from = new Matrix4();
  private rendered_at = -1; // s
  private covered: Covered = { left: 0, right: 0, above: 0, below: 0 };

  constructor(readonly canvas: HTMLCanvasElement, private quality: Quality) {
    this.renderer = new WebGLRenderer({ canvas, antialias: quality.smooth, powerPreference: "high-performance" });
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, quality.pixel_ratio));
    this.sky = make_sky();
    const dome = new Mesh(new SphereGeometry(1, 24, 16), this.sky);
    dome.frustumCulled = false, dome.renderOrder = 11; // where nothing else is
    this.ground = this.make_ground();
    this.ground_mesh = new Mesh(new PlaneGeometry(4000, 4000), this.ground);
    this.ground_mesh.renderOrder = 10, this.ground_mesh.receiveShadow = true;
    this.ground_mesh.position.z = -0.01;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004, this.sun.shadow.normalBias = 0.012, this.sun.shadow.radius = 2.5;
    this.scene.add(dome, this.ground_mesh, this.sun, this.sun.target, this.fill);
    this.scene.fog = new Fog(0xffffff, 60, 600);
    this.set_dark(false);
  }

  // Drawn behind everything else, so that scenery at the same height lies over it.
  private make_ground(): MeshLambertMaterial {
    const material = new MeshLambertMaterial({ polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4 });
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, { line: this.line, horizon: this.horizon, haze: this.haze });
      shader.vertexShader = shader.vertexShader.replace("#include <common>", "#include <common>\nvarying vec3 at;")
        .replace("#include <begin_vertex>", "#include <begin_vertex>\nat = (modelMatrix * vec4(position, 1.0)).xyz;");
      shader.fragmentShader = shader.fragmentShader.replace("#include <common>", `#include <common>
        varying vec3 at; uniform vec3 line; uniform vec3 horizon; uniform vec2 haze;
        float lines(float cell, float width) {
          vec2 p = at.xy / cell, d = fwidth(p);
          vec2 g = abs(fract(p - 0.5) - 0.5) / max(d, vec2(1e-6));
          float seen = 1.0 - smoothstep(0.15, 0.5, max(d.x, d.y));
          return (1.0 - min(min(g.x, g.y) / width, 1.0)) * seen;
        }`)
        .replace("#include <color_fragment>", `#include <color_fragment>
        diffuseColor.rgb = mix(diffuseColor.rgb, line, max(0.26 * lines(1.0, 1.0), 0.4 * lines(10.0, 1.2)));`)
        .replace("#include <tonemapping_fragment>", `#include <tonemapping_fragment>
        float out_there = length(at.xy - cameraPosition.xy);
        gl_FragColor.rgb = mix(gl_FragColor.rgb, horizon, smoothstep(haze.x, haze.y, out_there));`);
    };
    return material;
  }

  set_dark(dark: boolean): void {
    this.dark = dark;
    this.shine();
  }

  set_weather(weather: Weather): void {
    if (JSON.stringify(weather) === JSON.stringify(this.weather)) return;
    this.weather = weather;
    this.shine();
  }

  private shine(): void {
    const light = light_of(this.dark, this.weather);
    (this.sky.uniforms.zenith!.value as Color).copy(light.zenith);
    (this.sky.uniforms.horizon!.value as Color).copy(light.horizon);
    this.horizon.value.copy(light.horizon);
    this.line.value.copy(light.line);
    this.ground.color.copy(light.ground);
    (this.scene.fog as Fog).color.copy(light.horizon);
    this.sun.color.copy(light.sun), this.sun.intensity = light.sunlight;
    this.fill.color.copy(light.fill), this.fill.groundColor.copy(light.below), this.fill.intensity = light.filling;
    this.to_sun.copy(light.to_sun);
    this.rendered_at = -1;
  }

  set_shadows(on: boolean): void {
    if (this.renderer.shadowMap.enabled === on) return;
    this.renderer.shadowMap.enabled = on;
    this.sun.castShadow = on;
  }

  // Fewer pixels where each is dear. True while that may still help.
  adapt(fps: number): boolean {
    if (!this.quality.plain) return false;
    const share = Math.min(1, Math.max(kFewestPixels, fps < 24 ? 0.85 * this.share : fps > 50 ? 1.1 * this.share : this.share));
    if (share === this.share) return false;
    this.share = share;
    this.renderer.setPixelRatio(share);
    this.resize(this.canvas.clientWidth, this.canvas.clientHeight);
    return true;
  }

  // What panels cover: the middle of the view is the middle of the rest.
  cover(covered: Covered): void {
    this.covered = covered;
    this.resize(this.canvas.clientWidth, this.canvas.clientHeight);
  }

  // Tangents of half the angles that are not covered, across and up.
  free_view(): { across: number; up: number } {
    const { clientWidth: width, clientHeight: height } = this.canvas, { left, right, above, below } = this.covered;
    const up = Math.tan((this.camera.fov * Math.PI) / 360), share = (covered: number, all: number): number => Math.max(0.25, 1 - covered / Math.max(1, all));
    return { across: up * this.camera.aspect * share(left + right, width), up: up * share(above + below, height) };
  }

  resize(width: number, height: number): void {
    this.rendered_at = -1;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    const { left, right, above, below } = this.covered;
    this.camera.setViewOffset(width, height, 0.5 * (right - left), 0.5 * (below - above), width, height);
    this.camera.updateProjectionMatrix();
  }

  // The light and its shadow map go with what is looked at. Where nothing moves a few pictures a second are enough.
  render(target: Vector3, moving: boolean, now: number): void {
    if (!moving && this.moved_from.equals(this.camera.matrixWorld) && now - this.rendered_at < kRest) return;
    this.moved_from.copy(this.camera.matrixWorld), this.rendered_at = now;
    const reach = Math.min(120, Math.max(3, 0.9 * this.camera.position.distanceTo(target)));
    const shadow = this.sun.shadow.camera, size = 2 ** (Math.ceil(2 * Math.log2(reach)) / 2); // in steps: it does not shimmer
    const texel = (2 * size) / this.sun.shadow.mapSize.x;
    if (shadow.right !== size) {
      shadow.left = shadow.bottom = -size, shadow.right = shadow.top = size;
      shadow.near = 1, shadow.far = 6 * size + 60;
      shadow.updateProjectionMatrix();
    }
    const snap = (v: number): number => Math.round(v / (8 * texel)) * 8 * texel;
    this.sun.target.position.set(snap(target.x), snap(target.y), 0);
    this.sun.position.copy(this.sun.target.position).addScaledVector(this.to_sun, 3 * size + 30);
    const haze = haze_of(this.weather, Math.max(this.camera.position.z, 1), this.camera.position.distanceTo(target));
    Object.assign(this.scene.fog as Fog, haze);
    this.haze.value.set(0.66 * haze.near, 0.66 * haze.far);
    this.renderer.render(this.scene, this.camera);
  }
}

function make_sky(): ShaderMaterial {
  return new ShaderMaterial({
    side: BackSide, depthWrite: false, fog: false,
    uniforms: { zenith: { value: new Color() }, horizon: { value: new Color() } },
    vertexShader: "varying vec3 to; void main() { to = position; vec4 p = projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0); gl_Position = p.xyww; }",
    fragmentShader: `varying vec3 to; uniform vec3 zenith; uniform vec3 horizon;
      void main() {
        gl_FragColor = vec4(mix(horizon, zenith, pow(clamp(normalize(to).z, 0.0, 1.0), 0.55)), 1.0);
        #include <colorspace_fragment>
      }`,
  });
}
