// Numbers of entities over the last seconds of simulated time, any number of them in one plot.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { App } from "./app.ts";
import { bottom_panel } from "./dock.ts";
import { button, el, say } from "./dom.ts";

const kSpan = 30; // s of simulated time
const kColors = ["#3e63dd", "#e5484d", "#30a46c", "#ffb224", "#8e4ec6", "#12a594", "#d6409f", "#f76b15"];
const kQuantities = ["x", "y", "z", "yaw", "speed"];

interface Series { number: number; name: string; quantity: string; values: (number | null)[] }

export class Plots {
  readonly root: HTMLElement;
  private quantity = el("select", { label: "Quantity", testid: "plot-quantity" });
  private add_button = button({ icon: "spawn", text: "Plot", label: "Plot this of the selected entity", testid: "plot-add" }, () => this.add());
  private space = el("div", { class: "plot", testid: "plot-canvas" });
  private hint = el("span", { class: "dim", text: "Select an entity, choose a quantity and press Plot." });
  private times: number[] = [];
  private series: Series[] = [];
  private plot: uPlot | null = null;
  private run = -1;

  constructor(private app: App) {
    this.root = bottom_panel("plots", el("div", { class: "row" }, this.quantity, this.add_button,
      button({ text: "Clear", label: "Take all lines out", testid: "plot-clear" }, () => this.clear()), this.hint), this.space);
    app.selection.on_change(() => this.list_quantities());
    new ResizeObserver(() => this.fit()).observe(this.space);
    this.list_quantities();
  }

  get numbers(): number[] { return this.series.map((s) => s.number); } // of entities

  private list_quantities(): void {
    const entity = this.app.selection.entity, before = this.quantity.value;
    this.quantity.replaceChildren(...kQuantities.map((q) => el("option", { value: q, text: q })), ...(entity?.model.joints ?? []).map((j) => el("option", { value: `joint ${j}`, text: `joint ${j}` })));
    if ([...this.quantity.options].some((o) => o.value === before)) this.quantity.value = before;
    this.add_button.disabled = entity === null;
    say(this.hint, entity ? entity.name : "Select an entity, choose a quantity and press Plot.");
  }

  private add(): void {
    const entity = this.app.selection.entity;
    if (!entity || this.series.some((s) => s.number === entity.number && s.quantity === this.quantity.value)) return;
    this.series.push({ number: entity.number, name: entity.name, quantity: this.quantity.value, values: this.times.map(() => null) });
    this.make();
  }

  private clear(): void {
    this.series = [], this.times = [];
    this.make();
  }

  private value(s: Series): number | null {
    const world = this.app.world, entity = world.by_number.get(s.number);
    if (!entity || !world.shown[entity.slot]) return null;
    const p = world.poses.subarray(7 * entity.slot, 7 * entity.slot + 7), v = 6 * entity.slot;
    if (s.quantity === "yaw") return Math.atan2(2 * (p[3]! * p[6]! + p[4]! * p[5]!), 1 - 2 * (p[5]! ** 2 + p[6]! ** 2));
    if (s.quantity === "speed") return Math.hypot(world.twists[v]!, world.twists[v + 1]!, world.twists[v + 2]!);
    const axis = ["x", "y", "z"].indexOf(s.quantity);
    if (axis >= 0) return p[axis]!;
    const joint = entity.model.joints.indexOf(s.quantity.slice("joint ".length));
    return joint < 0 ? null : world.joints[world.joint_at[entity.slot]! + joint]!;
  }

  // To be called when a frame came.
  sample(): void {
    const world = this.app.world, now = world.newest_time, last = this.times.at(-1) ?? -Infinity;
    if (world.run !== this.run || now < last) {
      this.run = world.run, this.times = [];
      for (const s of this.series) s.values = [];
    }
    if (this.series.length === 0 || now <= last) return;
    this.times.push(now);
    for (const s of this.series) s.values.push(this.value(s));
    let old = 0;
    while (this.times[old]! < now - kSpan) old++;
    if (old > 0) {
      this.times.splice(0, old);
      for (const s of this.series) s.values.splice(0, old);
    }
    if (this.root.classList.contains("open")) this.plot?.setData([this.times, ...this.series.map((s) => s.values)]);
  }

  make(): void {
    this.plot?.destroy();
    this.plot = null;
    this.space.replaceChildren();
    if (this.series.length === 0) return;
    const style = getComputedStyle(document.documentElement), ink = style.getPropertyValue("--dim").trim(), grid = style.getPropertyValue("--edge").trim();
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
    this.plot = new uPlot({
      width: Math.max(100, this.space.clientWidth), height: this.height(), scales: { x: { time: false } }, axes: [axis, axis], cursor: { drag: { x: false, y: false } },
      series: [{ label: "time (s)" }, ...this.series.map((s, i) => ({ label: `${s.name} ${s.quantity}`, stroke: kColors[i % kColors.length]!, width: 2, points: { show: false } }))],
    }, [this.times, ...this.series.map((s) => s.values)], this.space);
  }

  private height(): number { return Math.max(80, this.space.clientHeight - 34); }
  private fit(): void { this.plot?.setSize({ width: Math.max(100, this.space.clientWidth), height: this.height() }); }
}
