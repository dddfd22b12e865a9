// Short messages in a corner: trouble with calls, and what was done.
import { el } from "./dom.ts";

const kMost = 4; // at once; the oldest goes
const kStay = 6000; // ms

export class Toasts {
  readonly root = el("div", { class: "toasts", testid: "toasts", role: "status", aria: { live: "polite" } });

  show(text: string, kind: "info" | "error" = "info"): void {
    const toast = el("div", { class: `toast ${kind}`, testid: "toast", text });
    this.root.append(toast);
    while (this.root.childElementCount > kMost) this.root.firstElementChild!.remove();
    setTimeout(() => toast.remove(), kStay);
  }
}
