// The tools and the cameras, as a column of buttons beside the view, and the words of the tool that is chosen.
import type { App } from "./app.ts";
import { allow, button, el, say } from "./dom.ts";
import { kTools, type Tool, type Tools } from "./tools.ts";
import { kModes, type Mode } from "./views.ts";

const kToolWords: Record<Tool, [string, string, string]> = { // label, key, what to do
  select: ["Select", "V", ""],
  move: ["Move", "M", "Drag a body to move it; with Shift it turns"],
  push: ["Push", "P", "Drag from a body to push it"],
  attach: ["Attach the selected", "T", "Click the entity that carries the selected one"],
  spawn: ["Spawn", "N", "Press on the ground, drag to turn it"],
};
const kModeWords: Record<Mode, [string, string, string]> = { // label, key, icon
  orbit: ["Orbit", "1", "orbit"], fly: ["Fly", "2", "fly"], follow: ["Follow the selected", "3", "follow"],
  behind: ["Ride behind the selected", "4", "behind"], top: ["From above", "5", "top"],
};

export class Rail {
  readonly root = el("nav", { class: "rail", role: "toolbar", label: "Tools and cameras" });
  readonly words = el("div", { class: "words", testid: "tool-words", role: "status" });
  private tools = new Map<Tool, HTMLButtonElement>();
  private modes = new Map<Mode, HTMLButtonElement>();
  private remove: HTMLButtonElement;
  private hint = el("span");
  private model = el("select", { label: "Model", testid: "spawn-model", on: { change: () => this.choose_model(this.model.value) } });
  private name = el("input", { type: "text", label: "Name", testid: "spawn-name", on: { input: () => { this.tool.spawn_name = this.name.value.trim(); } } });
  private keyframe = el("select", { label: "Keyframe in which it begins", testid: "spawn-keyframe", on: { change: () => { this.tool.spawn_keyframe = this.keyframe.value; } } });
  private form = el("span", { class: "row" }, this.model, this.name, this.keyframe);
  private version = -1;

  constructor(private app: App, private tool: Tools) {
    for (const tool of kTools) {
      const [label, key] = kToolWords[tool];
      const made = button({ icon: tool, label, key, testid: `mode-${tool}` }, () => this.tool.choose(tool));
      this.tools.set(tool, made);
      this.root.append(made);
    }
    this.remove = button({ icon: "delete", label: "Delete the selected", key: "Delete", testid: "delete-selected" }, () => void this.tool.delete_selected());
    this.root.append(this.remove, el("hr"));
    for (const mode of kModes) {
      const [label, key, icon] = kModeWords[mode];
      const made = button({ icon, label, key, testid: `camera-${mode}` }, () => app.views.set(mode));
      this.modes.set(mode, made);
      this.root.append(made);
    }
    this.root.append(button({ icon: "frame", label: "Frame all", key: "F", testid: "camera-frame" }, () => app.views.frame(true)));
    this.words.append(this.hint, this.form, button({ icon: "close", label: "End this tool", testid: "tool-end" }, () => this.tool.choose("select")));
    this.tool.on_change = () => this.update();
    app.views.on_change = () => this.update();
    app.selection.on_change(() => this.update());
  }

  update(): void {
    const { app } = this, why_not = app.facts.why_not("edit"), nobody = app.selection.entity ? "" : "Select an entity first";
    for (const [tool, made] of this.tools) {
      made.setAttribute("aria-pressed", String(tool === this.tool.tool));
      if (tool !== "select") allow(made, why_not || (tool === "attach" ? nobody : ""));
    }
    allow(this.remove, why_not || nobody);
    for (const [mode, made] of this.modes) {
      made.setAttribute("aria-pressed", String(mode === app.views.mode));
      if (mode === "follow" || mode === "behind") allow(made, nobody);
    }
    this.words.hidden = this.tool.tool === "select";
    say(this.hint, kToolWords[this.tool.tool][2]);
    this.form.hidden = this.tool.tool !== "spawn";
    if (this.version !== app.world.version) this.list_models();
    if (document.activeElement !== this.name) this.name.value = this.tool.spawn_name || this.tool.free_name(this.tool.spawn_model);
  }

  private choose_model(name: string): void {
    this.tool.spawn_model = name, this.tool.spawn_name = this.tool.spawn_keyframe = "";
    const keyframes = [...this.app.world.models.values()].find((m) => m.name === name)?.keyframes ?? [];
    this.keyframe.hidden = keyframes.length === 0;
    this.keyframe.replaceChildren(el("option", { value: "", text: "home, or the first" }), ...keyframes.map((k) => el("option", { value: k, text: k })));
    this.update();
  }

  private list_models(): void {
    this.version = this.app.world.version;
    const names = [...this.app.world.models.values()].map((m) => m.name);
    if (!names.includes(this.tool.spawn_model)) this.choose_model(names[0] ?? "");
    this.model.replaceChildren(...names.map((name) => el("option", { value: name, text: name })));
    this.model.value = this.tool.spawn_model;
  }
}
