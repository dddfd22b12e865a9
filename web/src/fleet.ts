// All entities as instanced meshes: one for each part of a model, filled each frame with those that are in view and drawn in
// that detail. What is smaller than a few pixels is a point.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Frustum, InstancedMesh, Matrix4, Points, PointsMaterial, type Camera, Group, Sphere, Vector3 } from "three";
import type { Model } from "./protocol.ts";
import { load_glb, shape_of_glb, shape_without_glb, type Part, type Shape } from "./shape.ts";
import type { World } from "./world.ts";

const kFull = 0, kBoxes = 1, kSingle = 2, kPoint = 3, kLevels = 4;
const kLeast = 50_000, kMost = 4_000_000; // triangles
const kSmall = 0.0035, kCoarse = 0.012; // radius by distance, below which one box is enough, or one a link
const kTiny = 0.0018, kPixels = 2.5; // likewise, below which a point of so many pixels is enough
const kCulled = 300; // entities, above which those out of view are left out
const kBetweenSorts = 0.25; // s

interface Batch { mesh: InstancedMesh; node: number; level: number }
// Of loose bodies, each link a thing of its own, one box for all would hide what is between them.
interface Kind { model: Model; shape: Shape; loose: boolean; batches: Batch[]; points: Points | null; slots: number[]; seen: Uint32Array[]; counts: number[] }

export class Fleet {
  readonly group = new Group();
  budget = 1_500_000; // triangles a frame, adapted to what the machine can do
  shadows = true;
  on_trouble: (text: string) => void = () => {};
  private kinds = new Map<number, Kind>();
  private loading = new Map<string, Promise<Shape>>();
  private levels = new Uint8Array(0);
  private order: number[] = [];
  private far = new Float64Array(0);
  private version = -1;
  private sorted_at = -1;
  private stale = true;
  private eye = new Vector3();
  private view = new Matrix4();
  private seen_from = new Matrix4();
  private frustum = new Frustum();
  private ball = new Sphere();

  constructor(private world: World, private session: () => string, private plain: boolean) {}

  get drawn(): number { return this.world.shown.reduce((sum, shown) => sum + shown, 0); }
  // Of what is in view.
  get points(): number { return [...this.kinds.values()].reduce((sum, kind) => sum + (kind.counts[kPoint] ?? 0), 0); }
  shape(model: Model): Shape | undefined { return this.kinds.get(model.index)?.shape; }

  private arrange(): void {
    const world = this.world;
    this.version = world.version;
    for (const [index, kind] of this.kinds)
      if (!this.adopt(kind, world.models.get(index))) this.drop(index);
    for (const model of world.models.values()) if (!this.kinds.has(model.index)) this.add(model);
    for (const kind of this.kinds.values()) kind.slots.length = 0;
    for (const entity of world.entities) this.kinds.get(entity.model.index)?.slots.push(entity.slot);
    this.levels = new Uint8Array(world.entities.length);
    this.far = new Float64Array(world.entities.length);
    this.order = world.entities.map((e) => e.slot);
    this.sorted_at = -1;
    this.stale = true;
    for (const kind of this.kinds.values()) this.make_room(kind);
  }

  // A model that is told again keeps its shape.
  private adopt(kind: Kind, model: Model | undefined): boolean {
    if (!model || model.glb !== kind.model.glb || model.name !== kind.model.name || model.links.length !== kind.model.links.length) return false;
    kind.model = model;
    return true;
  }

  private add(model: Model): void {
    this.dress(model, shape_without_glb(model));
    if (!model.glb) return;
    const url = model.glb;
    if (!this.loading.has(url))
      this.loading.set(url, load_glb(url, this.session()).then((gltf) => shape_of_glb(model, gltf)));
    this.loading.get(url)!.then((shape) => {
      const kind = this.kinds.get(model.index);
      if (kind?.model.glb !== url) return;
      this.drop(model.index);
      this.dress(kind.model, shape);
      this.version = -1;
    }, (error: Error) => {
      this.loading.delete(url);
      this.on_trouble(`The model ${model.name} cannot be shown: ${error.message}`);
    });
  }

  private dress(model: Model, shape: Shape): void {
    this.kinds.set(model.index, { model, shape, loose: model.links.some((link) => link.base === 3), batches: [], points: null, slots: [], seen: [], counts: [] });
  }

  private drop(index: number): void {
    const kind = this.kinds.get(index);
    if (kind) this.clear(kind);
    this.kinds.delete(index);
  }

  private clear(kind: Kind): void {
    for (const batch of kind.batches) this.group.remove(batch.mesh), batch.mesh.dispose();
    if (kind.points) this.group.remove(kind.points), kind.points.geometry.dispose();
    kind.batches = [], kind.points = null;
  }

  private make_room(kind: Kind): void {
    const wanted = kind.slots.length, room = kind.batches[0]?.mesh.instanceMatrix.count ?? 0;
    if (wanted <= room) return;
    this.clear(kind);
    const capacity = Math.max(4, 2 ** Math.ceil(Math.log2(wanted)));
    const batches_of = (parts: Part[], level: number): Batch[] => parts.map((part) => {
      const mesh = new InstancedMesh(part.geometry, part.material, capacity);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false, mesh.matrixAutoUpdate = false, mesh.count = 0;
      mesh.receiveShadow = level === kFull;
      this.group.add(mesh);
      return { mesh, node: part.node, level };
    });
    const { full, boxes, single } = kind.shape;
    kind.batches = [...batches_of(full, kFull), ...batches_of(boxes, kBoxes), ...batches_of(single, kSingle)];
    kind.seen = Array.from({ length: kLevels }, () => new Uint32Array(capacity)), kind.counts = new Array<number>(kLevels).fill(0);
    if (kind.loose || single.length === 0) return;
    const places = new BufferAttribute(new Float32Array(3 * capacity), 3).setUsage(DynamicDrawUsage), color = single[0]!.geometry.getAttribute("color");
    const points = new Points(new BufferGeometry().setAttribute("position", places), new PointsMaterial({ size: kPixels, sizeAttenuation: false, color: new Color(color.getX(0), color.getY(0), color.getZ(0)) }));
    points.frustumCulled = false, points.matrixAutoUpdate = false, points.visible = false;
    this.group.add(points);
    kind.points = points;
  }

