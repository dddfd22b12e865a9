// A slider and a number for each actuator of the selected robot. What is changed is sent, at most ten times a second.
import { act, type App } from "./app.ts";
import { allow, el } from "./dom.ts";

const kPeriod = 100; // ms between calls
const kFactors = ["1", "3", "10"]; // of the sliders, which reach from -1 to 1: the model does not tell its ranges

interface Row { name: string; slider: HTMLInputElement; number: HTMLInputElement }

export class Actuators {
  readonly root = el("div", { class: "actuators" });
  private rows: Row[] = [];
  private list = el("div", { class: "actuator-list", testid: "actuators" });
  private factor = el("select", { label: "Reach of the sliders", testid: "actuator-factor", on: { change: () => this.stretch() } }, ...kFactors.map((f) => el("option", { value: f, text: `x${f}` })));
  private changed_values = new Map<string, number>();
  private busy = false;

  constructor(private app: App) {
    this.root.append(el("div", { class: "row between" }, el("h3", { text: "Actuators" }), el("label", { class: "row dim" }, "reach", this.factor)), this.list,
      el("p", { class: "dim", text: "A value holds until another comes, from here or elsewhere, or as long as the scenario's control_silence says." }));
    setInterval(() => void this.send(), kPeriod);
  }

  // Another entity is selected.
  changed(): void {
    const names = this.app.selection.entity?.model.actuators ?? [];
    this.changed_values.clear();
    this.root.hidden = names.length === 0;
    this.rows = names.map((name) => this.row(name));
    this.list.replaceChildren(...this.rows.map(({ name, slider, number }) => el("div", { class: "actuator" }, el("span", { text: name, title: name }), slider, number)));
    this.stretch();
  }

  update(): void {
    const why_not = this.app.facts.why_not("drive");
    for (const { slider, number } of this.rows) allow(slider, why_not), allow(number, why_not);
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
    return { name, slider, number };
  }

  private stretch(): void {
    const reach = Number(this.factor.value);
    for (const { slider, number } of this.rows) {
      slider.min = String(-reach), slider.max = String(reach), slider.step = String(reach / 100);
      slider.value = number.value || "0";
    }
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
