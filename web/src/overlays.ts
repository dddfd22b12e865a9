// What can be drawn over the world: names, frames, paths, boxes, and the contacts and a sensor of the selected robot.
import { Color, Group, Vector3 } from "three";
import { poll, type App } from "./app.ts";
import { el, say } from "./dom.ts";
import { Drawings } from "./drawings.ts";
import { ElementMarks } from "./element_marks.ts";
import { put_label } from "./labels.ts";
import { Lines } from "./lines.ts";
import type { Contact } from "./protocol.ts";
import { SensorMarks } from "./sensor_marks.ts";
import { Trails } from "./trails.ts";

export type Overlay = "names" | "frames" | "paths" | "boxes" | "contacts" | "elements" | "drawings";
export const kOverlays: [Overlay, string][] = [["names", "Names"], ["frames", "Frames"], ["paths", "Paths"], ["boxes", "Boxes"], ["contacts", "Contacts of the selected"], ["elements", "Elements of programs"], ["drawings", "Drawings of programs"]];
const kNames = 100, kDrawn = 2000; // at most
const kRed = new Color(0xe5484d), kGreen = new Color(0x30a46c), kBlue = new Color(0x3e63dd), kYellow = new Color(0xffb224), kPink = new Color(0xff4fa3);

export class Overlays {
  readonly group = new Group();
  readonly labels = el("div", { class: "labels", aria: { hidden: "true" } });
  readonly sensor = new SensorMarks(); // that is looked at
  private on = new Set<Overlay>(["drawings"]);
  private marks = new Lines();
  private touch = new Lines(1, true);
  private trails = new Trails();
  private elements: ElementMarks;
  private drawings: Drawings;
  private pool: HTMLElement[] = [];
  private contacts: Contact[] = [];
  private at = new Vector3();
  private near: { slot: number; far: number }[] = [];
  private sorted_at = -1;

  constructor(private app: App) {
    this.elements = new ElementMarks(app, this.labels), this.drawings = new Drawings(app, this.labels);
    this.group.add(this.drawings.group, this.elements.lines.object, this.marks.object, this.touch.object, this.sensor.group, this.trails.lines.object);
    poll(app, 250, () => {
      const entity = this.on.has("contacts") ? app.selection.entity : null;
      return entity ? { method: "contacts", fields: { name: entity.name } } : null;
    }, (reply) => { this.contacts = reply?.contacts ?? []; });
    app.selection.on_change(() => { this.contacts = [], this.sensor.clear(); });
  }

  get trailed(): number[] { return this.on.has("paths") ? this.trails.numbers : []; } // of entities
  has(overlay: Overlay): boolean { return this.on.has(overlay); }
  toggle(overlay: Overlay, on: boolean): void {
    if (on) this.on.add(overlay);
    else this.on.delete(overlay);
    if (overlay === "paths") this.trails.forget();
    if (overlay === "contacts") this.contacts = [];
    if (overlay === "elements") this.elements.toggle(on);
    if (overlay === "drawings") this.drawings.toggle(on);
    for (const label of this.pool) label.hidden = true;
  }

  update(now: number): void {
    this.draw_marks();
    this.draw_contacts();
    this.elements.update(), this.drawings.update();
    this.sensor.update(this.app.world);
    if (this.on.has("paths")) this.trails.update(this.app.world, this.app.selection.entity);
    else this.trails.lines.object.visible = false;
    if (this.on.has("names")) this.draw_names(now);
  }

  private draw_marks(): void {
    const { world, fleet } = this.app;
    this.marks.clear();
    if (this.on.has("frames") || this.on.has("boxes"))
      for (const entity of world.entities.slice(0, kDrawn)) {
        if (!world.shown[entity.slot]) continue;
        const at = 16 * world.node_at[entity.slot]!, shape = fleet.shape(entity.model);
        if (this.on.has("frames")) this.axes(world.matrices, at, Math.max(0.15, 1.3 * entity.model.radius));
        if (this.on.has("boxes") && shape) this.box(world.matrices, at, shape.lowest, shape.highest);
      }
    this.marks.show();
  }

