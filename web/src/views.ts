// How the camera goes: in orbit, flying, with an entity, or from above.
import { MOUSE, PerspectiveCamera, Spherical, TOUCH, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Selection } from "./selection.ts";
import type { World } from "./world.ts";

export type Mode = "orbit" | "fly" | "follow" | "behind" | "top";
export const kModes: Mode[] = ["orbit", "fly", "follow", "behind", "top"];
const kGlide = 0.35; // s to a new place

export class Views {
  mode: Mode = "orbit";
  on_change: () => void = () => {};
  readonly controls: OrbitControls;
  private held = new Set<string>(); // keys
  private looking = false; // by drag, in fly
  private followed = new Vector3();
  private followed_yaw = 0;
  private follows = 0; // number of the entity whose place is in `followed`
  private glide: { from: Vector3; to: Vector3; eye_from: Vector3; eye_to: Vector3; share: number } | null = null;
  private calm = matchMedia("(prefers-reduced-motion: reduce)");

  constructor(readonly camera: PerspectiveCamera, canvas: HTMLCanvasElement, private world: World, private selection: Selection, private free_view: () => { across: number; up: number }) {
    this.controls = new OrbitControls(camera, canvas);
    this.controls.enableDamping = !this.calm.matches;
    this.controls.dampingFactor = 0.18;
    this.controls.maxPolarAngle = Math.PI * 0.495;
    this.controls.minDistance = 0.15, this.controls.maxDistance = 1500;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("start", () => { this.glide = null; });
    canvas.addEventListener("pointerdown", () => { this.looking = this.mode === "fly"; });
    addEventListener("pointerup", () => { this.looking = false; });
    addEventListener("pointermove", (event) => { if (this.looking) this.look(event.movementX, event.movementY); });
    addEventListener("blur", () => this.held.clear());
  }

  get target(): Vector3 { return this.controls.target; }

  set(mode: Mode): void {
    const before = this.mode;
    this.mode = mode, this.follows = 0;
    const c = this.controls;
    c.enabled = mode !== "fly";
    c.enableRotate = mode !== "top";
    c.mouseButtons.LEFT = mode === "top" ? MOUSE.PAN : MOUSE.ROTATE;
    c.touches.ONE = mode === "top" ? TOUCH.PAN : TOUCH.ROTATE;
    if (before === "fly" && mode !== "fly") this.aim_at_ground();
    if (mode === "top") this.glide_to(c.target.clone(), c.target.clone().add(new Vector3(-0.001, 0, Math.max(3, this.camera.position.distanceTo(c.target)))));
    if (before === "top" && mode !== "top" && mode !== "fly") this.tilt();
    if (mode === "follow" || mode === "behind") this.come_near(mode);
    this.on_change();
  }

  private aim_at_ground(): void {
    const ahead = this.camera.getWorldDirection(new Vector3());
    const far = ahead.z < -0.05 ? Math.min(50, -this.camera.position.z / ahead.z) : 5;
    this.controls.target.copy(this.camera.position).addScaledVector(ahead, Math.max(0.5, far));
  }

  private tilt(): void {
    const far = this.camera.position.distanceTo(this.controls.target);
    this.glide_to(this.controls.target.clone(), this.controls.target.clone().add(new Vector3(-0.6, -0.35, 0.6).normalize().multiplyScalar(far)));
  }

  private place_of(number: number, out: Vector3): number | null {
    const entity = this.world.by_number.get(number);
    if (!entity || !this.world.shown[entity.slot]) return null;
    const p = this.world.poses, at = 7 * entity.slot;
    out.set(p[at]!, p[at + 1]!, p[at + 2]! + 0.5 * entity.model.height);
    return Math.atan2(2 * (p[at + 3]! * p[at + 6]! + p[at + 4]! * p[at + 5]!), 1 - 2 * (p[at + 5]! ** 2 + p[at + 6]! ** 2));
  }

  private come_near(mode: Mode): void {
    const entity = this.selection.entity, at = new Vector3();
    const yaw = entity ? this.place_of(entity.number, at) : null;
    if (!entity || yaw === null) return;
    const size = Math.max(entity.model.radius, 0.5 * entity.model.height, 0.1);
    const offset = this.camera.position.clone().sub(this.controls.target);
    if (mode === "behind") offset.set(-Math.cos(yaw), -Math.sin(yaw), 0.55);
    offset.setLength(mode === "behind" ? 7 * size : Math.min(Math.max(offset.length(), 4 * size), 14 * size));
    this.controls.target.copy(at), this.camera.position.copy(at).add(offset);
    this.follows = entity.number, this.followed.copy(at), this.followed_yaw = yaw;
  }

  key(code: string, down: boolean): void {
    if (down) this.held.add(code);
    else this.held.delete(code);
  }

