// The times of a recording: where it is, and a way to any other. Of a running simulation it is not there.
import type { App } from "./app.ts";
import { allow, button, el, say } from "./dom.ts";

const kEvery = 50; // ms between two times that are asked for

export class Timeline {
  readonly root = el("div", { class: "timeline", role: "group", label: "Times of the recording", testid: "timeline" });
  private slider = el("input", { type: "range", label: "Time of the recording, s", testid: "timeline-time", on: { input: () => this.chosen(), change: () => this.chosen() } });
  private text = el("span", { class: "times", testid: "timeline-text" });
  private mark = el("span", { class: "mark-of-difference", aria: { hidden: "true" } });
  private difference = button({ text: "First difference", label: "Go to where the two begin to differ", testid: "timeline-difference" }, () => this.to_difference());
  private wanted: number | null = null; // s, chosen and not asked for yet
  private asked_at = -Infinity; // ms

  constructor(private app: App) {
    this.root.append(el("span", { class: "slider" }, this.slider, this.mark), this.text, this.difference);
    this.root.hidden = true;
    this.slider.min = "0";
    setInterval(() => this.ask(), kEvery);
  }

  private chosen(): void {
    this.wanted = Number(this.slider.value);
    this.ask();
  }

  private ask(): void {
    const now = performance.now();
    if (this.wanted === null || now - this.asked_at < kEvery) return;
    this.app.connection.seek(this.wanted);
    this.wanted = null, this.asked_at = now;
  }

  private to_difference(): void {
    const { facts, world, selection } = this.app, found = facts.status.recording?.difference;
    if (!found) return;
    this.app.connection.seek(found.time_s);
    const entity = world.by_name.get(found.entity);
    if (entity) selection.set(entity);
    this.app.toasts.show(`First difference, at ${found.time_s.toFixed(2)} s: ${found.text}`);
  }

  // Seconds from where it is, as the keys ask for.
  by(seconds: number): void {
    const { facts, world } = this.app, end = facts.status.recording?.end_s ?? 0;
    if (!facts.recorded || facts.why_not_time()) return;
    this.wanted = Math.min(end, Math.max(0, world.time + seconds));
    this.ask();
  }

  update(): void {
    const { facts, world } = this.app, told = facts.status.recording;
    this.root.hidden = !facts.recorded || !told;
    document.body.classList.toggle("recorded", !this.root.hidden);
    if (!told) return;
    const tick = facts.welcome?.tick_s ?? 0.01, end = String(told.end_s);
    if (this.slider.max !== end) this.slider.max = end, this.slider.step = String(tick);
    const why_not = facts.why_not_time(), found = told.difference;
    this.difference.hidden = !told.beside, this.mark.hidden = !found;
    allow(this.difference, why_not || (found ? "" : "No difference is known"));
    if (found) this.mark.style.setProperty("--at", String(found.time_s / Math.max(told.end_s, 1e-9)));
    this.slider.disabled = why_not !== "", this.slider.title = why_not || `${told.file}${told.beside ? `, beside it ${told.beside}` : ""}: ${told.detail}${told.damage ? `; ${told.damage}` : ""}`;
    if (performance.now() - this.asked_at > 500 && this.wanted === null) this.slider.value = String(world.time); // else it is where the hand is
    say(this.text, `${world.time.toFixed(2)} of ${told.end_s.toFixed(2)} s${told.run > 0 ? `, after ${told.run} resets` : ""}`);
  }
}
