// What a press on the 3D view does: select, move, push, attach or spawn.
import { Color, Vector3 } from "three";
import { act, type App } from "./app.ts";
import { confirm_dialog } from "./dialogs.ts";
import { Lines } from "./lines.ts";
import { arrow } from "./overlays.ts";
import type { Hit, Picking } from "./picking.ts";
import type { Entity } from "./world.ts";

export type Tool = "select" | "move" | "push" | "attach" | "spawn";
export const kTools: Tool[] = ["select", "move", "push", "attach", "spawn"];
const kClick = 5; // CSS pixels within which a press is a click
const kPeriod = 100; // ms between calls while dragging
const kNewtons = 40; // of a push, a metre of drag
const kPushLasts = 200_000_000; // ns
const kPush = new Color(0xff4f4f), kPlace = new Color(0x1d6fd1);

interface Drag { x: number; y: number; now_x: number; now_y: number; hit: Hit | null; start: Vector3 | null; pose: Float64Array; turning: boolean; far: boolean }

export class Tools {
  tool: Tool = "select";
  spawn_model = "";
  spawn_name = "";
  spawn_keyframe = ""; // of its model; empty: home, or the first
  on_change: () => void = () => {};
  readonly lines = new Lines(1, true);
  private drag: Drag | null = null;
  private sending = false;

  constructor(private app: App, private picking: Picking, canvas: HTMLCanvasElement) {
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    addEventListener("pointermove", (event) => this.motion(event));
    addEventListener("pointerup", (event) => this.up(event));
    addEventListener("pointercancel", () => this.end());
    addEventListener("blur", () => this.end());
    setInterval(() => this.repeat(), kPeriod);
  }