  private axes(m: Float32Array, at: number, size: number): void {
    const x = m[at + 12]!, y = m[at + 13]!, z = m[at + 14]!;
    [kRed, kGreen, kBlue].forEach((color, k) =>
      this.marks.add(x, y, z, x + size * m[at + 4 * k]!, y + size * m[at + 4 * k + 1]!, z + size * m[at + 4 * k + 2]!, color));
  }

  private box(m: Float32Array, at: number, low: Vector3, high: Vector3): void {
    const corner = (i: number): [number, number, number] => {
      const x = i & 1 ? high.x : low.x, y = i & 2 ? high.y : low.y, z = i & 4 ? high.z : low.z;
      return [0, 1, 2].map((k) => m[at + k]! * x + m[at + 4 + k]! * y + m[at + 8 + k]! * z + m[at + 12 + k]!) as [number, number, number];
    };
    for (let i = 0; i < 8; i++) for (const bit of [1, 2, 4]) if (!(i & bit)) this.marks.add(...corner(i), ...corner(i | bit), kYellow);
  }

  private draw_contacts(): void {
    this.touch.clear();
    for (const { position: p, force: f } of this.contacts) {
      if (!p) continue;
      const x = p.x ?? 0, y = p.y ?? 0, z = p.z ?? 0, r = 0.02;
      for (let k = 0; k < 3; k++) this.touch.add(x - (k === 0 ? r : 0), y - (k === 1 ? r : 0), z - (k === 2 ? r : 0), x + (k === 0 ? r : 0), y + (k === 1 ? r : 0), z + (k === 2 ? r : 0), kPink);
      const size = Math.hypot(f?.x ?? 0, f?.y ?? 0, f?.z ?? 0);
      if (!f || size < 1e-6) continue;
      const scale = Math.min(1.5, 0.02 * size) / size; // 2 cm a newton
      arrow(this.touch, x, y, z, x + scale * (f.x ?? 0), y + scale * (f.y ?? 0), z + scale * (f.z ?? 0), kPink);
    }
    this.touch.show();
  }

  private draw_names(now: number): void {
    const { world, stage } = this.app, camera = stage.camera;
    if (now - this.sorted_at > 0.3) {
      this.sorted_at = now;
      this.near = world.entities.filter((e) => world.shown[e.slot])
        .map((e) => ({ slot: e.slot, far: Math.hypot(world.poses[7 * e.slot]! - camera.position.x, world.poses[7 * e.slot + 1]! - camera.position.y) }))
        .sort((a, b) => a.far - b.far).slice(0, kNames);
    }
    for (let i = 0; i < Math.max(this.near.length, this.pool.length); i++) {
      const label = (this.pool[i] ??= this.labels.appendChild(el("span", { class: "label" }))), slot = this.near[i]?.slot ?? -1;
      const entity = world.entities[slot];
      if (!entity || !world.shown[slot]) {
        label.hidden = true;
        continue;
      }
      put_label(label, this.at.set(world.poses[7 * slot]!, world.poses[7 * slot + 1]!, world.poses[7 * slot + 2]! + entity.model.height + 0.05), stage);
      if (!label.hidden) say(label, entity.name);
    }
  }
}

export function arrow(lines: Lines, x0: number, y0: number, z0: number, x1: number, y1: number, z1: number, color: Color): void {
  lines.add(x0, y0, z0, x1, y1, z1, color);
  const along = new Vector3(x1 - x0, y1 - y0, z1 - z0), size = along.length();
  if (size < 1e-6) return;
  along.divideScalar(size);
  const side = Math.abs(along.z) > 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 0, 1), a = along.clone().cross(side).normalize(), b = along.clone().cross(a);
  for (const v of [a, b, a.clone().negate(), b.clone().negate()]) {
    const tip = new Vector3(x1, y1, z1).addScaledVector(along, -0.22 * size).addScaledVector(v, 0.09 * size);
    lines.add(x1, y1, z1, tip.x, tip.y, tip.z, color);
  }
}
