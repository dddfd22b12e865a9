// What happened in the run, newest last.
import { bottom_panel } from "./dock.ts";
import { el } from "./dom.ts";
import type { EventMessage } from "./protocol.ts";

const kEvents = 500; // kept

export class Events {
  readonly root: HTMLElement;
  private list = el("ol", { class: "events", testid: "event-list", role: "log", label: "Events" });

  constructor() { this.root = bottom_panel("events", this.list); }

  add({ time_s, level, text }: EventMessage): void {
    const at_end = this.root.scrollTop + this.root.clientHeight > this.root.scrollHeight - 30;
    this.list.append(el("li", { class: level === "error" || level === "warn" ? level : "" }, el("span", { class: "dim", text: `${Number(time_s).toFixed(2)} s` }), el("span", { text })));
    while (this.list.childElementCount > kEvents) this.list.firstElementChild!.remove();
    if (at_end) this.root.scrollTop = this.root.scrollHeight;
  }
}
