// Pictures over a WebSocket to the viewer itself, where WebRTC does not get through: decoded by WebCodecs on secure pages,
// else as JPEG. They are drawn on a canvas below the video element, which shows nothing then.
import { el } from "./dom.ts";

export const ToDirect = { message: 0, video: 1, jpeg: 2 } as const; // the first byte of what comes
const kHeader = 10; // bytes before a picture: kind, key, time in us

export interface DirectAddress { url: string; codec: string }

// A viewer that listens at all of its addresses calls itself 127.0.0.1: it is where this page comes from.
export function reachable(url: string, page: string): string {
  const out = new URL(url);
  if (/^127\./.test(out.hostname) && !/^(127\.|localhost$|\[::1\]$)/.test(page)) out.hostname = page;
  return out.href;
}

// As WebCodecs names them.
const codec_of = (codec: string): string => (codec === "h264" ? "avc1.42e01f" : codec);

// Can this browser decode it here? Not on pages without encryption beyond this machine.
export async function decodes(codec: string): Promise<boolean> {
  if (typeof VideoDecoder === "undefined") return false;
  return (await VideoDecoder.isConfigSupported({ codec: codec_of(codec), optimizeForLatency: true }).catch(() => null))?.supported === true;
}

export class VideoDirect {
  on_playing: () => void = () => {};
  on_message: (data: ArrayBuffer) => void = () => {};
  on_closed: (why: string) => void = () => {};
  on_open: () => void = () => {};
  frames = 0; // drawn
  bytes = 0;
  readonly canvas = el("canvas", { class: "video-direct", label: "Live video of the world" });
  private context = this.canvas.getContext("2d", { alpha: false })!;
  private socket: WebSocket;
  private decoder: VideoDecoder | null = null;
  private ended = false;

  constructor(address: DirectAddress, readonly coded: boolean) {
    this.socket = new WebSocket(reachable(address.url, location.hostname).replace("/?", coded ? "/video?" : "/jpeg?"));
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => this.on_open();
    this.socket.onmessage = (event: MessageEvent<ArrayBuffer>) => this.take(event.data);
    this.socket.onclose = (event) => this.end(event.reason || "the viewer cannot be reached");
    if (!coded) return;
    this.decoder = new VideoDecoder({ output: (frame) => this.draw(frame, frame.displayWidth, frame.displayHeight), error: (error) => this.end(String(error)) });
    this.decoder.configure({ codec: codec_of(address.codec), optimizeForLatency: true });
  }

  get open(): boolean { return this.socket.readyState === WebSocket.OPEN; }
  send(message: ArrayBuffer): void { if (this.open) this.socket.send(message); }
  close(): void {
    this.on_closed = () => {};
    this.end("");
  }

  private end(why: string): void {
    if (this.ended) return;
    this.ended = true;
    this.socket.close();
    this.canvas.remove();
    if (this.decoder && this.decoder.state !== "closed") this.decoder.close();
    this.on_closed(why);
  }

  private take(data: ArrayBuffer): void {
    if (this.ended || data.byteLength === 0) return;
    const view = new DataView(data), kind = view.getUint8(0);
    if (kind === ToDirect.message) return this.on_message(data.slice(1));
    if (data.byteLength <= kHeader) return;
    this.bytes += data.byteLength;
    const picture = new Uint8Array(data, kHeader);
    if (kind === ToDirect.jpeg)
      return void createImageBitmap(new Blob([picture], { type: "image/jpeg" })).then((bitmap) => this.draw(bitmap, bitmap.width, bitmap.height), () => this.taken());
    this.decoder?.decode(new EncodedVideoChunk({ type: view.getUint8(1) ? "key" : "delta", timestamp: Number(view.getBigUint64(2, true)), data: picture }));
  }

  private draw(picture: VideoFrame | ImageBitmap, width: number, height: number): void {
    if (this.canvas.width !== width || this.canvas.height !== height) this.canvas.width = width, this.canvas.height = height;
    this.context.drawImage(picture, 0, 0);
    picture.close();
    this.taken();
    if (++this.frames === 1 && !this.ended) this.on_playing();
  }
  private taken(): void { if (this.open) this.socket.send("taken"); }
}
