// Whose commands the selected robot obeys, as a choice.
import { act, type App } from "./app.ts";
import { allow, el, say } from "./dom.ts";

const kSources: [string, string][] = [["any", "anybody"], ["dashboard", "dashboard: pages and calls"], ["zmq", "ZeroMQ"], ["ros2", "ROS 2"], ["nodes", "its nodes"]];

export class Ruling {
  readonly root: HTMLElement;
  private choice = el("select", { label: "Whose commands it obeys", testid: "control-source", on: { change: () => void this.choose() } }, ...kSources.map(([value, text]) => el("option", { value, text })));
  private ignored = el("span", { class: "dim", testid: "control-ignored" });

  constructor(private app: App) { this.root = el("div", { class: "ruling" }, el("label", { class: "row" }, el("span", { class: "dim", text: "Obeys" }), this.choice), this.ignored); }

  // What its host says: who rules, and how many commands of others it did not obey.
  update(source: string | undefined, ignored: Record<string, number> | undefined): void {
    this.root.hidden = !kSources.some(([value]) => value === source);
    if (source && document.activeElement !== this.choice) this.choice.value = source;
    const parts = Object.entries(ignored ?? {}).filter(([, count]) => count > 0).map(([from, count]) => `${count} of ${from}`);
    say(this.ignored, parts.length ? `commands ignored: ${parts.join(", ")}` : "");
    allow(this.choice, this.app.facts.why_not("drive"));
  }

  private async choose(): Promise<void> {
    const entity = this.app.selection.entity;
    this.choice.blur(); // what it shows is again what the robot's host says
    if (entity) await act(this.app, "control_source", { source: this.choice.value, names: [entity.name] });
  }
}
