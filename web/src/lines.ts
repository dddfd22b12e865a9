// Coloured line segments that are written anew whenever they change, in buffers that grow and stay.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, LineBasicMaterial, LineSegments } from "three";

export class Lines {
  readonly object: LineSegments<BufferGeometry, LineBasicMaterial>;
  private positions = new Float32Array(6 * 64);
  private colors = new Float32Array(6 * 64);
  private count = 0; // segments

  constructor(opacity = 1, on_top = false) {
    const material = new LineBasicMaterial({ vertexColors: true, transparent: opacity < 1 || on_top, opacity, depthTest: !on_top, toneMapped: false });
    this.object = new LineSegments(new BufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = on_top ? 5 : 1;
    this.attach();
  }

  private attach(): void {
    for (const [name, array] of [["position", this.positions], ["color", this.colors]] as const) {
      const attribute = new BufferAttribute(array, 3);
      attribute.setUsage(DynamicDrawUsage);
      this.object.geometry.setAttribute(name, attribute);
    }
  }

  clear(): void { this.count = 0; }

  add(x0: number, y0: number, z0: number, x1: number, y1: number, z1: number, color: Color, end: Color = color): void {
    if (6 * (this.count + 1) > this.positions.length) this.grow();
    const at = 6 * this.count++, p = this.positions, c = this.colors;
    p[at] = x0, p[at + 1] = y0, p[at + 2] = z0, p[at + 3] = x1, p[at + 4] = y1, p[at + 5] = z1;
    c[at] = color.r, c[at + 1] = color.g, c[at + 2] = color.b, c[at + 3] = end.r, c[at + 4] = end.g, c[at + 5] = end.b;
  }

  private grow(): void {
    const positions = new Float32Array(2 * this.positions.length), colors = new Float32Array(2 * this.colors.length);
    positions.set(this.positions), colors.set(this.colors);
    this.positions = positions, this.colors = colors;
    this.object.geometry.dispose();
    this.attach();
  }

  // To be called after the segments are written.
  show(): void {
    const geometry = this.object.geometry;
    geometry.setDrawRange(0, 2 * this.count);
    this.object.visible = this.count > 0;
    for (const name of ["position", "color"]) {
      const attribute = geometry.getAttribute(name) as BufferAttribute;
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, 6 * this.count);
      attribute.needsUpdate = true;
    }
  }
}
