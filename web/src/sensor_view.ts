// The sensors of the selected robot: what one of them shows, as text and in the view, on and off, and how often.
import { act, type App } from "./app.ts";
import { allow, button, el, say } from "./dom.ts";
import type { Overlays } from "./overlays.ts";
import type { Mount, Seen } from "./sensor_marks.ts";

const kLongest = 4000; // characters shown
const kEvery = 300; // ms between two looks

interface Listed { sensors?: { sensor: string; type: string; period?: number }[] }
interface Sample extends Mount { data?: Seen }

export class SensorView {
  readonly root = el("div", { class: "sensors" });
  private choice = el("select", { label: "Sensor", testid: "inspector-sensor", on: { change: () => this.chosen() } });
  private on = button({ text: "On", label: "Switch the sensor on", testid: "sensor-on" }, () => void this.change("{on: true}", "is on"));
  private off = button({ text: "Off", label: "Switch the sensor off", testid: "sensor-off" }, () => void this.change("{on: false}", "is off"));
  private rate = el("input", { type: "number", label: "Samples a second", testid: "sensor-rate", class: "short", on: { change: () => void this.set_rate() } });
  private form = el("div", { class: "row" }, this.on, this.off, el("label", { class: "row dim" }, this.rate, "Hz"));
  private picture = el("canvas", { testid: "inspector-picture", class: "picture", label: "What the camera sees" });
  private text = el("pre", { testid: "inspector-sensor-data", tabindex: 0, label: "What the sensor shows" });
  private periods = new Map<string, number>(); // s
  private busy = false;

  constructor(private app: App, private overlays: Overlays) {
    this.rate.min = "0", this.rate.step = "any", this.rate.dataset.title = "Samples a second";
    this.root.append(el("h3", { text: "Sensors" }), this.choice, this.form, this.picture, this.text);
    setInterval(() => void this.look(), kEvery);
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
      this.periods = new Map(sensors.map((s) => [s.sensor, s.period ?? 0]));
      this.choice.replaceChildren(el("option", { value: "", text: "choose one" }), ...sensors.map((s) => el("option", { value: s.sensor, text: `${s.sensor} (${s.type})` })));
    }, () => { /* it has none */ });
  }

  update(): void {
    const why_not = this.app.facts.why_not("edit");
    allow(this.on, why_not), allow(this.off, why_not), allow(this.rate, why_not);
  }

  private chosen(): void {
    const period = this.periods.get(this.choice.value) ?? 0;
    this.form.hidden = this.choice.value === "";
    this.rate.value = period > 0 ? String(+(1 / period).toFixed(3)) : "";
    this.text.hidden = this.picture.hidden = true;
    say(this.text, "");
    this.overlays.sensor.clear();
  }

  private async change(fields: string, done: string): Promise<boolean> {
    const entity = this.app.selection.entity, sensor = this.choice.value;
    if (!entity || !(await act(this.app, "change_sensor", { name: entity.name, sensor, fields }))) return false;
    this.app.toasts.show(`${sensor} of ${entity.name} ${done}`);
    return true;
  }

  private async set_rate(): Promise<void> {
    const sensor = this.choice.value, rate = Number(this.rate.value);
    if (!(rate > 0)) return this.app.toasts.show("The rate is a number of samples a second", "error");
    if (await this.change(`{rate: ${rate}}`, `takes ${rate} samples a second`)) this.periods.set(sensor, 1 / rate);
  }

  private async look(): Promise<void> {
    const entity = this.app.selection.entity, sensor = this.choice.value;
    if (this.busy || document.hidden || !entity || !sensor || !this.app.connection.open) return;
    this.busy = true;
    const sample: Sample | Error = await this.app.connection.call("sensor", { name: entity.name, sensor }).then((reply) => (reply.data ?? {}) as Sample, (error: Error) => error);
    this.busy = false;
    if (this.app.selection.entity !== entity || this.choice.value !== sensor) return;
    this.text.hidden = false;
    if (sample instanceof Error) return say(this.text, sample.message);
    this.picture.hidden = !draw_picture(this.picture, (sample.data ?? {}) as Taken);
    this.overlays.sensor.show(entity, sample, sample.data ?? {});
    const brief = JSON.stringify(sample.data ?? sample, (key, value: unknown) => (key === "color" && typeof value === "string" ? `${value.length} letters` : Array.isArray(value) && value.length > 12 ? `${value.length} values` : typeof value === "number" ? +value.toFixed(4) : value), 1);
    say(this.text, brief.length > kLongest ? `${brief.slice(0, kLongest)} ...` : brief);
  }
}

interface Taken { lens?: { width: number; height: number }; color?: string; depth?: unknown[]; numbers?: number[] }

// Colour, else depth (near is bright), else who is where. False: it is no camera's.
function draw_picture(canvas: HTMLCanvasElement, { lens, color, depth, numbers }: Taken): boolean {
  const context = lens ? canvas.getContext("2d") : null;
  if (!lens || !context) return false;
  canvas.width = lens.width, canvas.height = lens.height;
  const out = context.createImageData(lens.width, lens.height), rgb = color ? Uint8Array.from(atob(color), (c) => c.charCodeAt(0)) : null;
  for (let i = 0; i < lens.width * lens.height; i++) {
    const z = depth?.[i], gray = typeof z === "number" && z > 0 ? 255 / (1 + z / 4) : 0, number = numbers?.[i] ?? 0;
    for (let c = 0; c < 3; c++) out.data[4 * i + c] = rgb?.length ? rgb[3 * i + c]! : depth?.length ? gray : (number * [97, 57, 151][c]!) % 256;
    out.data[4 * i + 3] = 255;
  }
  context.putImageData(out, 0, 0);
  return true;
}
