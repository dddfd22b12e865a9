// What a player says over the data channel: Epic's Pixel Streaming, little-endian, the kind first.
export const Kind = {
  key_picture: 0, settings: 7, latency: 9, interaction: 50, key_down: 60, key_up: 61,
  mouse_enter: 70, mouse_leave: 71, mouse_down: 72, mouse_up: 73, mouse_move: 74, wheel: 75, touch_start: 80, touch_end: 81, touch_move: 82,
  pad_down: 90, pad_up: 91, pad_axis: 92,
} as const;
export const FromStreamer = { response: 1, settings: 7, latency: 14, protocol: 255 } as const;

export interface Place { x: number; y: number } // parts of the picture, 0 to 1

const unsigned = (part: number) => Math.max(0, Math.min(65535, Math.round(part * 65535)));
const signed = (part: number) => Math.max(-32767, Math.min(32767, Math.round(part * 2 * 32767))); // steps go by half of the picture

function message(size: number, fill: (view: DataView) => void): ArrayBuffer {
  const out = new ArrayBuffer(size);
  fill(new DataView(out));
  return out;
}

export function bare(kind: number): ArrayBuffer { return message(1, (v) => v.setUint8(0, kind)); }

export function key(code: number, down: boolean, repeats: boolean): ArrayBuffer {
  return message(down ? 3 : 2, (v) => {
    v.setUint8(0, down ? Kind.key_down : Kind.key_up), v.setUint8(1, code & 255);
    if (down) v.setUint8(2, repeats ? 1 : 0);
  });
}

export function mouse_button(button: number, down: boolean, at: Place): ArrayBuffer {
  return message(6, (v) => {
    v.setUint8(0, down ? Kind.mouse_down : Kind.mouse_up), v.setUint8(1, button);
    v.setUint16(2, unsigned(at.x), true), v.setUint16(4, unsigned(at.y), true);
  });
}

export function mouse_move(at: Place, step: Place): ArrayBuffer {
  return message(9, (v) => {
    v.setUint8(0, Kind.mouse_move), v.setUint16(1, unsigned(at.x), true), v.setUint16(3, unsigned(at.y), true);
    v.setInt16(5, signed(step.x), true), v.setInt16(7, signed(step.y), true);
  });
}

export function wheel(delta: number, at: Place): ArrayBuffer {
  return message(7, (v) => {
    v.setUint8(0, Kind.wheel), v.setInt16(1, Math.max(-32767, Math.min(32767, delta)), true);
    v.setUint16(3, unsigned(at.x), true), v.setUint16(5, unsigned(at.y), true);
  });
}

export function touches(kind: number, fingers: { at: Place; id: number; inside: boolean }[]): ArrayBuffer {
  return message(2 + 7 * fingers.length, (v) => {
    v.setUint8(0, kind), v.setUint8(1, fingers.length);
    fingers.forEach((finger, i) => {
      const at = 2 + 7 * i;
      v.setUint16(at, unsigned(finger.at.x), true), v.setUint16(at + 2, unsigned(finger.at.y), true);
      v.setUint8(at + 4, finger.id & 255), v.setUint8(at + 5, 255), v.setUint8(at + 6, finger.inside ? 1 : 0);
    });
  });
}

export function pad_button(pad: number, button: number, down: boolean): ArrayBuffer {
  return message(4, (v) => { v.setUint8(0, down ? Kind.pad_down : Kind.pad_up), v.setUint8(1, pad), v.setUint8(2, button); });
}

export function pad_axis(pad: number, axis: number, value: number): ArrayBuffer {
  return message(11, (v) => { v.setUint8(0, Kind.pad_axis), v.setUint8(1, pad), v.setUint8(2, axis), v.setFloat64(3, value, true); });
}

// A count of units of UTF-16, and these.
export function text(kind: number, words: string): ArrayBuffer {
  return message(3 + 2 * words.length, (v) => {
    v.setUint8(0, kind), v.setUint16(1, words.length, true);
    for (let i = 0; i < words.length; i++) v.setUint16(3 + 2 * i, words.charCodeAt(i), true);
  });
}

// What the streamer says: the kind, and UTF-16 behind it.
export function text_of(bytes: ArrayBuffer): string {
  const view = new DataView(bytes);
  let out = "";
  for (let at = 1; at + 1 < bytes.byteLength; at += 2) out += String.fromCharCode(view.getUint16(at, true));
  return out;
}
