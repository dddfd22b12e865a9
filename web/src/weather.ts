// The panel of weather, time of day, gravity and wind. A call sets all of them: what is not touched goes along as it is.
import { act, type App } from "./app.ts";
import { bottom_panel } from "./dock.ts";
import { allow, el, say } from "./dom.ts";
import { kFairNoon, type Weather } from "./light.ts";

const kPeriod = 200; // ms between calls
const kSettles = 2500; // ms until what the server says counts again
const kSliders: [string, string, number][] = [["fog", "Fog", 1], ["rain", "Rain", 1], ["wetness", "Wetness", 1], ["cloudiness", "Clouds", 1], ["road_damage", "Road damage", 1], ["time_of_day", "Time of day", 23.99]];
const kVectors: [string, string, number[]][] = [["gravity", "Gravity, m/s²", [0, 0, -9.81]], ["wind", "Wind, m/s", [0, 0, 0]]];

interface Vector { own: HTMLInputElement; axes: HTMLInputElement[] }

export class WeatherPanel {
  readonly root = bottom_panel("weather");
  private sliders = new Map<string, { input: HTMLInputElement; shown: HTMLElement }>();
  private vectors = new Map<string, Vector>();
  private touched = false; // since the last call
  private touched_at = new Map<string, number>(); // ms, of each field
  private busy = false;

  constructor(private app: App) {
    const scales = el("div"), felt = el("div");
    for (const [name, text, most] of kSliders) {
      const input = el("input", { type: "range", label: text, testid: `weather-${name}`, on: { input: () => this.touch(name) } }), shown = el("output");
      input.min = "0", input.max = String(most), input.step = "any"; // what is not touched goes back as it came
      this.sliders.set(name, { input, shown });
      scales.append(el("label", { class: "slider wide" }, el("span", { text }), input, shown));
    }
    for (const [name, text, usual] of kVectors) {
      const own = el("input", { type: "checkbox", testid: `weather-${name}`, on: { change: () => this.touch(name) } });
      const axes = ["x", "y", "z"].map((axis, k) => {
        const input = el("input", { type: "number", label: `${text}, ${axis}`, value: String(usual[k]), testid: `weather-${name}-${axis}`, class: "short", on: { change: () => this.touch(name) } });
        input.step = "any";
        return input;
      });
      this.vectors.set(name, { own, axes });
      felt.append(el("label", { class: "row" }, own, el("span", { text })), el("div", { class: "row wrap" }, ...axes));
    }
    felt.append(el("p", { class: "dim", text: "Unchecked: as the robots' own files say. Robots with MuJoCo physics feel them." }));
    this.root.append(el("div", { class: "two" }, scales, felt));
    setInterval(() => void this.send(), kPeriod);
  }

  // As it is shown: what this page has just set, else what the server says.
  get weather(): Weather {
    const said = this.app.facts.status.environment ?? {};
    const value = (name: keyof Weather): number => (this.own(name) ? Number(this.sliders.get(name)!.input.value) : typeof said[name] === "number" ? said[name] : kFairNoon[name]);
    return { time_of_day: value("time_of_day"), fog: value("fog"), cloudiness: value("cloudiness"), rain: value("rain"), wetness: value("wetness") };
  }

  update(): void {
    const said = this.app.facts.status.environment ?? {}, why_not = this.app.facts.why_not("edit") || (this.app.facts.status.environment ? "" : "The server has not said yet how it is");
    for (const [name, { input, shown }] of this.sliders) {
      const value = said[name];
      if (!this.own(name) && typeof value === "number") input.value = String(value);
      const now = Number(input.value), minutes = Math.round(now * 60);
      say(shown, name === "time_of_day" ? `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}` : now.toFixed(2));
      allow(input, why_not);
    }
    for (const [name, vector] of this.vectors) {
      const value = said[name], writes = vector.axes.includes(document.activeElement as HTMLInputElement);
      if (!this.own(name) && !writes) {
        vector.own.checked = Array.isArray(value);
        if (Array.isArray(value)) vector.axes.forEach((input, k) => { input.value = String(value[k]); });
      }
      allow(vector.own, why_not);
      for (const input of vector.axes) allow(input, why_not || (vector.own.checked ? "" : "Check it first"));
    }
  }

  // What this page has just set; of all else the server's word counts.
  private own(name: string): boolean {
    return performance.now() - (this.touched_at.get(name) ?? -Infinity) < kSettles;
  }

  private touch(name: string): void {
    this.touched = true;
    this.touched_at.set(name, performance.now());
    this.update();
  }

  private async send(): Promise<void> {
    if (!this.touched || this.busy) return;
    this.touched = false;
    this.busy = true;
    const fields: Record<string, unknown> = {};
    for (const [name, { input }] of this.sliders) fields[name] = Number(input.value);
    for (const [name, { own, axes }] of this.vectors) {
      const [x, y, z] = axes.map((input) => Number(input.value));
      if (own.checked) fields[name] = { x, y, z };
    }
    if (!(await act(this.app, "environment", fields))) this.touched_at.clear();
    this.busy = false;
  }
}
