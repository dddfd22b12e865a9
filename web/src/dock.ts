// The panels at the lower edge with their tabs. On a phone the entities and the inspector are tabs there, too.
import { el } from "./dom.ts";

export interface Panel { id: string; title: string; root: HTMLElement; opened?: () => void }

export class Dock {
  readonly tabs = el("div", { class: "tabs", role: "tablist", label: "Panels" });
  on_change: () => void = () => {};
  open = ""; // id of the panel that is shown
  private buttons = new Map<string, HTMLButtonElement>();

  constructor(private panels: Panel[]) {
    for (const { id, title, root } of panels) {
      const tab = el("button", { type: "button", role: "tab", text: title, id: `tab-${id}`, testid: `tab-${id}`, data: { tab: id }, aria: { selected: "false", controls: root.id }, on: { click: () => this.show(this.open === id ? "" : id) } });
      root.setAttribute("aria-labelledby", tab.id);
      this.buttons.set(id, tab);
      this.tabs.append(tab);
    }
    this.tabs.addEventListener("keydown", (event) => this.key(event));
    this.show("");
  }

  show(id: string): void {
    this.open = id;
    document.body.dataset.open = id;
    for (const panel of this.panels) {
      const on = panel.id === id;
      panel.root.classList.toggle("open", on);
      this.buttons.get(panel.id)!.setAttribute("aria-selected", String(on));
      if (on) panel.opened?.();
    }
    this.on_change();
  }

  private key(event: KeyboardEvent): void {
    const all = [...this.buttons.values()].filter((b) => b.offsetParent !== null), at = all.indexOf(document.activeElement as HTMLButtonElement);
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0 || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    all[(at + step + all.length) % all.length]?.focus();
  }
}

export function bottom_panel(id: string, ...children: Node[]): HTMLElement {
  return el("section", { class: "panel bottom", role: "tabpanel", id: `panel-${id}`, testid: `panel-${id}`, data: { panel: id } }, ...children);
}
