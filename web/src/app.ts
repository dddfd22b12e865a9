// What the parts of the page share.
import type { Connection } from "./connection.ts";
import type { Fleet } from "./fleet.ts";
import type { Reply, Role, Status, Welcome } from "./protocol.ts";
import type { Selection } from "./selection.ts";
import type { Stage } from "./stage.ts";
import type { Toasts } from "./toasts.ts";
import type { Views } from "./views.ts";
import type { World } from "./world.ts";

const kRoles: Role[] = ["view", "drive", "edit", "admin"];

export class Facts {
  welcome: Welcome | null = null;
  status: Status = {};
  linked = false; // to the server
  lost = ""; // why the server has no simulation

  // What is shown is a recording: its time can be chosen, and nothing in it changes.
  get recorded(): boolean { return this.welcome?.mode === "recording"; }

  // Why what needs `role` may not be done now; empty: it may.
  why_not(role: Role): string { return this.recorded ? "This is a recording: nothing in it changes" : this.why_no_role(role); }
  // The same of pause, step, speed and seek.
  why_not_time(): string { return this.why_no_role("edit"); }

  private why_no_role(role: Role): string {
    if (!this.linked) return "There is no link to the simulation";
    const has = this.welcome?.role ?? "view";
    return kRoles.indexOf(has) >= kRoles.indexOf(role) ? "" : `This needs the role ${role}; this page has ${has}`;
  }
}

export interface App {
  world: World; connection: Connection; stage: Stage; fleet: Fleet; views: Views; selection: Selection; toasts: Toasts; facts: Facts;
}

// A call whose trouble is shown; null then.
export async function act(app: App, method: string, fields: object = {}): Promise<Reply | null> {
  try {
    const reply = await app.connection.call(method, fields);
    const bad = reply.outcomes?.find((outcome) => outcome.error);
    if (bad) app.toasts.show(bad.text ?? `${method} failed`, "error");
    return bad ? null : reply;
  } catch (error) {
    app.toasts.show((error as Error).message, "error");
    return null;
  }
}

// Asks again and again while `wanted` says so, never twice at once; trouble is given to `take` as null.
export function poll(app: App, every: number, wanted: () => { method: string; fields: object } | null, take: (reply: Reply | null) => void): void {
  let busy = false;
  setInterval(() => {
    const what = busy || document.hidden || !app.facts.linked || app.facts.recorded ? null : wanted();
    if (!what) return;
    busy = true;
    app.connection.call(what.method, what.fields).then(take, () => take(null)).finally(() => { busy = false; });
  }, every);
}
