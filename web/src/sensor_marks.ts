// What a sensor of the selected robot sees, drawn in the view: beams of scans and ranges, points of clouds and radars.
import { BufferAttribute, BufferGeometry, Color, Group, Matrix4, Points, PointsMaterial, Quaternion, Vector3 } from "three";
import { Lines } from "./lines.ts";
import type { Entity, World } from "./world.ts";

const kLow = new Color(0x3e63dd), kHigh = new Color(0xff5c39);
const kMost = 60_000; // points
const kArc = 12; // lines of the end of a cone

// Of a sample's data what can be drawn. Numbers that JSON has not are text or null: there is nothing then.
export interface Seen {
  ranges?: unknown[]; angle_min?: number; angle_increment?: number;
  range?: unknown; field?: number;
  points?: { x: unknown; y: unknown; z: unknown }[];
  returns?: { range: unknown; azimuth: number; elevation: number }[];
}

// Where a sensor is fixed: in a link of its robot's model, or in the robot's own frame.
export interface Mount { link: string | null; position: [number, number, number]; orientation: [number, number, number, number] }

export class SensorMarks {
  readonly group = new Group();
  private lines = new Lines(0.85);
  private points = new Points(new BufferGeometry(), new PointsMaterial({ size: 3, sizeAttenuation: false, vertexColors: true, toneMapped: false, depthTest: false, transparent: true }));
  private number = 0; // of the entity; 0: none
  private link = -1; // -1: the robot's own frame
  private X_LS = new Matrix4();

  constructor() {
    this.group.matrixAutoUpdate = false;
    this.points.frustumCulled = false, this.points.renderOrder = 5; // over the ground, on which many of them lie
    this.group.add(this.lines.object, this.points);
    this.clear();
  }

  clear(): void {
    this.number = 0;
    this.group.visible = false;
  }

  show(entity: Entity, { link, position, orientation: [w, x, y, z] }: Mount, seen: Seen): void {
    this.number = entity.number;
    this.link = link === null ? -1 : entity.model.links.findIndex((l) => l.name === link);
    this.X_LS.compose(new Vector3(...position), new Quaternion(x, y, z, w), new Vector3(1, 1, 1));
    this.lines.clear();
    if (Array.isArray(seen.ranges)) this.draw_scan(seen.ranges, seen.angle_min ?? 0, seen.angle_increment ?? 0);
    else if (typeof seen.range === "number") this.draw_cone(seen.range, 0.5 * (seen.field ?? 0));
    this.lines.show();
    const at = (r: unknown, azimuth: number, elevation: number): unknown[] =>
      typeof r === "number" ? [r * Math.cos(elevation) * Math.cos(azimuth), r * Math.cos(elevation) * Math.sin(azimuth), r * Math.sin(elevation)] : [];
    this.draw_points([...(seen.points ?? []).map((p) => [p.x, p.y, p.z]), ...(seen.returns ?? []).map((r) => at(r.range, r.azimuth, r.elevation))]);
  }

  private draw_scan(ranges: unknown[], first: number, step: number): void {
    let px = NaN, py = NaN, far_before = 0;
    ranges.forEach((value, i) => {
      const far = typeof value === "number" ? value : NaN, x = far * Math.cos(first + i * step), y = far * Math.sin(first + i * step);
      if (!Number.isNaN(far)) {
        this.lines.add(0.97 * x, 0.97 * y, 0, x, y, 0, kHigh);
        if (Math.abs(far - far_before) < 0.3) this.lines.add(px, py, 0, x, y, 0, kHigh);
      }
      px = x, py = y, far_before = far;
    });
  }

  private draw_cone(far: number, half: number): void {
    for (let i = 0; i < kArc; i++) {
      const a = half * ((2 * i) / kArc - 1), b = half * ((2 * i + 2) / kArc - 1);
      this.lines.add(far * Math.cos(a), far * Math.sin(a), 0, far * Math.cos(b), far * Math.sin(b), 0, kHigh);
    }
    for (const side of [-half, half]) this.lines.add(0, 0, 0, far * Math.cos(side), far * Math.sin(side), 0, kHigh);
  }

  private draw_points(all: unknown[][]): void {
    const there = all.slice(0, kMost).filter((p): p is [number, number, number] => p.length === 3 && p.every((v) => typeof v === "number"));
    const heights = there.map((p) => p[2]), low = heights.reduce((a, z) => Math.min(a, z), 0), span = Math.max(0.2, heights.reduce((a, z) => Math.max(a, z), 0) - low);
    const colors = new Float32Array(3 * there.length), color = new Color();
    there.forEach((p, i) => color.lerpColors(kLow, kHigh, (p[2] - low) / span).toArray(colors, 3 * i));
    this.points.geometry.dispose();
    this.points.geometry = new BufferGeometry();
    this.points.geometry.setAttribute("position", new BufferAttribute(new Float32Array(there.flat()), 3));
    this.points.geometry.setAttribute("color", new BufferAttribute(colors, 3));
    this.points.visible = there.length > 0;
  }

  // Where it is now.
  update(world: World): void {
    const entity = world.by_number.get(this.number);
    this.group.visible = entity !== undefined && world.shown[entity.slot] === 1;
    if (!entity || !this.group.visible) return;
    world.place_links(entity.slot);
    this.group.matrix.fromArray(world.matrices, 16 * (world.node_at[entity.slot]! + this.link + 1)).multiply(this.X_LS);
    this.group.matrixWorldNeedsUpdate = true;
  }
}