  update(camera: Camera, now: number): void {
    if (this.version !== this.world.version) this.arrange();
    camera.updateMatrixWorld();
    this.view.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    if (!this.view.equals(this.seen_from)) {
      this.seen_from.copy(this.view), this.frustum.setFromProjectionMatrix(this.view);
      this.stale = this.stale || this.culls;
    }
    if (now - this.sorted_at > kBetweenSorts) this.choose_levels(camera, now);
    if (!this.world.any_moved && !this.stale) return;
    this.stale = false;
    for (const kind of this.kinds.values()) {
      this.find_seen(kind);
      for (const batch of kind.batches) this.fill(batch, kind.seen[batch.level]!, kind.counts[batch.level]!);
      if (kind.points) this.fill_points(kind.points, kind.seen[kPoint]!, kind.counts[kPoint]!);
    }
  }

  private get culls(): boolean { return this.world.entities.length > kCulled; }

  // Of loose bodies some may be in view whose entity is not.
  private sees(i: number, kind: Kind): boolean {
    if (this.world.shown[i] === 0) return false;
    if (!this.culls || kind.loose) return true;
    const p = this.world.poses, { radius, height } = kind.model;
    this.ball.center.set(p[7 * i]!, p[7 * i + 1]!, p[7 * i + 2]!), this.ball.radius = 1.5 * Math.max(radius, height, 0.05);
    return this.frustum.intersectsSphere(this.ball);
  }

  private find_seen(kind: Kind): void {
    kind.counts.fill(0);
    for (let s = 0; s < kind.slots.length; s++) {
      const i = kind.slots[s]!, level = this.levels[i]!;
      if (!this.sees(i, kind)) continue;
      if (level <= kBoxes) this.world.place_links(i);
      kind.seen[level]![kind.counts[level]!++] = i;
    }
  }

  // The nearest have all their details, until the budget is spent.
  private choose_levels(camera: Camera, now: number): void {
    const { entities, poses } = this.world, { far, order, levels } = this;
    this.sorted_at = now;
    camera.getWorldPosition(this.eye);
    for (let i = 0; i < entities.length; i++)
      far[i] = Math.hypot(poses[7 * i]! - this.eye.x, poses[7 * i + 1]! - this.eye.y, poses[7 * i + 2]! - this.eye.z);
    order.sort((a, b) => far[a]! - far[b]!);
    let spent = 0;
    for (const i of order) {
      const kind = this.kinds.get(entities[i]!.model.index);
      if (!kind || !this.sees(i, kind)) continue;
      const boxes = 12 * kind.shape.boxes.length;
      const small = !kind.loose && kind.model.radius < kSmall * far[i]!, coarse = this.plain && !kind.loose && kind.model.radius < kCoarse * far[i]!;
      const tiny = kind.points !== null && kind.model.radius < kTiny * far[i]!;
      let level = kind.loose ? kBoxes : tiny ? kPoint : kSingle;
      if (!coarse && spent + kind.shape.triangles <= 0.8 * this.budget) level = kFull;
      else if (!small && spent + boxes <= this.budget) level = kBoxes;
      spent += level === kFull ? kind.shape.triangles : level === kBoxes ? boxes : level === kSingle ? 12 : 0;
      if (levels[i] !== level) levels[i] = level, this.stale = true;
    }
  }

  private fill(batch: Batch, seen: Uint32Array, count: number): void {
    const { matrices, node_at } = this.world, out = batch.mesh.instanceMatrix.array;
    for (let s = 0; s < count; s++) {
      const from = 16 * (node_at[seen[s]!]! + batch.node), to = 16 * s;
      for (let k = 0; k < 16; k++) out[to + k] = matrices[from + k]!;
    }
    batch.mesh.count = count;
    batch.mesh.visible = count > 0;
    batch.mesh.castShadow = this.shadows;
    if (count === 0) return;
    batch.mesh.instanceMatrix.clearUpdateRanges();
    batch.mesh.instanceMatrix.addUpdateRange(0, 16 * count);
    batch.mesh.instanceMatrix.needsUpdate = true;
  }

  private fill_points(points: Points, seen: Uint32Array, count: number): void {
    const places = points.geometry.getAttribute("position") as BufferAttribute, out = places.array, p = this.world.poses;
    for (let s = 0; s < count; s++) for (let k = 0; k < 3; k++) out[3 * s + k] = p[7 * seen[s]! + k]!;
    points.visible = count > 0;
    points.geometry.setDrawRange(0, count);
    places.clearUpdateRanges();
    places.addUpdateRange(0, 3 * count);
    places.needsUpdate = true;
  }

  // Fewer details where frames take too long, more where there is time.
  adapt(fps: number): void {
    if (fps < 24) this.budget = Math.max(kLeast, 0.7 * this.budget);
    else if (fps > 50) this.budget = Math.min(kMost, 1.25 * this.budget);
  }
}
