// Where entities went in the last seconds.
import { Color } from "three";
import { Lines } from "./lines.ts";
import type { Entity, World } from "./world.ts";

const kEvery = 0.1, kPoints = 100; // s of simulated time between points; so 10 s
const kMost = 200; // entities
const kGap = 3; // m: no line across a jump
const kOld = new Color(0x7aa7d9), kNew = new Color(0x1d6fd1), kChosen = new Color(0xff8a1f);

interface Trail { points: Float32Array; count: number; next: number }

export class Trails {
  readonly lines = new Lines(0.9);
  private trails = new Map<number, Trail>();
  private sampled = -Infinity;
  private run = -1;

  get numbers(): number[] { return [...this.trails.keys()]; } // of entities

  forget(): void {
    this.trails.clear();
    this.sampled = -Infinity;
  }

  update(world: World, selected: Entity | null): void {
    this.lines.object.visible = true;
    if (world.run !== this.run || world.time < this.sampled) this.forget(), this.run = world.run;
    if (world.time - this.sampled < kEvery) return;
    this.sampled = world.time;
    const followed = world.entities.slice(0, kMost);
    if (selected && selected.slot >= kMost) followed.push(selected);
    for (const entity of followed) if (world.shown[entity.slot]) this.sample(entity, world);
    for (const number of this.trails.keys()) if (!world.by_number.has(number)) this.trails.delete(number);
    this.lines.clear();
    for (const [number, trail] of this.trails) this.draw(trail, number === selected?.number);
    this.lines.show();
  }

  private sample(entity: Entity, world: World): void {
    let trail = this.trails.get(entity.number);
    if (!trail) this.trails.set(entity.number, (trail = { points: new Float32Array(3 * kPoints), count: 0, next: 0 }));
    const p = 7 * entity.slot, last = 3 * ((trail.next + kPoints - 1) % kPoints);
    if (trail.count > 0 && Math.hypot(trail.points[last]! - world.poses[p]!, trail.points[last + 1]! - world.poses[p + 1]!) < 0.002 && trail.count === 1) return;
    for (let k = 0; k < 3; k++) trail.points[3 * trail.next + k] = world.poses[p + k]! + (k === 2 ? 0.02 : 0);
    trail.next = (trail.next + 1) % kPoints;
    trail.count = Math.min(kPoints, trail.count + 1);
  }

  private draw(trail: Trail, selected: boolean): void {
    const p = trail.points, color = selected ? kChosen : kNew, end = selected ? kChosen : kOld;
    for (let i = 1; i < trail.count; i++) {
      const a = 3 * ((trail.next + 2 * kPoints - trail.count + i - 1) % kPoints), b = 3 * ((trail.next + 2 * kPoints - trail.count + i) % kPoints);
      if (Math.hypot(p[a]! - p[b]!, p[a + 1]! - p[b + 1]!) < kGap) this.lines.add(p[a]!, p[a + 1]!, p[a + 2]!, p[b]!, p[b + 1]!, p[b + 2]!, i * 2 < trail.count ? end : color);
    }
  }
}
