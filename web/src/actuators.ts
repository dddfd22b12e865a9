// A slider and a number for each actuator of the selected robot, and gains where its controller has them. What is changed
// is sent, at most ten times a second.
import { act, poll, type App } from "./app.ts";
import { allow, el } from "./dom.ts";

const kPeriod = 100; // ms between calls
const kEvery = 1000; // ms between two questions
const kFactors = ["1", "3", "10"]; // of sliders without a range, which reach from -1 to 1
const kGains = [["kp", "P"], ["kv", "D"], ["torque_limit", "max"]] as const;

interface Told { name: string; joint?: string | null; low?: number | null; high?: number | null; control?: number; kp?: number; kv?: number; torque_limit?: number }
interface Row { name: string; root: HTMLElement; slider: HTMLInputElement; number: HTMLInputElement; gains: HTMLElement; inputs: HTMLInputElement[]; ranged: boolean }

export class Actuators {
  readonly root = el("div", { class: "actuators" });
  private rows: Row[] = [];
  private list = el("div", { class: "actuator-list", testid: "actuators" });
  private factor = el("select", { label: "Reach of the sliders", testid: "actuator-factor", on: { change: () => this.stretch() } }, ...kFactors.map((f) => el("option", { value: f, text: `x${f}` })));
  private reach = el("label", { class: "row dim" }, "reach", this.factor);
  private mode = el("select", { label: "Controller", testid: "actuator-mode", on: { change: () => void this.set_mode() } }, el("option", { value: "raw", text: "values as they are" }), el("option", { value: "pd", text: "targets, by PD" }));
  private changed_values = new Map<string, number>();
  private busy = false;

  constructor(private app: App) {
    this.root.append(el("div", { class: "row between" }, el("h3", { text: "Actuators" }), this.reach), this.mode, this.list,
      el("p", { class: "dim", text: "A value holds until another comes, from here or elsewhere, or as long as the scenario's control_silence says." }));
    setInterval(() => void this.send(), kPeriod);
    poll(app, kEvery, () => {
      const entity = app.selection.entity;
      return entity && this.rows.length > 0 ? { method: "actuators", fields: { name: entity.name } } : null;
    }, (reply) => this.take((reply?.data ?? {}) as { robot?: string; pd?: boolean; actuators?: Told[] }));
  }

  // Another entity is selected.
  changed(): void {
    const names = this.app.selection.entity?.model.actuators ?? [];
    this.changed_values.clear();
    this.root.hidden = names.length === 0;
    this.mode.hidden = true, this.reach.hidden = false;
    this.rows = names.map((name) => this.row(name));
    this.list.replaceChildren(...this.rows.map(({ root }) => root));
    this.stretch();
  }

  update(): void {
    const why_not = this.app.facts.why_not("drive");
    allow(this.mode, this.mode.value === "pd" ? this.app.facts.why_not("edit") : why_not);
    for (const { slider, number, inputs } of this.rows) for (const one of [slider, number, ...inputs]) allow(one, why_not);
  }

  // What its host says: ranges once, values and gains where nobody writes just now.
  private take({ robot, pd, actuators = [] }: { robot?: string; pd?: boolean; actuators?: Told[] }): void {
    if (robot !== this.app.selection.entity?.name) return;
    this.mode.hidden = actuators.length === 0;
    if (document.activeElement !== this.mode) this.mode.value = pd ? "pd" : "raw";
    for (const told of actuators) {
      const row = this.rows.find((r) => r.name === told.name);
      if (!row) continue;
      const { slider, number, gains, inputs } = row, low = told.low ?? null, high = told.high ?? null;
      gains.hidden = told.kp === undefined;
      kGains.forEach(([key], i) => {
        const input = inputs[i]!;
        if (document.activeElement !== input) input.value = told[key] === undefined ? "" : String(+told[key].toPrecision(6));
      });
      if (low !== null && high !== null && gains.hidden) { // a target of PD is an angle, whatever the motor's range is
        if (!row.ranged) slider.min = String(low), slider.max = String(high), slider.step = "any", row.ranged = true;
        if (document.activeElement !== slider && document.activeElement !== number && number.value === "") slider.value = String(told.control ?? 0);
        slider.title = `${+low.toPrecision(4)} to ${+high.toPrecision(4)}`;
      } else if (row.ranged) row.ranged = false, this.stretch();
    }
    this.reach.hidden = this.rows.every((r) => r.ranged);
  }

  private row(name: string): Row {
    const slider = el("input", { type: "range", value: "0", label: name, testid: "actuator-slider", data: { actuator: name } });
    const number = el("input", { type: "number", label: `${name}, as a number`, placeholder: "as it is", testid: "actuator-value", data: { actuator: name } });
    number.step = "any";
    slider.addEventListener("input", () => {
      number.value = slider.value;
      this.changed_values.set(name, Number(slider.value));
    });
    number.addEventListener("change", () => {
      if (number.value === "") return;
      slider.value = number.value;
      this.changed_values.set(name, Number(number.value));
    });
    const inputs = kGains.map(([key, text]) => {
      const input = el("input", { type: "number", label: `${name}: ${key}`, testid: `gain-${key}`, class: "short", data: { actuator: name }, on: { change: () => void this.set_gain(name, key, input) } });
      input.min = "0", input.step = "any", input.dataset.title = text;
      return input;
    });
    const gains = el("div", { class: "row gains" }, ...kGains.map(([, text], i) => el("label", { class: "row dim" }, text, inputs[i]!)));
    gains.hidden = true;
    return { name, root: el("div", {}, el("div", { class: "actuator" }, el("span", { text: name, title: name }), slider, number), gains), slider, number, gains, inputs, ranged: false };
  }

  private stretch(): void {
    const reach = Number(this.factor.value);
    for (const { slider, number, ranged } of this.rows) {
      if (ranged) continue;
      slider.min = String(-reach), slider.max = String(reach), slider.step = String(reach / 100);
      slider.value = number.value || "0";
    }
  }

  private async set_gain(actuator: string, key: string, input: HTMLInputElement): Promise<void> {
    const entity = this.app.selection.entity;
    if (!entity || input.value === "") return;
    await act(this.app, "set_gains", { name: entity.name, gains: [{ actuator, [key]: Number(input.value) }] });
    input.blur();
  }

  // A gain without a number switches PD on, and leaves the gains as they are.
  private async set_mode(): Promise<void> {
    const entity = this.app.selection.entity, first = this.rows[0];
    if (!entity || !first) return;
    if (this.mode.value === "pd") await act(this.app, "set_gains", { name: entity.name, gains: [{ actuator: first.name }] });
    else await act(this.app, "set_parameter", { node: `/${entity.name}/controller`, name: "mode", value: "raw" });
    this.mode.blur();
  }

  private async send(): Promise<void> {
    const entity = this.app.selection.entity;
    if (this.busy || !entity || this.changed_values.size === 0) return;
    const actuators = [...this.changed_values.keys()], values = [...this.changed_values.values()];
    this.changed_values.clear();
    this.busy = true;
    await act(this.app, "set_controls", { name: entity.name, actuators, values });
    this.busy = false;
  }
}
