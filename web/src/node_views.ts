// What is done with a topic, a service or a node: its messages and publishing, calls with their responses, parameters.
import { act, poll, type App } from "./app.ts";
import { allow, button, el, say } from "./dom.ts";
import { table } from "./table.ts";

const kLongest = 20_000; // characters shown

// A view of what is chosen in the panel.
export interface NodeView { root: HTMLElement; show: (name: string) => void; update: () => void }

function random_number(): string { return String(crypto.getRandomValues(new BigUint64Array(1))[0]! || 1n); }

// Asks in `kind` of `nodes` while `shown` says so.
function look(app: App, every: number, shown: () => boolean, fields: () => object, take: (data: object) => void): void {
  poll(app, every, () => (shown() ? { method: "nodes", fields: fields() } : null), (reply) => { if (reply) take((reply.data ?? {}) as object); });
}

export function topic_view(app: App, shown: () => boolean): NodeView {
  const heard = el("pre", { testid: "topic-message", tabindex: 0, label: "Newest message" }), heading = el("h3");
  const yaml = el("textarea", { label: "Message to publish, as YAML", placeholder: "linear: {x: 0.1}", testid: "publish-yaml" });
  const send = button({ text: "Publish", label: "Publish this message once", testid: "publish-send" }, () => void publish());
  let watched = "", watcher = "";
  const publish = async (): Promise<void> => {
    if (await act(app, "publish", { topic: watched, yaml: yaml.value })) app.toasts.show(`published on ${watched}`);
  };
  look(app, 500, () => shown() && watched !== "", () => ({ kind: 1, watcher, name: watched }), (data) => {
    const message = (data as { messages?: { at_ns: number; agent: string; yaml: string }[] }).messages?.at(-1);
    if (message) say(heading, `${watched}, from ${message.agent} at ${(message.at_ns / 1e9).toFixed(2)} s`), say(heard, message.yaml.slice(0, kLongest));
  });
  const show = (name: string): void => {
    if (watched && app.connection.open) app.connection.call("nodes", { kind: 2, watcher, name: watched }).catch(() => { /* it ends by itself */ });
    watched = name, watcher = random_number();
    say(heading, name), say(heard, "waiting for a message");
  };
  const root = el("div", { class: "stack" }, heading, el("div", { class: "row top" }, yaml, send), heard);
  return { root, show, update: () => { allow(send, app.facts.why_not("edit")); } };
}

export function service_view(app: App, shown: () => boolean): NodeView {
  const heading = el("h3"), said = el("pre", { testid: "service-response", tabindex: 0, label: "Response" });
  const yaml = el("textarea", { label: "Request, as YAML", placeholder: "data: true", testid: "service-yaml" });
  const send = button({ text: "Call", label: "Call the service", testid: "service-call" }, () => void call());
  let service = "", id = "";
  const call = async (): Promise<void> => {
    const asked = random_number();
    say(said, "waiting for a response");
    if (await act(app, "call_service", { service, yaml: yaml.value, id: asked })) id = asked;
    else say(said, "");
  };
  look(app, 300, () => shown() && id !== "", () => ({ kind: 5, watcher: id, name: service }), (data) => {
    const response = (data as { responses?: { agent: string; at_ns: number; yaml?: string; error?: string }[] }).responses?.[0];
    if (!response) return;
    id = "";
    say(said, response.error || `${(response.yaml ?? "").slice(0, kLongest)}\n(${response.agent} at ${(response.at_ns / 1e9).toFixed(2)} s)`);
  });
  const show = (name: string): void => {
    service = name, id = "";
    say(heading, name), say(said, "");
  };
  const root = el("div", { class: "stack" }, heading, el("div", { class: "row top" }, yaml, send), said);
  return { root, show, update: () => { allow(send, app.facts.why_not("edit")); } };
}

interface Parameter { node: string; name: string; type: string; value: string; settable: boolean }

export function parameters_view(app: App, shown: () => boolean): NodeView {
  const heading = el("h3"), rows = table("parameters-table", ["parameter", "type", "value"]);
  let node = "", fields: HTMLInputElement[] = [], told = "";
  const field = (p: Parameter): HTMLInputElement => {
    const input = el("input", { type: "text", value: p.value, label: p.name, testid: "parameter-value", data: { parameter: p.name, settable: String(p.settable) } });
    input.addEventListener("change", () => void act(app, "set_parameter", { node, name: p.name, value: input.value }).then(() => { told = ""; }));
    input.addEventListener("keydown", (event) => { if (event.key === "Enter") input.blur(); });
    return input;
  };
  look(app, 1000, () => shown() && node !== "", () => ({ kind: 3, name: node }), (data) => {
    const parameters = (data as { parameters?: Parameter[] }).parameters ?? [], text = JSON.stringify(parameters);
    if (text === told || fields.includes(document.activeElement as HTMLInputElement)) return;
    told = text;
    fields = parameters.map(field);
    rows.fill(parameters.map((p, i) => [p.name, p.type, fields[i]!]));
    update();
  });
  const show = (name: string): void => {
    node = name, fields = [], told = "";
    say(heading, name), rows.fill([]);
  };
  const update = (): void => {
    for (const input of fields) allow(input, app.facts.why_not("edit") || (input.dataset.settable === "true" ? "" : "The node lets nobody set it"));
  };
  return { root: el("div", { class: "stack" }, heading, rows.root), show, update };
}
