// Everything about the selected entity, and what can be done with it.
import { Actuators } from "./actuators.ts";
import { act, poll, type App } from "./app.ts";
import { allow, button, el, say } from "./dom.ts";
import type { Overlays } from "./overlays.ts";
import { Ruling } from "./ruling.ts";
import { SensorView } from "./sensor_view.ts";
import type { Teleop } from "./teleop.ts";
import type { Tools } from "./tools.ts";

interface Details { source?: string; ignored?: Record<string, number>; holder?: string | null; mass?: number; bounds?: { low?: number[]; high?: number[] } | null; engine?: string | null; category?: string; children?: string[]; owner?: string | null }

const kForward = 1, kTurn = 2; // m/s, rad/s, where the model does not say how fast it goes
const kDegrees = 180 / Math.PI;

export class Inspector {
  readonly root = el("section", { class: "panel right", label: "Inspector", id: "panel-inspector", data: { panel: "inspector" }, testid: "inspector" });
  private name = el("h2", { testid: "inspector-name" });
  private body = el("div", { class: "scroll" });
  private none = el("p", { class: "dim", text: "Nothing is selected. Click an entity, or choose one of the list." });
  private facts = el("dl", { class: "facts" });
  private values = new Map<string, HTMLElement>();
  private joints = el("dl", { class: "facts", testid: "inspector-joints" });
  private joint_values: HTMLElement[] = [];
  private drive = button({ icon: "drive", text: "Drive", label: "Drive by keys or gamepad", key: "R", testid: "inspector-drive" }, () => void this.teleop.toggle());
  private detach = button({ text: "Detach", label: "Detach from its parent", testid: "inspector-detach" }, () => void this.call("detach", "child"));
  private attach = button({ text: "Attach", label: "Attach to another", key: "T", testid: "inspector-attach" }, () => this.tools.choose("attach"));
  private reset = button({ text: "Reset", label: "Put it back to where it began", testid: "inspector-reset" }, () => void this.call("reset", "names"));
  private tags = el("input", { type: "text", label: "Tags, with commas between", placeholder: "none", testid: "inspector-tags", on: { focus: () => { this.tagged = this.app.selection.entity?.name ?? ""; }, change: () => void this.set_tags() } });
  private tagged = ""; // whose tags are being written
  private speeds = el("div", { class: "speeds" });
  private forward: (limit: number) => void;
  private turn: (limit: number) => void;
  private details: Details | null = null;
  private seen_at = 0; // s
  private sensors: SensorView;
  private actuators: Actuators;
  private ruling: Ruling;

  constructor(private app: App, private teleop: Teleop, private tools: Tools, overlays: Overlays) {
    this.sensors = new SensorView(app, overlays), this.actuators = new Actuators(app), this.ruling = new Ruling(app);
    const close = button({ icon: "close", label: "Select nothing", key: "Escape", testid: "inspector-close" }, () => app.selection.set(null));
    const look = button({ icon: "frame", label: "Show it", testid: "inspector-frame" }, () => app.views.frame(false));
    this.root.append(el("div", { class: "head" }, this.name, el("span", { class: "row" }, look, close)), this.none, this.body);
    for (const [key, text] of [["model", "Model"], ["owner", "Host"], ["parent", "Rides on"], ["frozen", "State"], ["pose", "Place"], ["attitude", "Yaw, pitch, roll"], ["speed", "Speed"], ["holder", "Held by"], ["mass", "Mass"], ["size", "Size"], ["age", "Last update"]] as const) {
      const value = el("dd", { testid: `inspector-${key}` });
      this.values.set(key, value);
      this.facts.append(el("dt", { text }), value);
    }
    this.facts.append(el("dt", { text: "Tags" }), el("dd", {}, this.tags));
    const forward = this.slider("Speed", "drive-speed", "m/s", (v) => { teleop.forward = v; }), turn = this.slider("Turn", "drive-turn", "rad/s", (v) => { teleop.turn = v; });
    this.forward = forward.limit, this.turn = turn.limit;
    this.speeds.append(forward.root, turn.root, this.pad(), el("p", { class: "dim", text: "Hold these, the arrows or W A S D. Letting go stops." }));
    this.body.append(el("div", { class: "row wrap" }, this.drive, this.attach, this.detach, this.reset), this.speeds, this.facts, this.ruling.root, this.actuators.root, el("h3", { text: "Joints" }), this.joints, this.sensors.root);
    app.selection.on_change(() => this.changed());
    teleop.on_change = () => this.update(performance.now() / 1000);
    poll(app, 1000, () => {
      const entity = app.selection.entity;
      return entity ? { method: "get", fields: { name: entity.name, rule: true, details: true } } : null;
    }, (reply) => { if (reply) this.details = (reply.data ?? null) as Details | null; });
    this.changed();
  }

  // What holding a key means, up to a limit, at which it begins.
  private slider(text: string, testid: string, unit: string, set: (v: number) => void): { root: HTMLElement; limit: (limit: number) => void } {
    const shown = el("output"), input = el("input", { type: "range", label: text, testid });
    const told = (): void => {
      set(Number(input.value));
      say(shown, `${+Number(input.value).toFixed(3)} ${unit}`);
    };
    input.addEventListener("input", told);
    const limit = (limit: number): void => {
      input.min = String(limit / 20), input.max = String(limit), input.step = "any", input.value = String(limit);
      told();
    };
    return { root: el("label", { class: "slider" }, el("span", { text }), input, shown), limit };
  }

