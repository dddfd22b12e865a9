// The panel of who takes part: hosts, connections, leases, and what was dropped or refused.
import { poll, type App } from "./app.ts";
import { bottom_panel, type Dock } from "./dock.ts";
import { el, say } from "./dom.ts";
import { table } from "./table.ts";

const kEvery = 1000; // ms

interface Fares { name: string; present: boolean; entities: number; waited_for: boolean; answers: boolean; divergence?: number; agents?: number; sensors?: number; ticks?: number; busy_s?: number }

export class HostsPanel {
  readonly root: HTMLElement;
  private hosts = table("hosts-table", ["host", "entities", "agents", "sensors", "a tick takes", "state"]);
  private connections = table("connections-table", ["connection", "role", "state"]);
  private leases = table("leases-table", ["robot", "held by"]);
  private facts = el("dl");
  private values = new Map<string, HTMLElement>();
  private fares: Fares[] = [];
  private before = new Map<string, { ticks: number; busy_s: number; ms: string }>(); // by host, when it was asked last
  private frames = 0;
  private bytes = 0;
  private counted_at = 0; // ms

  constructor(private app: App, dock: () => Dock) {
    for (const [key, text] of [["frames", "Frames received"], ["bytes", "Data received"], ["digest", "Digest"], ["pages", "Pages"], ["drops", "Dropped by the server"], ["refused", "Refused of pages"], ["ignored", "Commands ignored"]] as const) {
      const value = el("dd", { testid: `hosts-${key}` });
      this.values.set(key, value);
      this.facts.append(el("dt", { text }), value);
    }
    const part = (title: string, root: HTMLElement): HTMLElement => el("div", {}, el("h3", { text: title }), root);
    this.root = bottom_panel("hosts", el("div", { class: "many" }, part("Hosts", this.hosts.root), part("Connections", this.connections.root), part("Leases", this.leases.root), part("This page and the server", this.facts)));
    poll(app, kEvery, () => (dock().open === "hosts" ? { method: "hosts", fields: {} } : null), (reply) => {
      this.fares = (reply?.data ?? []) as Fares[];
      this.fill();
    });
  }

  private fill(): void {
    const { raw = {}, pages, refused } = this.app.facts.status, waits = new Set(raw.waits_for);
    this.hosts.fill(this.fares.map((host) => [
      host.name, String(host.entities), String(host.agents ?? ""), String(host.sensors ?? ""), this.tick_of(host), state_of(host, waits.has(host.name)),
    ]));
    this.connections.fill((raw.connections ?? []).map((c) => [`${c.name} (${c.number})`, c.role, c.linked ? c.state : `${c.state}, no link`]));
    this.leases.fill((raw.leases ?? []).map((lease) => [lease.robot, lease.holder]));
    const { frames, bytes } = this.app.connection, now = performance.now(), passed = (now - this.counted_at) / 1000;
    const counts = (all: Record<string, number> | undefined): string => Object.entries(all ?? {}).map(([reason, count]) => `${reason}: ${count}`).join(", ") || "none";
    this.say("frames", `${((frames - this.frames) / passed).toFixed(0)} /s`);
    this.say("bytes", `${((bytes - this.bytes) / passed / 1000).toFixed(1)} kB/s`);
    this.say("digest", raw.digest ?? "");
    this.say("pages", String(pages ?? 1));
    this.say("drops", counts(raw.drops));
    this.say("refused", counts(refused));
    this.say("ignored", counts(raw.control?.ignored));
    this.frames = frames, this.bytes = bytes, this.counted_at = now;
  }

  // Since it was asked before; while nothing happens, as it was.
  private tick_of({ name, ticks = 0, busy_s = 0 }: Fares): string {
    const before = this.before.get(name), passed = ticks - (before?.ticks ?? 0);
    const ms = before && passed === 0 ? before.ms : passed > 0 ? `${((1000 * (busy_s - (before?.busy_s ?? 0))) / passed).toFixed(3)} ms` : "";
    this.before.set(name, { ticks, busy_s, ms });
    return ms;
  }

  private say(key: string, text: string): void { say(this.values.get(key)!, text); }
}

function state_of(host: Fares, waited_for: boolean): string {
  if (!host.present) return "away";
  if (waited_for || host.waited_for) return "lags: it is waited for";
  return !host.answers ? "does not answer" : host.divergence ? `present, off by ${host.divergence.toFixed(3)} m at most` : "present";
}