  choose(tool: Tool): void {
    if (tool !== "select" && this.app.facts.why_not("edit")) return;
    if (tool === "attach" && !this.app.selection.entity) this.app.toasts.show("Select the entity that shall ride along first");
    this.tool = tool === "attach" && !this.app.selection.entity ? "select" : tool;
    this.end();
    this.on_change();
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0 || !event.isPrimary) return this.end();
    const { clientX: x, clientY: y } = event, wants_body = this.tool === "move" || this.tool === "push";
    const hit = this.tool === "spawn" ? null : this.picking.pick(x, y);
    const pose = hit ? this.app.world.poses.slice(7 * hit.entity.slot, 7 * hit.entity.slot + 7) : new Float64Array(7);
    const start = wants_body && hit ? this.picking.ground(x, y, hit.point.z) : this.tool === "spawn" ? this.picking.ground(x, y) : null;
    this.drag = { x, y, now_x: x, now_y: y, hit, start, pose, turning: event.shiftKey, far: false };
    if ((wants_body && hit) || this.tool === "spawn") {
      this.app.views.controls.enabled = false; // the press is the tool's
      if (hit) this.app.selection.set(hit.entity);
    }
  }

  private motion(event: PointerEvent): void {
    const drag = this.drag;
    if (!drag || !event.isPrimary) return;
    drag.now_x = event.clientX, drag.now_y = event.clientY;
    if (Math.hypot(drag.now_x - drag.x, drag.now_y - drag.y) > kClick) drag.far = true;
  }

  private up(event: PointerEvent): void {
    const drag = this.drag;
    if (!drag || !event.isPrimary) return;
    this.motion(event);
    if (this.tool === "move" && drag.hit && drag.far) void this.put(drag);
    else if (this.tool === "spawn" && drag.start) void this.spawn(drag.start, this.picking.ground(drag.now_x, drag.now_y), drag.far);
    else if (!drag.far && this.tool === "attach") void this.attach(drag.hit?.entity ?? null);
    else if (!drag.far) this.app.selection.set(drag.hit?.entity ?? null);
    this.end();
  }

  private end(): void {
    if (!this.drag) return;
    this.drag = null;
    this.app.views.controls.enabled = this.app.views.mode !== "fly";
  }

  private repeat(): void {
    const drag = this.drag;
    if (!drag?.hit || !drag.far || this.sending) return;
    if (this.tool === "move") void this.put(drag);
    if (this.tool === "push") void this.push(drag);
  }

  private async once(method: string, fields: object): Promise<void> {
    this.sending = true;
    const done = await act(this.app, method, fields);
    this.sending = false;
    if (!done) this.end();
  }

  private put(drag: Drag): Promise<void> {
    const { pose } = drag, to = drag.hit && drag.start ? this.picking.ground(drag.now_x, drag.now_y, drag.hit.point.z) : null;
    if (!to) return Promise.resolve();
    let [x, y, z, w, qx, qy, qz] = pose as unknown as [number, number, number, number, number, number, number];
    if (drag.turning) {
      const half = (drag.now_x - drag.x) * 0.006, c = Math.cos(half), s = Math.sin(half);
      [w, qx, qy, qz] = [c * w - s * qz, c * qx - s * qy, c * qy + s * qx, c * qz + s * w];
    } else {
      x += to.x - drag.start!.x, y += to.y - drag.start!.y;
    }
    return this.once("set", { name: drag.hit!.entity.name, pose: { p: { x, y, z }, q: { w, x: qx, y: qy, z: qz } } });
  }

  // From the middle of the body to where the pointer is, level with it; looking from the side it may point up.
  private force(drag: Drag): Vector3 | null {
    const from = this.picking.middle_of(drag.hit!.entity, drag.hit!.body, new Vector3());
    const to = this.picking.facing(drag.now_x, drag.now_y, from), flat = this.picking.ground(drag.now_x, drag.now_y, from.z);
    const steep = this.app.stage.camera.position.z - from.z > 0.25 * this.app.stage.camera.position.distanceTo(from);
    return (steep ? flat : to)?.sub(from) ?? null;
  }

  private push(drag: Drag): Promise<void> {
    const force = this.force(drag)?.multiplyScalar(kNewtons);
    if (!force) return Promise.resolve();
    return this.once("set_part", { name: drag.hit!.entity.name, kind: 0, part: drag.hit!.body?.name ?? "", values: [force.x, force.y, force.z, 0, 0, 0], lasts_ns: kPushLasts });
  }

  private async attach(parent: Entity | null): Promise<void> {
    const child = this.app.selection.entity;
    if (!parent || !child || parent === child) return;
    const done = await act(this.app, "attach", { parent: parent.name, child: child.name });
    if (done) this.app.toasts.show(`${child.name} rides on ${parent.name}`);
    this.choose("select");
  }

  private async spawn(at: Vector3, heading: Vector3 | null, turned: boolean): Promise<void> {
    const yaw = turned && heading ? Math.atan2(heading.y - at.y, heading.x - at.x) : 0, name = this.spawn_name || this.free_name(this.spawn_model);
    const pose = { p: { x: at.x, y: at.y, z: 0 }, q: { w: Math.cos(yaw / 2), x: 0, y: 0, z: Math.sin(yaw / 2) } };
    const reply = await act(this.app, "spawn", { entities: [{ name, model: this.spawn_model, pose, keyframe: this.spawn_keyframe }] });
    if (!reply) return;
    this.spawn_name = "";
    this.app.toasts.show(reply.outcomes?.[0]?.text ? `${name} is there: ${reply.outcomes[0].text}` : `${name} is there`);
    this.on_change();
  }

  free_name(model: string): string {
    const stem = (model.replace(/\W+/g, "_").replace(/^[^A-Za-z]+/, "") || "entity").slice(0, 100);
    for (let i = 0; ; i++) if (!this.app.world.by_name.has(`${stem}_${i}`)) return `${stem}_${i}`;
  }

  async delete_selected(): Promise<void> {
    const entity = this.app.selection.entity;
    if (!entity || this.app.facts.why_not("edit")) return;
    if (await confirm_dialog("Delete", `${entity.name} goes out of the world.`, "Delete", "delete-confirm")) await act(this.app, "delete_", { names: [entity.name] });
  }

  draw(): void {
    const drag = this.drag;
    this.lines.clear();
    if (drag?.hit && drag.far && this.tool === "push") {
      const from = this.picking.middle_of(drag.hit.entity, drag.hit.body, new Vector3()), v = this.force(drag);
      if (v) arrow(this.lines, from.x, from.y, from.z, from.x + v.x, from.y + v.y, from.z + v.z, kPush);
    }
    if (drag?.start && this.tool === "spawn") {
      const { x, y } = drag.start, to = drag.far ? this.picking.ground(drag.now_x, drag.now_y) : null;
      for (let i = 0; i < 32; i++) {
        const a = (i / 32) * 2 * Math.PI, b = ((i + 1) / 32) * 2 * Math.PI;
        this.lines.add(x + 0.3 * Math.cos(a), y + 0.3 * Math.sin(a), 0.02, x + 0.3 * Math.cos(b), y + 0.3 * Math.sin(b), 0.02, kPlace);
      }
      if (to) arrow(this.lines, x, y, 0.02, to.x, to.y, 0.02, kPlace);
    }
    this.lines.show();
  }
}