  // For fingers: what is held drives.
  private pad(): HTMLElement {
    const out = el("div", { class: "pad", role: "group", label: "Drive" });
    for (const [icon, label, code] of [["up", "Forward", "ArrowUp"], ["left", "Turn left", "ArrowLeft"], ["down", "Back", "ArrowDown"], ["right", "Turn right", "ArrowRight"]] as const) {
      const made = button({ icon, label, testid: `drive-${icon}` }, () => { /* only while it is held */ });
      made.addEventListener("pointerdown", () => this.teleop.key(code, true, true));
      for (const end of ["pointerup", "pointercancel", "pointerleave", "lostpointercapture"]) made.addEventListener(end, () => this.teleop.key(code, false, true));
      out.append(made);
    }
    return out;
  }

  private async call(method: string, field: string): Promise<void> {
    const entity = this.app.selection.entity;
    if (entity) await act(this.app, method, { [field]: field === "names" ? [entity.name] : entity.name });
  }

  private async set_tags(): Promise<void> {
    const tags = this.tags.value.split(",").map((tag) => tag.trim()).filter((tag) => tag !== "");
    if (await act(this.app, "set_tags", { name: this.tagged, tags })) this.tags.blur();
  }

  private changed(): void {
    const entity = this.app.selection.entity;
    this.tags.blur();
    this.forward(entity?.model.max_speed || kForward), this.turn(entity?.model.max_turn || kTurn);
    this.details = null;
    document.body.classList.toggle("selecting", entity !== null);
    this.none.hidden = entity !== null, this.body.hidden = entity === null;
    say(this.name, entity?.name ?? "Inspector");
    this.joint_values = [];
    this.joints.replaceChildren();
    for (const name of entity?.model.joints ?? []) {
      const value = el("dd");
      this.joint_values.push(value);
      this.joints.append(el("dt", { text: name }), value);
    }
    (this.joints.previousElementSibling as HTMLElement).hidden = this.joint_values.length === 0;
    this.sensors.changed(), this.actuators.changed();
    this.update(performance.now() / 1000);
  }

  frame_came(now: number): void { this.seen_at = now; }

  update(now: number): void {
    const { world, selection, facts } = this.app, entity = selection.entity, d = this.details;
    if (!entity) return;
    const p = world.poses.subarray(7 * entity.slot, 7 * entity.slot + 7), v = world.twists.subarray(6 * entity.slot, 6 * entity.slot + 6);
    const [x = 0, y = 0, z = 0, qw = 1, qx = 0, qy = 0, qz = 0] = p;
    const yaw = Math.atan2(2 * (qw * qz + qx * qy), 1 - 2 * (qy * qy + qz * qz)), pitch = Math.asin(Math.max(-1, Math.min(1, 2 * (qw * qy - qz * qx))));
    const roll = Math.atan2(2 * (qw * qx + qy * qz), 1 - 2 * (qx * qx + qy * qy)), degrees = (a: number): string => `${(a * kDegrees).toFixed(1)}°`;
    const size = d?.bounds ? [0, 1, 2].map((k) => ((d.bounds?.high?.[k] ?? 0) - (d.bounds?.low?.[k] ?? 0)).toFixed(2)).join(" x ") + " m" : "";
    this.say("model", d?.category ? `${entity.model.name} (${d.category})` : entity.model.name);
    this.say("owner", world.hosts[entity.host] || d?.owner || "the world's own");
    if (document.activeElement !== this.tags) this.tags.value = entity.tags.join(", ");
    this.say("parent", entity.parent ? (world.by_number.get(entity.parent)?.name ?? `#${entity.parent}`) : "");
    this.say("frozen", entity.frozen ? "frozen: nobody runs it" : "");
    this.say("pose", `${(x - entity.shift).toFixed(3)}, ${y.toFixed(3)}, ${z.toFixed(3)} m`);
    this.say("attitude", [yaw, pitch, roll].map(degrees).join(", "));
    this.say("speed", `${Math.hypot(v[0] ?? 0, v[1] ?? 0, v[2] ?? 0).toFixed(3)} m/s, ${Math.hypot(v[3] ?? 0, v[4] ?? 0, v[5] ?? 0).toFixed(2)} rad/s`);
    this.say("holder", d?.holder ? (this.teleop.on && this.teleop.name === entity.name ? `${d.holder} (this page)` : d.holder) : "");
    this.say("mass", d?.mass ? `${d.mass.toPrecision(3)} kg` : "");
    this.say("size", size);
    this.say("age", `${Math.max(0, now - this.seen_at).toFixed(1)} s ago`);
    this.joint_values.forEach((value, i) => say(value, (world.joints[world.joint_at[entity.slot]! + i] ?? 0).toFixed(3)));
    this.ruling.update(d?.source, d?.ignored), this.actuators.update(), this.sensors.update();
    const edit = facts.why_not("edit");
    allow(this.drive, facts.why_not("drive") || (entity.model.category === "robot" ? "" : "It is no robot"));
    this.drive.setAttribute("aria-pressed", String(this.teleop.on));
    this.speeds.hidden = !this.teleop.on;
    allow(this.attach, edit), allow(this.detach, edit), allow(this.reset, edit), allow(this.tags, edit);
    this.detach.hidden = entity.parent === 0, this.attach.hidden = entity.parent !== 0;
  }

  private say(key: string, text: string): void {
    const value = this.values.get(key)!;
    say(value, text);
    value.hidden = text === "";
    (value.previousElementSibling as HTMLElement).hidden = text === "";
  }
}
