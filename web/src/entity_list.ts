// All entities by name, with a filter. Only the rows that are seen exist, so ten thousand are as quick as ten.
import type { App } from "./app.ts";
import { el, say } from "./dom.ts";
import type { Entity } from "./world.ts";

const kRow = 28; // CSS pixels
const by_name = new Intl.Collator("en", { numeric: true });

export class EntityList {
  readonly root = el("section", { class: "panel left", label: "Entities", id: "panel-entities", data: { panel: "entities" } });
  private filter = el("input", { type: "search", placeholder: "filter: name, model, tag or host", label: "Filter the entities", testid: "entity-filter", on: { input: () => this.search() } });
  private heading = el("span", { class: "dim", testid: "entity-count" });
  private inner = el("div", { class: "rows" });
  private list = el("div", { class: "scroll", role: "listbox", label: "Entities", testid: "entity-list", tabindex: 0, id: "entity-list", on: {
    scroll: () => this.draw(), keydown: (event) => this.key(event as KeyboardEvent), click: (event) => this.click(event),
  } }, this.inner);
  private found: Entity[] = [];
  private rows: HTMLElement[] = [];
  private version = -1;

  constructor(private app: App) {
    this.root.append(el("div", { class: "head" }, el("h2", { text: "Entities" }), this.heading), this.filter, this.list);
    app.selection.on_change(() => {
      this.show_selected();
      this.draw();
    });
    new ResizeObserver(() => this.draw()).observe(this.list);
  }

  focus_filter(): void { this.filter.focus(); }
  update(): void { if (this.version !== this.app.world.version) this.refresh(); }

  // What is found is shown from its beginning.
  private search(): void {
    this.list.scrollTop = 0;
    this.refresh();
  }

  private refresh(): void {
    const { world } = this.app, wanted = this.filter.value.trim().toLowerCase();
    this.version = world.version;
    const fits = (e: Entity): boolean => [e.name, e.model.name, world.hosts[e.host] ?? "", ...e.tags].some((text) => text.toLowerCase().includes(wanted));
    this.found = wanted ? world.entities.filter(fits) : world.entities.slice();
    this.found.sort((a, b) => by_name.compare(a.name, b.name));
    say(this.heading, wanted ? `${this.found.length} of ${world.entities.length}` : `${world.entities.length}`);
    this.inner.style.height = `${kRow * this.found.length}px`;
    this.draw();
  }

  private draw(): void {
    const first = Math.max(0, Math.floor(this.list.scrollTop / kRow) - 2), count = Math.ceil(this.list.clientHeight / kRow) + 4;
    const selected = this.app.selection.entity;
    for (let i = 0; i < Math.max(count, this.rows.length); i++) {
      const entity = i < count ? this.found[first + i] : undefined;
      if (!entity && !this.rows[i]) continue;
      const row = (this.rows[i] ??= this.inner.appendChild(el("div", { class: "entity", role: "option", testid: "entity-row" }, el("span"), el("span", { class: "dim" }))));
      row.hidden = !entity;
      if (!entity) continue;
      row.style.transform = `translateY(${kRow * (first + i)}px)`;
      row.dataset.name = entity.name, row.id = `entity-${entity.number}`;
      row.setAttribute("aria-selected", String(entity === selected));
      row.setAttribute("aria-posinset", String(first + i + 1)), row.setAttribute("aria-setsize", String(this.found.length));
      say(row.children[0] as HTMLElement, entity.name);
      say(row.children[1] as HTMLElement, entity.model.name);
    }
    if (selected) this.list.setAttribute("aria-activedescendant", `entity-${selected.number}`);
    else this.list.removeAttribute("aria-activedescendant");
  }

  private click(event: Event): void {
    const name = (event.target as HTMLElement).closest<HTMLElement>("[data-name]")?.dataset.name;
    if (name !== undefined) this.app.selection.set(this.app.world.by_name.get(name) ?? null);
  }

  private key(event: KeyboardEvent): void {
    const at = this.found.findIndex((e) => e === this.app.selection.entity), page = Math.max(1, Math.floor(this.list.clientHeight / kRow) - 1);
    const to: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: this.found.length - 1 };
    const next = to[event.key];
    if (next === undefined || this.found.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    this.app.selection.set(this.found[Math.min(this.found.length - 1, Math.max(0, next))] ?? null);
  }

  private show_selected(): void {
    const at = this.found.findIndex((e) => e === this.app.selection.entity);
    if (at < 0) return;
    const top = kRow * at, list = this.list;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + kRow > list.scrollTop + list.clientHeight) list.scrollTop = top + kRow - list.clientHeight;
  }
}
