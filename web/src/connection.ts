// The link to the server: a session for the token, messages both ways, calls with their answers, and trying again.
import type { Look, Reply, Role, ServerMessage } from "./protocol.ts";

const kSession = "convoy-session";
const kLongestWait = 5000; // ms between two tries
const kMaxCalls = 256; // unanswered

export type LinkState = "connecting" | "open" | "gone" | "refused";
export class CallError extends Error {
  constructor(readonly code: number, text: string) { super(text); }
}
interface Waiting { resolve: (reply: Reply) => void; reject: (error: Error) => void }

export class Connection {
  session = sessionStorage.getItem(kSession) ?? "";
  on_message: (message: ServerMessage) => void = () => {};
  on_frame: (bytes: ArrayBuffer) => void = () => {};
  on_state: (state: LinkState, text: string) => void = () => {};
  frames = 0; // of states, received
  bytes = 0; // received
  private socket: WebSocket | null = null;
  private calls = new Map<number, Waiting>();
  private next_call = 1;
  private wait = 250; // ms
  private acked = -1;

  get open(): boolean { return this.socket?.readyState === WebSocket.OPEN; }

  async start(): Promise<void> {
    const token = new URLSearchParams(location.hash.slice(1)).get("token");
    if (token !== null) history.replaceState(null, "", location.pathname + location.search);
    this.on_state("connecting", "");
    if (token === null && this.session) return this.connect();
    await this.ask_session(token ?? "");
  }

  private async ask_session(token: string): Promise<void> {
    let answer: Response;
    try {
      answer = await fetch("/session", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }) });
    } catch {
      return this.try_again(() => void this.ask_session(token));
    }
    const body = (await answer.json().catch(() => ({}))) as { session?: string; role?: Role; error?: string };
    if (answer.status === 403) return this.refuse(body.error ?? "the server does not know this token");
    if (!answer.ok || !body.session) return this.try_again(() => void this.ask_session(token));
    this.session = body.session;
    sessionStorage.setItem(kSession, body.session);
    this.connect();
  }

  private refuse(text: string): void {
    sessionStorage.removeItem(kSession);
    this.on_state("refused", text);
  }

  private try_again(what: () => void): void {
    this.on_state("gone", "the simulation is gone, trying again");
    setTimeout(what, this.wait);
    this.wait = Math.min(2 * this.wait, kLongestWait);
  }

  private connect(): void {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/stream`, "convoy.web.v1");
    socket.binaryType = "arraybuffer";
    socket.onopen = () => socket.send(JSON.stringify({ hello: { session: this.session } }));
    socket.onmessage = (event: MessageEvent<ArrayBuffer | string>) => {
      if (typeof event.data === "string") {
        this.bytes += event.data.length;
        this.read(event.data);
      } else {
        this.frames++, this.bytes += event.data.byteLength;
        this.on_frame(event.data);
      }
    };
    socket.onclose = (event) => this.closed(event.code);
    this.socket = socket;
  }

  private read(text: string): void {
    const message = JSON.parse(text) as ServerMessage;
    if (message.welcome) {
      this.wait = 250, this.acked = -1;
      this.on_state("open", "");
    }
    if (message.reply) this.answered(message.reply);
    else this.on_message(message);
  }

  private closed(code: number): void {
    this.socket = null;
    for (const waiting of this.calls.values()) waiting.reject(new CallError(6, "the link to the simulation is gone"));
    this.calls.clear();
    if (code !== 4403) return this.try_again(() => this.connect());
    // The server was started anew and knows no session of before: without tokens it gives another.
    sessionStorage.removeItem(kSession);
    this.session = "";
    void this.ask_session("");
  }

  private answered(reply: Reply): void {
    const waiting = this.calls.get(reply.id);
    if (!waiting) return;
    this.calls.delete(reply.id);
    if (reply.error) waiting.reject(new CallError(reply.error, reply.text || `the call failed (${reply.error})`));
    else waiting.resolve(reply);
  }

  call(method: string, fields: object = {}): Promise<Reply> {
    if (!this.open) return Promise.reject(new CallError(6, "there is no link to the simulation"));
    if (this.calls.size >= kMaxCalls) return Promise.reject(new CallError(6, "too many calls are unanswered"));
    const id = this.next_call++;
    this.socket!.send(JSON.stringify({ call: { id, request: { [method]: fields } } }));
    return new Promise((resolve, reject) => this.calls.set(id, { resolve, reject }));
  }

  // The newest frame that is drawn.
  ack(frame: number): void {
    if (!this.open || frame === this.acked) return;
    this.acked = frame;
    this.socket!.send(JSON.stringify({ ack: frame }));
  }

  // Of a recording: shows that time (s) to all.
  seek(time_s: number): void {
    if (this.open) this.socket!.send(JSON.stringify({ seek: { time_s } }));
  }

  look(look: Look): void {
    if (this.open) this.socket!.send(JSON.stringify({ look }));
  }

  rate(frames_a_second: number): void {
    if (this.open) this.socket!.send(JSON.stringify({ rate: frames_a_second }));
  }
}