  // Everything, or the selected entity alone.
  frame(all: boolean, at_once = false): void {
    const { world } = this, lowest = new Vector3(Infinity, Infinity, 0), highest = new Vector3(-Infinity, -Infinity, 0), at = new Vector3();
    const only = all ? null : this.selection.entity;
    for (const entity of only ? [only] : world.entities) {
      if (this.place_of(entity.number, at) === null) continue;
      const r = entity.model.radius;
      lowest.min(at.clone().addScalar(-r)), highest.max(at.clone().addScalar(r));
    }
    const [x0 = -5, y0 = -5, x1 = 5, y1 = 5] = world.bounds;
    if (lowest.x > highest.x) lowest.set(x0, y0, 0), highest.set(x1, y1, 0);
    const middle = lowest.clone().add(highest).multiplyScalar(0.5), half = highest.clone().sub(lowest).multiplyScalar(0.5).addScalar(0.3);
    if (this.mode === "fly" || this.mode === "follow" || this.mode === "behind") this.set("orbit");
    const offset = this.camera.position.clone().sub(this.controls.target);
    if (at_once) offset.set(-0.62, -0.5, 0.62);
    if (this.mode === "top") offset.set(-0.0001, 0, 1);
    const eye = middle.clone().add(offset.setLength(this.far_enough(half, offset.clone().normalize())));
    if (at_once) this.controls.target.copy(middle), this.camera.position.copy(eye);
    else this.glide_to(middle, eye);
  }

  // How far from a box the eye sees all of it, in that direction from its middle; m.
  private far_enough(half: Vector3, back: Vector3): number {
    const { across, up } = this.free_view(), right = new Vector3(-back.y, back.x, 0), corner = new Vector3();
    if (right.length() < 1e-3) right.set(0, -1, 0);
    right.normalize();
    const above = back.clone().cross(right);
    let far = 0.5;
    for (let i = 0; i < 8; i++) {
      corner.set(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
      far = Math.max(far, corner.dot(back) + Math.max(Math.abs(corner.dot(right)) / across, Math.abs(corner.dot(above)) / up));
    }
    return 1.04 * far;
  }

  private glide_to(target: Vector3, eye: Vector3): void {
    this.glide = { from: this.controls.target.clone(), to: target, eye_from: this.camera.position.clone(), eye_to: eye, share: this.calm.matches ? 1 : 0 };
  }

  update(dt: number): void {
    if (this.glide) {
      const g = this.glide;
      g.share = Math.min(1, g.share + dt / kGlide);
      const s = g.share * g.share * (3 - 2 * g.share);
      this.controls.target.lerpVectors(g.from, g.to, s), this.camera.position.lerpVectors(g.eye_from, g.eye_to, s);
      if (g.share === 1) this.glide = null;
    }
    if (this.mode === "follow" || this.mode === "behind") this.follow();
    if (this.mode === "fly") this.fly(dt);
    else this.controls.update(dt);
  }

  private follow(): void {
    const at = new Vector3(), entity = this.selection.entity;
    if (!entity) return;
    if (this.follows !== entity.number) return this.come_near(this.mode);
    const yaw = this.place_of(entity.number, at);
    if (yaw === null) return;
    const offset = this.camera.position.clone().sub(this.controls.target);
    if (this.mode === "behind") offset.applyAxisAngle(new Vector3(0, 0, 1), Math.atan2(Math.sin(yaw - this.followed_yaw), Math.cos(yaw - this.followed_yaw)));
    this.controls.target.add(at.clone().sub(this.followed));
    this.camera.position.copy(this.controls.target).add(offset);
    this.followed.copy(at), this.followed_yaw = yaw;
  }

  private look(dx: number, dy: number): void {
    const ahead = this.camera.getWorldDirection(new Vector3());
    const turned = new Spherical().setFromVector3(new Vector3(ahead.y, ahead.z, ahead.x)); // about z
    turned.theta -= dx * 0.004, turned.phi = Math.min(3.1, Math.max(0.04, turned.phi + dy * 0.004));
    const v = new Vector3().setFromSpherical(turned);
    this.camera.lookAt(this.camera.position.clone().add(new Vector3(v.z, v.x, v.y)));
  }

  private fly(dt: number): void {
    const has = (...codes: string[]): number => (codes.some((code) => this.held.has(code)) ? 1 : 0);
    const ahead = this.camera.getWorldDirection(new Vector3()), right = ahead.clone().cross(this.camera.up).normalize();
    const speed = (has("ShiftLeft", "ShiftRight") ? 4 : 1) * Math.max(2, 0.8 * this.camera.position.z) * dt;
    this.camera.position.addScaledVector(ahead, speed * (has("KeyW") - has("KeyS"))).addScaledVector(right, speed * (has("KeyD") - has("KeyA")));
    this.camera.position.z = Math.max(0.1, this.camera.position.z + speed * (has("KeyE") - has("KeyQ")));
    this.controls.target.copy(this.camera.position).addScaledVector(ahead, Math.max(2, this.camera.position.z));
  }
}
