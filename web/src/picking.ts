// Which entity is under the pointer, where the ground is there, and where an entity is on the screen.
import { Frustum, Matrix4, Mesh, Plane, Raycaster, Vector2, Vector3, type Intersection, type PerspectiveCamera } from "three";
import type { Fleet } from "./fleet.ts";
import type { Entity, World } from "./world.ts";

const kReach = 14; // CSS pixels by which a small entity may be missed

export interface Hit { entity: Entity; point: Vector3; body: Body | null }
// A link that nothing holds, of a model of loose bodies: what is pushed.
export interface Body { name: string; node: number }

export class Picking {
  readonly ray = new Raycaster();
  private probe = new Mesh();
  private center = new Vector3();
  private pointer = new Vector2();

  constructor(private canvas: HTMLCanvasElement, private camera: PerspectiveCamera, private world: World, private fleet: Fleet) {}

  private aim(x: number, y: number): void {
    const box = this.canvas.getBoundingClientRect();
    this.pointer.set((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height);
    this.camera.updateMatrixWorld();
    this.ray.setFromCamera(this.pointer, this.camera);
  }

  center_of(entity: Entity, out: Vector3): Vector3 {
    const at = 7 * entity.slot, p = this.world.poses;
    return out.set(p[at]!, p[at + 1]!, p[at + 2]! + 0.5 * entity.model.height);
  }

  // At a place of the window: what the ray meets first, else the small one that it passes nearest.
  pick(x: number, y: number): Hit | null {
    this.aim(x, y);
    let best: Hit | null = null, nearest = Infinity, close: Entity | null = null, least = kReach;
    for (const entity of this.world.entities) {
      if (!this.world.shown[entity.slot]) continue;
      const center = this.center_of(entity, this.center), far = center.distanceTo(this.ray.ray.origin);
      const radius = Math.max(entity.model.radius, entity.model.height, 0.05) * 1.5, off = this.ray.ray.distanceToPoint(center);
      const pixels = ((off - 0.5 * entity.model.radius) / far) * this.pixels_a_radian();
      if (pixels < least && center.clone().sub(this.ray.ray.origin).dot(this.ray.ray.direction) > 0) least = pixels, close = entity;
      if (off > radius && !entity.model.links.some((link) => link.base === 3)) continue; // loose bodies may be anywhere
      const hit = this.meet(entity);
      if (hit && hit.distance < nearest) nearest = hit.distance, best = { entity, point: hit.point, body: this.loose(entity, hit.node) };
    }
    return best ?? (close ? { entity: close, point: this.center_of(close, new Vector3()), body: null } : null);
  }

  private pixels_a_radian(): number { return this.canvas.clientHeight / ((this.camera.fov * Math.PI) / 180); }

  // The body that a node (1 + its link) is part of, if it is loose.
  private loose(entity: Entity, node: number): Body | null {
    const { links } = entity.model;
    for (let i = node - 1; i >= 0; i = links[i]!.parent) {
      if (links[i]!.base === 3) return { name: links[i]!.name, node: 1 + i };
      if (links[i]!.base !== 0) break;
    }
    return null;
  }

  // Where that is: of a loose body its own place, else the middle of the entity.
  middle_of(entity: Entity, body: Body | null, out: Vector3): Vector3 {
    if (!body) return this.center_of(entity, out);
    this.world.place_links(entity.slot);
    const at = 16 * (this.world.node_at[entity.slot]! + body.node) + 12, m = this.world.matrices;
    return out.set(m[at]!, m[at + 1]!, m[at + 2]!);
  }

  private meet(entity: Entity): (Intersection & { node: number }) | null {
    this.world.place_links(entity.slot);
    const hits: (Intersection & { node: number })[] = [], here: Intersection[] = [];
    for (const part of this.fleet.shape(entity.model)?.full ?? []) {
      this.probe.geometry = part.geometry, this.probe.material = part.material;
      this.probe.matrixWorld.fromArray(this.world.matrices, 16 * (this.world.node_at[entity.slot]! + part.node));
      here.length = 0;
      this.probe.raycast(this.ray, here);
      for (const hit of here) hits.push({ ...hit, node: part.node });
    }
    return hits.sort((a, b) => a.distance - b.distance)[0] ?? null;
  }

  // Where the ray meets the level `z` (m), if it does.
  ground(x: number, y: number, z = 0): Vector3 | null {
    this.aim(x, y);
    return this.ray.ray.intersectPlane(new Plane(new Vector3(0, 0, 1), -z), new Vector3());
  }

  // Where the ray meets the plane through `point` that faces the camera.
  facing(x: number, y: number, point: Vector3): Vector3 | null {
    this.aim(x, y);
    const normal = this.camera.getWorldDirection(new Vector3());
    return this.ray.ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(normal, point), new Vector3());
  }

  screen_of(entity: Entity, link = ""): { x: number; y: number } | null {
    const node = 1 + entity.model.links.findIndex((one) => one.name === link);
    const at = this.middle_of(entity, node > 0 ? { name: link, node } : null, new Vector3());
    this.camera.updateMatrixWorld();
    if (!new Frustum().setFromProjectionMatrix(new Matrix4().multiplyMatrices(this.camera.projectionMatrix, this.camera.matrixWorldInverse)).containsPoint(at)) return null;
    const box = this.canvas.getBoundingClientRect(), v = at.project(this.camera);
    return { x: box.left + ((v.x + 1) / 2) * box.width, y: box.top + ((1 - v.y) / 2) * box.height };
  }
}
