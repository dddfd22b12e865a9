// The panel of the nodes inside robots: topics, services and nodes by name, and beside them what is chosen.
import { poll, type App } from "./app.ts";
import { bottom_panel, type Dock } from "./dock.ts";
import { button, el } from "./dom.ts";
import { parameters_view, service_view, topic_view, type NodeView } from "./node_views.ts";
import { table } from "./table.ts";

type Kind = "topics" | "services" | "nodes";
const kKinds: [Kind, string][] = [["topics", "Topics"], ["services", "Services"], ["nodes", "Nodes"]];
interface Named { name: string; type?: string; agent?: string; publishers?: number; subscriptions?: number; servers?: number; clients?: number; count?: number; publishes?: unknown[]; subscribes?: unknown[] }

export class NodesPanel {
  readonly root: HTMLElement;
  private kind: Kind = "topics";
  private chosen: Kind | null = null; // kind of what is shown beside
  private choice = el("select", { label: "What is listed", testid: "nodes-kind", on: { change: () => this.list(this.choice.value as Kind) } }, ...kKinds.map(([value, text]) => el("option", { value, text })));
  private filter = el("input", { type: "search", placeholder: "filter", label: "Filter by name", testid: "topic-filter", on: { input: () => this.fill() } });
  private rows = table("topics-table", ["name", "type or robot", "from", "to", "messages"]);
  private hint = el("p", { class: "dim", text: "Click a name: messages of a topic, calls of a service, parameters of a node." });
  private views: Record<Kind, NodeView>;
  private found: Named[] = [];

  constructor(app: App, dock: () => Dock) {
    const shown = (kind: Kind) => (): boolean => dock().open === "nodes" && this.chosen === kind;
    this.views = { topics: topic_view(app, shown("topics")), services: service_view(app, shown("services")), nodes: parameters_view(app, shown("nodes")) };
    this.root = bottom_panel("nodes", el("div", { class: "two" }, el("div", { class: "scroll" }, el("div", { class: "row" }, this.choice, this.filter), this.rows.root),
      el("div", { class: "scroll" }, this.hint, ...Object.values(this.views).map((view) => view.root))));
    this.show_chosen();
    poll(app, 1000, () => (dock().open === "nodes" ? { method: "nodes", fields: { kind: this.kind === "nodes" ? 4 : 0 } } : null), (reply) => {
      this.found = ((reply?.data ?? {}) as Partial<Record<Kind, Named[]>>)[this.kind] ?? [];
      this.fill();
    });
  }

  update(): void { for (const view of Object.values(this.views)) view.update(); }

  private list(kind: Kind): void {
    this.kind = kind, this.found = [];
    this.fill();
  }

  private choose(name: string): void {
    this.chosen = this.kind;
    this.views[this.kind].show(name);
    this.show_chosen();
  }

  private show_chosen(): void {
    this.hint.hidden = this.chosen !== null;
    for (const [kind] of kKinds) this.views[kind].root.hidden = kind !== this.chosen;
  }

  private fill(): void {
    const wanted = this.filter.value.trim().toLowerCase(), focused = (document.activeElement as HTMLElement | null)?.dataset.name;
    const buttons: HTMLButtonElement[] = [];
    this.rows.fill(this.found.filter((one) => one.name.toLowerCase().includes(wanted)).map((one) => {
      const name = button({ text: one.name, label: one.name, testid: "topic-row", class: "plain" }, () => this.choose(one.name));
      name.dataset.name = one.name;
      buttons.push(name);
      return [name, one.type ?? one.agent ?? "", String(one.publishers ?? one.servers ?? one.publishes?.length ?? ""), String(one.subscriptions ?? one.clients ?? one.subscribes?.length ?? ""), String(one.count ?? "")];
    }));
    if (focused) buttons.find((b) => b.dataset.name === focused)?.focus();
  }
}
