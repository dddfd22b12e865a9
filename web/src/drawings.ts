// What programs have drawn by call: lines, arrows, points and text, in the world or with an entity.
import { BufferAttribute, BufferGeometry, Color, CylinderGeometry, Group, InstancedMesh, Matrix4, MeshBasicMaterial, Points, PointsMaterial, Quaternion, SphereGeometry, Vector3 } from "three";
import { poll, type App } from "./app.ts";
import { el } from "./dom.ts";
import { put_label } from "./labels.ts";
import { Lines } from "./lines.ts";
import { arrow } from "./overlays.ts";

const kEvery = 300; // ms between two questions
const kMostLabels = 300;
const kLetters = { least: 11, most: 72 }; // px

type Point = [number, number, number];
interface Drawing { name: string; frame: string | null; kind: "lines" | "strip" | "arrows" | "points" | "text"; points: Point[]; text: string; color: string; size: number }
interface Told { revision?: number; drawings?: Drawing[] }

// Thick things of one form, in as many copies as are needed.
class Solids {
  readonly group = new Group();
  private mesh: InstancedMesh | null = null;
  private count = 0;
  private material = new MeshBasicMaterial({ toneMapped: false });

  constructor(private geometry: BufferGeometry) {}

  begin(most: number): void {
    this.count = 0;
    if (most === 0 || (this.mesh && this.mesh.instanceMatrix.count >= most)) return;
    if (this.mesh) this.group.remove(this.mesh), this.mesh.dispose();
    this.mesh = new InstancedMesh(this.geometry, this.material, most);
    this.mesh.frustumCulled = false;
    this.group.add(this.mesh);
  }
  add(matrix: Matrix4, color: Color): void {
    this.mesh?.setMatrixAt(this.count, matrix);
    this.mesh?.setColorAt(this.count++, color);
  }
  end(): void {
    this.group.visible = this.count > 0;
    if (!this.mesh) return;
    this.mesh.count = this.count;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}

function color_of(text: string): Color { return new Color(text.slice(0, 7)); }

export class Drawings {
  readonly group = new Group();
  on = true;
  private lines = new Lines(1, true);
  private rods = new Solids(new CylinderGeometry(0.5, 0.5, 1, 8));
  private balls = new Solids(new SphereGeometry(0.5, 12, 8));
  private dots = new Points(new BufferGeometry(), new PointsMaterial({ size: 6, sizeAttenuation: false, vertexColors: true, toneMapped: false, depthTest: false, transparent: true }));
  private all: Drawing[] = [];
  private revision = 0;
  private labels: { drawing: Drawing; label: HTMLElement }[] = [];
  private stale = false; // what is drawn is not what it should be
  private moves = false; // something goes with an entity
  private to_world = new Matrix4();
  private at = new Vector3();

  constructor(private app: App, private parent: HTMLElement) {
    this.dots.frustumCulled = false, this.dots.renderOrder = 5;
    this.group.add(this.lines.object, this.rods.group, this.balls.group, this.dots);
    poll(app, kEvery, () => (this.on ? { method: "drawings", fields: { known: this.revision } } : null), (reply) => this.take((reply?.data ?? {}) as Told));
  }

  toggle(on: boolean): void {
    this.on = on, this.revision = 0;
    this.set([]);
  }

  private take(told: Told): void {
    if (told.revision !== undefined) this.revision = told.revision;
    if (told.drawings && this.on) this.set(told.drawings);
  }

  private set(drawings: Drawing[]): void {
    this.all = drawings, this.stale = true;
    this.moves = drawings.some((d) => d.frame !== null);
    for (const { label } of this.labels) label.remove();
    this.labels = drawings.filter((d) => d.text !== "").slice(0, kMostLabels).map((drawing) => {
      const label = this.parent.appendChild(el("span", { class: "label drawn", testid: "drawing-label", text: drawing.text }));
      label.style.color = drawing.color;
      return { drawing, label };
    });
  }

