// Elements of foreign programs that have a place: a mark there, with type and id.
import { Color, Vector3 } from "three";
import { poll, type App } from "./app.ts";
import { el } from "./dom.ts";
import { put_label } from "./labels.ts";
import { Lines } from "./lines.ts";

const kMost = 200; // with a label
const kSize = 0.15; // m
const kMark = new Color(0x8e4ec6);

interface Element { owner: number | string; id: number | string; type: string; position?: number[] | null }

export class ElementMarks {
  readonly lines = new Lines(1, true);
  on = false;
  private placed: { at: Vector3; label: HTMLElement }[] = [];

  constructor(private app: App, private labels: HTMLElement) {
    poll(app, 1000, () => (this.on ? { method: "elements", fields: {} } : null), (reply) => this.take((reply?.data ?? []) as Element[]));
  }

  toggle(on: boolean): void {
    this.on = on;
    this.take([]);
  }

  private take(elements: Element[]): void {
    for (const { label } of this.placed) label.remove();
    this.placed = [];
    this.lines.clear();
    for (const { type, owner, id, position } of this.on ? elements : []) {
      if (!Array.isArray(position)) continue;
      const [x = 0, y = 0, z = 0] = position;
      for (let k = 0; k < 3; k++) this.lines.add(x - (k === 0 ? kSize : 0), y - (k === 1 ? kSize : 0), z - (k === 2 ? kSize : 0), x + (k === 0 ? kSize : 0), y + (k === 1 ? kSize : 0), z + (k === 2 ? kSize : 0), kMark);
      if (this.placed.length >= kMost) continue;
      const label = this.labels.appendChild(el("span", { class: "label element", testid: "element-label", text: `${type} ${owner}/${id}` }));
      this.placed.push({ at: new Vector3(x, y, z + kSize), label });
    }
    this.lines.show();
  }

  update(): void {
    for (const { at, label } of this.placed) put_label(label, at, this.app.stage);
  }
}
