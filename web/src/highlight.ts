// Marks of the selected entity: a tint over its shapes, and a ring on the ground that shows through everything.
import { Group, Mesh, MeshBasicMaterial, RingGeometry } from "three";
import type { Fleet } from "./fleet.ts";
import type { Entity, World } from "./world.ts";

const kAccent = 0xff8a1f;

export class Highlight {
  readonly group = new Group();
  private tint = new MeshBasicMaterial({ color: kAccent, transparent: true, opacity: 0.2, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2, toneMapped: false });
  private ring = new Mesh(new RingGeometry(0.95, 1, 64), new MeshBasicMaterial({ color: kAccent, transparent: true, opacity: 0.95, depthTest: false, toneMapped: false }));
  private parts: { mesh: Mesh; node: number }[] = [];
  private shape: unknown = null;

  constructor(private world: World, private fleet: Fleet) {
    this.ring.renderOrder = 4;
    this.group.add(this.ring);
  }

  update(entity: Entity | null): void {
    const world = this.world;
    this.group.visible = entity !== null && world.shown[entity.slot] === 1;
    if (!entity || !this.group.visible) return;
    world.place_links(entity.slot);
    const shape = this.fleet.shape(entity.model);
    if (shape !== this.shape) {
      this.shape = shape;
      for (const part of this.parts) this.group.remove(part.mesh);
      this.parts = (shape?.full ?? []).map(({ geometry, node }) => {
        const mesh = new Mesh(geometry, this.tint);
        mesh.matrixAutoUpdate = false, mesh.frustumCulled = false, mesh.renderOrder = 2;
        this.group.add(mesh);
        return { mesh, node };
      });
    }
    for (const { mesh, node } of this.parts) mesh.matrix.fromArray(world.matrices, 16 * (world.node_at[entity.slot]! + node)), mesh.matrixWorldNeedsUpdate = true;
    const p = 7 * entity.slot, size = 1.35 * Math.max(entity.model.radius, 0.08);
    this.ring.position.set(world.poses[p]!, world.poses[p + 1]!, world.poses[p + 2]! + 0.01);
    this.ring.scale.setScalar(size);
  }
}
