// What the person does on a video, as messages to who streams it.
import { Kind, key, mouse_button, mouse_move, pad_axis, pad_button, touches, wheel, bare, type Place } from "./player_messages.ts";

const kDead = 0.12; // of a stick, around its middle

export class VideoInput {
  private pads = new Map<number, { buttons: boolean[]; axes: number[] }>();

  // `size`: of the picture, px. `keys`: may the video have them now?
  constructor(private video: HTMLVideoElement, private size: () => { width: number; height: number }, private send: (message: ArrayBuffer) => void, keys: () => boolean = () => true) {
    const on = <K extends keyof HTMLElementEventMap>(name: K, act: (event: HTMLElementEventMap[K]) => void) =>
      video.addEventListener(name, act, { passive: false });
    on("pointerdown", (event) => {
      if (event.pointerType === "touch") return;
      event.preventDefault();
      video.focus(), video.setPointerCapture(event.pointerId);
      send(mouse_button(event.button, true, this.place(event)));
    });
    on("pointerup", (event) => { if (event.pointerType !== "touch") send(mouse_button(event.button, false, this.place(event))); });
    on("pointermove", (event) => {
      if (event.pointerType === "touch") return;
      const box = this.box();
      send(mouse_move(this.place(event), { x: event.movementX / box.width, y: event.movementY / box.height }));
    });
    on("pointerleave", () => send(bare(Kind.mouse_leave)));
    on("contextmenu", (event) => event.preventDefault());
    on("wheel", (event) => {
      event.preventDefault();
      send(wheel(Math.round(-event.deltaY * (event.deltaMode === 1 ? 40 : 1.2)), this.place(event)));
    });
    on("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab" || !keys()) return; // the browser's, or the page's
      event.preventDefault(), event.stopPropagation();
      send(key(event.keyCode, true, event.repeat));
    });
    on("keyup", (event) => send(key(event.keyCode, false, false)));
    on("blur", () => send(bare(Kind.mouse_leave)));
    for (const [name, kind] of [["touchstart", Kind.touch_start], ["touchmove", Kind.touch_move], ["touchend", Kind.touch_end], ["touchcancel", Kind.touch_end]] as const)
      on(name, (event) => {
        event.preventDefault();
        const all = kind === Kind.touch_end ? event.changedTouches : event.touches;
        send(touches(kind, [...all].slice(0, 16).map((one) => ({ at: this.place(one), id: one.identifier, inside: true }))));
      });
  }

  // The part of the element where the picture is (object-fit: contain).
  private box(): DOMRect {
    const all = this.video.getBoundingClientRect(), size = this.size(), ratio = size.width / size.height || all.width / all.height;
    const width = Math.min(all.width, all.height * ratio), height = Math.min(all.height, all.width / ratio);
    return new DOMRect(all.left + (all.width - width) / 2, all.top + (all.height - height) / 2, width || 1, height || 1);
  }
  private place(at: { clientX: number; clientY: number }): Place {
    const box = this.box();
    return { x: (at.clientX - box.left) / box.width, y: (at.clientY - box.top) / box.height };
  }

  // Gamepads have no events: what has changed since the last call.
  poll(): void {
    for (const pad of navigator.getGamepads?.() ?? []) {
      if (!pad) continue;
      const before = this.pads.get(pad.index) ?? { buttons: [], axes: [] };
      pad.buttons.forEach((button, i) => { if (button.pressed !== (before.buttons[i] ?? false)) this.send(pad_button(pad.index, i, button.pressed)); });
      pad.axes.forEach((value, i) => {
        const still = Math.abs(value) < kDead ? 0 : value;
        if (still !== (before.axes[i] ?? 0)) this.send(pad_axis(pad.index, i + 1, still));
        before.axes[i] = still;
      });
      this.pads.set(pad.index, { buttons: pad.buttons.map((button) => button.pressed), axes: before.axes });
    }
  }
}
