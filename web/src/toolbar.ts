// The bar at the top: time and how it goes, and what this page is connected to.
import { act, type App } from "./app.ts";
import { confirm_dialog } from "./dialogs.ts";
import { allow, button, el, icon, say } from "./dom.ts";
import { kOverlays, type Overlays } from "./overlays.ts";
import type { Quality } from "./stage.ts";
import type { Theme } from "./theme.ts";

const kSpeeds = ["0.1", "0.25", "0.5", "1", "2", "5", "10", "max"];

export class Toolbar {
  readonly root = el("header", { class: "toolbar", role: "toolbar", label: "Simulation" });
  private title = el("span", { class: "title", testid: "toolbar-name" });
  private play = button({ icon: "pause", label: "Pause", key: "Space", testid: "toolbar-pause" }, () => void this.pause());
  private step_button = button({ icon: "step", label: "Step", key: ".", testid: "toolbar-step" }, () => void this.step());
  private ticks = el("input", { type: "number", value: "1", label: "Ticks of a step", testid: "toolbar-step-ticks", class: "short" });
  private reset_button = button({ icon: "reset", label: "Reset the world", testid: "toolbar-reset" }, () => void this.reset());
  private speed = el("input", { type: "text", value: "1", label: "Speed: a factor, or max", testid: "toolbar-speed", class: "short", on: { change: () => void this.set_speed() } });
  private time = this.fact("toolbar-time", "Simulated time");
  private rtf = this.fact("toolbar-rtf", "Real-time factor");
  private count = this.fact("toolbar-entities", "Entities");
  private mode = this.fact("toolbar-mode", "Mode");
  private role = this.fact("toolbar-role", "Role");
  private link = el("span", { class: "link", testid: "toolbar-connection", role: "status" });
  private shown_icon = "pause";

  constructor(private app: App, overlays: Overlays, quality: Quality, theme: Theme, help: () => void) {
    this.ticks.min = "1", this.ticks.max = "100000";
    this.speed.setAttribute("list", "speeds");
    this.speed.dataset.title = "Speed: a factor of real time, or max";
    this.ticks.dataset.title = "Ticks of a step";
    const menu = overlay_menu(overlays, quality);
    this.root.append(
      el("div", { class: "group" }, el("span", { class: "mark", aria: { hidden: "true" } }), this.title),
      el("div", { class: "group" }, this.play, this.step_button, this.ticks, this.reset_button,
        el("label", { class: "speed" }, el("span", { class: "dim", text: "speed" }), this.speed), el("datalist", { id: "speeds" }, ...kSpeeds.map((value) => el("option", { value })))),
      el("div", { class: "group facts" }, this.time, this.rtf, this.count, this.mode, this.role),
      el("div", { class: "group end" }, this.link, menu,
        button({ icon: "theme", label: "Light or dark", key: "L", testid: "toolbar-theme" }, () => theme.toggle()),
        button({ icon: "help", label: "Help", key: "?", testid: "toolbar-help" }, help)));
  }

  add(button: HTMLButtonElement): void { this.root.lastElementChild!.children[1]!.after(button); }

  private fact(testid: string, title: string): HTMLElement { return el("span", { class: "fact", testid, title, label: title }); }
  private get paused(): boolean { return this.app.facts.status.paused ?? this.app.world.paused; }

  async pause(): Promise<void> {
    if (this.app.facts.why_not_time()) return;
    const to = !this.paused;
    if (await act(this.app, to ? "pause" : "resume")) this.app.facts.status.paused = to;
    this.update();
  }

  async step(): Promise<void> {
    if (this.step_button.disabled) return;
    const ticks = Math.max(1, Math.round(Number(this.ticks.value) || 1));
    await act(this.app, "step", { ticks });
  }

  private async reset(): Promise<void> {
    if (this.app.facts.recorded) return void (await act(this.app, "reset")); // to its beginning: nothing is lost
    if (await confirm_dialog("Reset the world", "Everything goes back to where it began, and time to zero.", "Reset", "reset-confirm")) await act(this.app, "reset");
  }

  private async set_speed(): Promise<void> {
    const text = this.speed.value.trim().toLowerCase(), factor = text === "max" ? 0 : Number(text.replace("x", ""));
    if (text === "" || !Number.isFinite(factor) || factor < 0) this.app.toasts.show("The speed is a number such as 2, or max", "error");
    else if (await act(this.app, "speed", { factor })) this.app.facts.status.speed = factor;
    this.speed.blur();
  }

  update(): void {
    const { facts, world } = this.app, why_not = facts.why_not_time(), paused = this.paused;
    say(this.title, facts.welcome?.name || "Convoy");
    const wanted = paused ? "play" : "pause";
    if (wanted !== this.shown_icon) {
      this.shown_icon = wanted;
      this.play.replaceChildren(icon(wanted));
      const label = paused ? "Go on" : "Pause";
      this.play.setAttribute("aria-label", label), (this.play.dataset.title = `${label} (Space)`);
    }
    allow(this.play, why_not);
    allow(this.step_button, why_not || (paused ? "" : "Pause first: steps are made while the run is paused"));
    allow(this.ticks, why_not), allow(this.reset_button, why_not), allow(this.speed, why_not);
    if (document.activeElement !== this.speed && typeof facts.status.speed === "number") this.speed.value = facts.status.speed === 0 ? "max" : String(+facts.status.speed.toFixed(3));
    say(this.time, `${world.time.toFixed(2)} s`);
    say(this.rtf, typeof facts.status.rtf !== "number" ? "" : `${facts.status.rtf.toFixed(2)}x real time`);
    say(this.count, `${world.entities.length} entities`);
    say(this.mode, facts.welcome?.mode ?? "");
    say(this.role, facts.welcome?.role ?? "");
    const state = !facts.linked ? "gone" : facts.lost ? "lost" : "live";
    this.link.dataset.state = state;
    say(this.link, { gone: "not connected", lost: "no simulation", live: paused ? "paused" : "connected" }[state]);
  }
}

function overlay_menu(overlays: Overlays, quality: Quality): HTMLElement {
  const list = el("div", { class: "menu", role: "group", label: "Overlays", id: "overlay-menu" });
  list.hidden = true;
  for (const [overlay, text] of kOverlays) {
    const box = el("input", { type: "checkbox", testid: `overlay-${overlay}`, on: { change: () => overlays.toggle(overlay, box.checked) } });
    box.checked = overlays.has(overlay);
    list.append(el("label", {}, box, text));
  }
  const shadows = el("input", { type: "checkbox", testid: "overlay-shadows", on: { change: () => { quality.shadows = shadows.checked; } } });
  shadows.checked = quality.shadows;
  list.append(el("label", { title: "Up to 300 entities" }, shadows, "Shadows"));
  const open = button({ icon: "layers", label: "Overlays", key: "O", testid: "toolbar-overlays" }, () => {
    list.hidden = !list.hidden;
    open.setAttribute("aria-expanded", String(!list.hidden));
  });
  open.setAttribute("aria-expanded", "false"), open.setAttribute("aria-controls", "overlay-menu");
  addEventListener("pointerdown", (event) => {
    if (!list.hidden && !list.parentElement!.contains(event.target as Node)) open.click();
  });
  return el("div", { class: "holds-menu" }, open, list);
}