  update(): void {
    if (this.stale || (this.moves && this.all.length > 0)) this.draw();
    for (const { drawing, label } of this.labels) this.place(drawing, label);
  }

  // The world's place of what the drawing is given in; null: its entity is not shown.
  private frame(drawing: Drawing): Matrix4 | null {
    if (drawing.frame === null) return this.to_world.identity();
    const world = this.app.world, entity = world.by_name.get(drawing.frame);
    return entity && world.shown[entity.slot] ? this.to_world.fromArray(world.matrices, 16 * world.node_at[entity.slot]!) : null;
  }

  private draw(): void {
    this.stale = false;
    const thick = (d: Drawing): boolean => d.size > 0;
    const dots: number[] = [], colors: number[] = [], p = new Vector3(), q = new Vector3(), turn = new Quaternion(), up = new Vector3(0, 1, 0), matrix = new Matrix4();
    this.lines.clear();
    this.rods.begin(this.all.reduce((sum, d) => sum + (thick(d) && d.kind !== "points" && d.kind !== "text" ? d.points.length : 0), 0));
    this.balls.begin(this.all.reduce((sum, d) => sum + (thick(d) && d.kind === "points" ? d.points.length : 0), 0));
    for (const drawing of this.all) {
      const frame = this.frame(drawing), color = color_of(drawing.color), { kind, points, size } = drawing;
      if (!frame) continue;
      const at = (i: number, to: Vector3): Vector3 => to.fromArray(points[i]!).applyMatrix4(frame);
      const segment = (i: number, k: number): void => {
        at(i, p), at(k, q);
        if (!thick(drawing)) {
          if (kind === "arrows") arrow(this.lines, p.x, p.y, p.z, q.x, q.y, q.z, color);
          else this.lines.add(p.x, p.y, p.z, q.x, q.y, q.z, color);
          return;
        }
        const along = q.clone().sub(p), length = along.length();
        if (length === 0) return;
        turn.setFromUnitVectors(up, along.divideScalar(length));
        this.rods.add(matrix.compose(p.clone().add(q).multiplyScalar(0.5), turn, new Vector3(size, length, size)), color);
        if (kind === "arrows") arrow(this.lines, p.x, p.y, p.z, q.x, q.y, q.z, color);
      };
      if (kind === "lines" || kind === "arrows") for (let i = 0; i + 1 < points.length; i += 2) segment(i, i + 1);
      else if (kind === "strip") for (let i = 0; i + 1 < points.length; i++) segment(i, i + 1);
      else if (kind === "points") points.forEach((_, i) => {
        at(i, p);
        if (thick(drawing)) this.balls.add(matrix.makeScale(size, size, size).setPosition(p), color);
        else dots.push(p.x, p.y, p.z), colors.push(color.r, color.g, color.b);
      });
    }
    this.lines.show(), this.rods.end(), this.balls.end();
    this.dots.geometry.dispose();
    this.dots.geometry = new BufferGeometry();
    this.dots.geometry.setAttribute("position", new BufferAttribute(new Float32Array(dots), 3));
    this.dots.geometry.setAttribute("color", new BufferAttribute(new Float32Array(colors), 3));
    this.dots.visible = dots.length > 0;
  }

  private place(drawing: Drawing, label: HTMLElement): void {
    const { stage } = this.app, frame = this.frame(drawing);
    label.hidden = !frame;
    if (!frame) return;
    const at = this.at.fromArray(drawing.points[0]!).applyMatrix4(frame);
    put_label(label, at, stage);
    if (label.hidden || drawing.size === 0) return;
    const px = (drawing.size * stage.canvas.clientHeight) / (2 * Math.tan((stage.camera.fov * Math.PI) / 360) * at.distanceTo(stage.camera.position));
    label.style.fontSize = `${Math.max(kLetters.least, Math.min(kLetters.most, px)).toFixed(1)}px`;
  }
}
