// What a chosen sensor of the selected robot shows: as text, and ranges also in the view.
import { poll, type App } from "./app.ts";
import { el, say } from "./dom.ts";
import type { Overlays } from "./overlays.ts";

const kLongest = 4000; // characters shown

interface Listed { sensors?: { sensor: string; type: string; period?: number }[] }
interface Sample { stamp_ns?: number; data?: { ranges?: unknown[]; angle_min?: number; angle_increment?: number; range_max?: number } }

export class SensorView {
  readonly root = el("div", { class: "sensors" });
  private choice = el("select", { label: "Sensor", testid: "inspector-sensor", on: { change: () => this.chosen() } });
  private text = el("pre", { testid: "inspector-sensor-data", tabindex: 0, label: "What the sensor shows" });

  constructor(private app: App, private overlays: Overlays) {
    this.root.append(el("h3", { text: "Sensors" }), this.choice, this.text);
    poll(app, 300, () => {
      const entity = app.selection.entity, sensor = this.choice.value;
      return entity && sensor ? { method: "sensor", fields: { name: entity.name, sensor } } : null;
    }, (reply) => this.show(reply?.data as Sample | undefined));
  }

  // Another entity is selected.
  changed(): void {
    this.root.hidden = true;
    this.choice.replaceChildren();
    this.chosen();
    const entity = this.app.selection.entity;
    if (!entity || !this.app.connection.open) return;
    this.app.connection.call("sensor", { name: entity.name }).then((reply) => {
      const sensors = (reply.data as Listed | undefined)?.sensors ?? [];
      if (this.app.selection.entity !== entity || sensors.length === 0) return;
      this.root.hidden = false;
      this.choice.replaceChildren(el("option", { value: "", text: "choose one" }), ...sensors.map((s) => el("option", { value: s.sensor, text: `${s.sensor} (${s.type})` })));
    }, () => { /* it has none */ });
  }

  private chosen(): void {
    this.text.hidden = true;
    say(this.text, "");
    this.overlays.ranges = null;
  }

  private show(sample: Sample | undefined): void {
    const entity = this.app.selection.entity;
    if (!entity || !sample || !this.choice.value) return;
    const d = sample.data;
    if (Array.isArray(d?.ranges)) this.overlays.ranges = { number: entity.number, ranges: d.ranges, angle_min: d.angle_min ?? 0, angle_increment: d.angle_increment ?? 0, range_max: d.range_max ?? 0 };
    const brief = JSON.stringify(d ?? sample, (_key, value: unknown) => (Array.isArray(value) && value.length > 12 ? `${value.length} values` : typeof value === "number" ? +value.toFixed(4) : value), 1);
    this.text.hidden = false;
    say(this.text, brief.length > kLongest ? `${brief.slice(0, kLongest)} ...` : brief);
  }
}
