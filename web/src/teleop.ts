// Driving a robot by keys or gamepad, with a dead man's switch: it goes while something is held, and no longer.
import { act, type App } from "./app.ts";
import type { Entity } from "./world.ts";

const kPeriod = 100; // ms between commands
const kTimeout = 0.3; // s that a command rules
const kDead = 0.14; // of a stick
const kForward = new Set(["ArrowUp", "KeyW"]), kBack = new Set(["ArrowDown", "KeyS"]);
const kLeft = new Set(["ArrowLeft", "KeyA"]), kRight = new Set(["ArrowRight", "KeyD"]);

export class Teleop {
  forward = 0; // m/s at full
  turn = 0; // rad/s at full
  on_change: () => void = () => {};
  private driven: Entity | null = null;
  private held = new Set<string>();
  private going = false;

  constructor(private app: App) {
    setInterval(() => this.send(), kPeriod);
    const stop = (): void => {
      this.held.clear();
      this.halt();
    };
    addEventListener("blur", stop);
    addEventListener("pagehide", stop);
    document.addEventListener("visibilitychange", () => { if (document.hidden) stop(); });
    app.selection.on_change(() => { if (this.driven && app.selection.entity?.number !== this.driven.number) void this.off(); });
  }

  get on(): boolean { return this.driven !== null; }
  get name(): string { return this.driven?.name ?? ""; }

  async toggle(): Promise<void> {
    if (this.driven) return this.off();
    const entity = this.app.selection.entity;
    if (!entity || this.app.facts.why_not("drive")) return;
    if (!(await act(this.app, "lease", { kind: 0, names: [entity.name] }))) return;
    this.driven = entity;
    this.app.stage.canvas.focus({ preventScroll: true }); // where arrows mean nothing else
    this.on_change();
  }

  async off(): Promise<void> {
    const entity = this.driven;
    if (!entity) return;
    this.halt();
    this.driven = null;
    this.held.clear();
    this.on_change();
    if (this.app.world.by_number.has(entity.number) && this.app.connection.open) await act(this.app, "lease", { kind: 1, names: [entity.name] });
  }

  // The link broke: the server gives back what the page had.
  lost(): void {
    this.driven = null, this.going = false;
    this.held.clear();
    this.on_change();
  }

  // Whether the key is one that drives.
  key(code: string, down: boolean, letters: boolean): boolean {
    const known = [kForward, kBack, kLeft, kRight].some((set) => set.has(code)) && (letters || code.startsWith("Arrow"));
    if (!this.driven || !known) return false;
    if (down) this.held.add(code);
    else this.held.delete(code);
    this.send_soon();
    return true;
  }

  private send_soon(): void {
    if (!this.going && this.held.size) this.send();
    else if (this.going && !this.held.size) this.send();
  }

  private wanted(): { forward: number; turn: number } {
    const has = (set: Set<string>): number => ([...set].some((code) => this.held.has(code)) ? 1 : 0);
    let forward = has(kForward) - has(kBack), turn = has(kLeft) - has(kRight);
    for (const pad of navigator.getGamepads?.() ?? []) {
      const x = pad?.axes[0] ?? 0, y = pad?.axes[1] ?? 0;
      if (Math.abs(y) > kDead && forward === 0) forward = -y;
      if (Math.abs(x) > kDead && turn === 0) turn = -x;
    }
    return { forward: forward * this.forward, turn: turn * this.turn };
  }

  private send(): void {
    if (!this.driven) return;
    if (!this.app.world.by_number.has(this.driven.number)) return this.lost();
    if (document.hidden || !document.hasFocus()) return this.halt();
    const { forward, turn } = this.wanted();
    if (forward === 0 && turn === 0) return this.halt();
    this.going = true;
    this.command(forward, turn);
  }

  private halt(): void {
    if (!this.going) return;
    this.going = false;
    this.command(0, 0);
  }

  private command(forward: number, turn: number): void {
    if (!this.driven || !this.app.connection.open) return;
    this.app.connection.call("drive", { name: this.driven.name, forward, turn, timeout: kTimeout })
      .catch((error: Error) => {
        this.app.toasts.show(error.message, "error");
        void this.off();
      });
  }
}
