// Tables about the run: its hosts, the nodes and topics of its robots, and what happened.
import { poll, type App } from "./app.ts";
import { bottom_panel, type Dock } from "./dock.ts";
import { button, el, say } from "./dom.ts";
import type { EventMessage } from "./protocol.ts";

const kEvents = 500; // kept
const kRows = 500; // of a table

function table(testid: string, heads: string[]): { root: HTMLTableElement; fill: (rows: (string | HTMLElement)[][]) => void } {
  const body = el("tbody"), root = el("table", { testid }, el("thead", {}, el("tr", {}, ...heads.map((text) => el("th", { text })))), body);
  const fill = (rows: (string | HTMLElement)[][]): void => {
    body.replaceChildren(...rows.slice(0, kRows).map((cells) => el("tr", {}, ...cells.map((cell) => (typeof cell === "string" ? el("td", { text: cell }) : el("td", {}, cell))))));
  };
  return { root, fill };
}

export function hosts_panel(app: App, dock: () => Dock): HTMLElement {
  const hosts = table("hosts-table", ["host", "entities", "more"]);
  const root = bottom_panel("hosts", hosts.root);
  let placed: Record<string, string[]> = {};
  const fill = (): void => {
    const known = new Map((app.facts.status.hosts ?? []).map((h) => [h.name, h]));
    const names = [...new Set([...known.keys(), ...Object.keys(placed)])];
    hosts.fill(names.map((name) => {
      const { name: _name, agents, ...more } = known.get(name) ?? { name };
      const count = placed[name]?.length ?? agents;
      return [name, count === undefined ? "" : String(count), Object.entries(more).map(([key, value]) => `${key}: ${typeof value === "object" ? JSON.stringify(value) : String(value)}`).join(", ")];
    }));
  };
  poll(app, 2000, () => (dock().open === "hosts" ? { method: "placement", fields: {} } : null), (reply) => {
    placed = (reply?.data ?? {}) as Record<string, string[]>;
    fill();
  });
  return root;
}

interface Topic { name: string; type: string; publishers?: number; subscriptions?: number; servers?: number; clients?: number; count?: number }
interface Nodes { topics?: Topic[]; services?: Topic[]; messages?: { at_ns: number; agent: string; yaml: string }[] }

export function nodes_panel(app: App, dock: () => Dock): HTMLElement {
  const topics = table("topics-table", ["topic or service", "type", "from", "to", "messages"]);
  const heard = el("pre", { testid: "topic-message", tabindex: 0, label: "Newest message" }), heading = el("h3", { text: "Click a topic to see its messages" });
  const filter = el("input", { type: "search", placeholder: "filter", label: "Filter the topics", testid: "topic-filter" });
  const root = bottom_panel("nodes", el("div", { class: "two" }, el("div", { class: "scroll" }, filter, topics.root), el("div", { class: "scroll" }, heading, heard)));
  let watched = "", watcher = "0";
  const ignore = (): void => { /* it ends by itself when the page is gone */ };
  const watch = (name: string): void => {
    if (watched && app.connection.open) app.connection.call("nodes", { kind: 2, watcher, name: watched }).catch(ignore);
    watched = name, watcher = String(1 + Math.floor(Math.random() * 2 ** 52));
    say(heading, name), say(heard, "waiting for a message");
  };
  poll(app, 2000, () => (dock().open === "nodes" ? { method: "nodes", fields: { kind: 0 } } : null), (reply) => {
    const data = (reply?.data ?? {}) as Nodes, wanted = filter.value.trim().toLowerCase();
    const all = [...(data.topics ?? []), ...(data.services ?? [])].filter((t) => t.name.toLowerCase().includes(wanted));
    const focused = (document.activeElement as HTMLElement | null)?.dataset.topic;
    topics.fill(all.map((t) => {
      const name: string | HTMLElement = t.publishers === undefined ? t.name : button({ text: t.name, label: `Watch ${t.name}`, testid: "topic-row", class: "plain" }, () => watch(t.name));
      if (typeof name !== "string") name.dataset.topic = t.name;
      return [name, t.type, String(t.publishers ?? t.servers ?? ""), String(t.subscriptions ?? t.clients ?? ""), String(t.count ?? "")];
    }));
    if (focused) [...topics.root.querySelectorAll<HTMLElement>("[data-topic]")].find((e) => e.dataset.topic === focused)?.focus();
  });
  poll(app, 1000, () => (dock().open === "nodes" && watched ? { method: "nodes", fields: { kind: 1, watcher, name: watched } } : null), (reply) => {
    const message = (reply?.data as Nodes | undefined)?.messages?.at(-1);
    if (message) say(heading, `${watched}, ${message.agent} at ${(message.at_ns / 1e9).toFixed(2)} s`), say(heard, message.yaml.slice(0, 20_000));
  });
  return root;
}

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
