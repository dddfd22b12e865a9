// Plays a stream: finds it at the signaling server, connects to it, shows it, says what the person does, and tries again
// when something breaks. Where WebRTC does not get through, it goes to the viewer by a WebSocket, if that offers one.
import { VideoDirect, decodes, type DirectAddress } from "./video_direct.ts";
import { FromStreamer, Kind, text, text_of } from "./player_messages.ts";

const kLongestWait = 4000; // ms between two tries
const kListEvery = 1000; // ms, while there is no streamer
const kConnects = 12_000; // ms, from the choice of a stream to its first picture
const kTries = 6_000; // ms, for WebRTC, where there is another way
const kPing = 10_000; // ms

// How pictures come: by what gets through, or by one way alone.
export type Transport = "auto" | "webrtc" | "websocket" | "jpeg";
export type PlayerState = "connecting" | "waiting" | "opening" | "playing" | "refused";
interface Signal { type?: string; [field: string]: unknown }
export interface PlayerNumbers { fps: number; kbit: number; round_trip_ms: number; lost: number; dropped: number; width: number; height: number; codec: string }

export class VideoPlayer {
  on_state: (state: PlayerState, words: string) => void = () => {};
  on_streams: (ids: string[], chosen: string) => void = () => {};
  on_response: (words: string) => void = () => {}; // of the streamer's own page messages
  on_channel: () => void = () => {}; // input is heard from now on
  wanted = ""; // id of a stream; empty: the first
  chosen = "";
  relayed = false;
  transport: Transport = "auto";
  private socket: WebSocket | null = null;
  private peer: RTCPeerConnection | null = null;
  private channel: RTCDataChannel | null = null;
  private config: RTCConfiguration = {};
  private wait = 250;
  private timers = new Set<number>();
  private direct: VideoDirect | null = null;
  private invitation: DirectAddress | null = null; // of this stream, good once
  private blocked = false; // WebRTC has not got through
  private garbled = false; // what the encoder makes could not be decoded
  private last = { at: 0, frames: 0, bytes: 0 };
  private ended = false;
  private subscribed = false; // to the chosen one
  private attempt = 0; // of hearing and seeing one: what began in an earlier one counts no more
  private pings = 0;

  // `address`: of the signaling server, ws://HOST:PORT/player?token=...
  constructor(readonly video: HTMLVideoElement, private address: string) {
    video.muted = true, video.autoplay = true, video.playsInline = true;
    video.addEventListener("playing", () => this.on_state("playing", ""));
  }

  get playing(): boolean { return this.direct ? this.direct.frames > 0 : this.peer?.connectionState === "connected" && this.video.videoWidth > 0; }
  get open(): boolean { return this.direct ? this.direct.open : this.channel?.readyState === "open"; }
  get width(): number { return this.direct?.canvas.width ?? this.video.videoWidth; }
  get height(): number { return this.direct?.canvas.height ?? this.video.videoHeight; }
  get by(): string { return this.direct ? (this.direct.coded ? "websocket" : "jpeg") : this.peer ? "webrtc" : ""; }

  start(): void {
    if (this.ended) return;
    if (!this.playing) this.on_state("connecting", "");
    const socket = new WebSocket(this.address);
    this.socket = socket;
    clearInterval(this.pings);
    this.pings = setInterval(() => this.tell({ type: "ping", time: Date.now() }), kPing) as unknown as number;
    socket.onmessage = (event: MessageEvent<string>) => { if (this.socket === socket) void this.take(JSON.parse(event.data) as Signal); };
    socket.onclose = (event) => { if (this.socket === socket) this.closed(event.reason); };
  }

  // For good.
  end(): void {
    this.ended = true;
    clearInterval(this.pings);
    this.hang_up();
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  choose(id: string): void {
    this.wanted = id;
    this.hang_up();
    this.tell({ type: "unsubscribe" });
    this.tell({ type: "listStreamers" });
  }

  send(message: ArrayBuffer): void {
    if (this.direct) this.direct.send(message);
    else if (this.open) this.channel!.send(message);
  }
  // To the streamer's own side: JSON.
  interact(what: object): void { this.send(text(Kind.interaction, JSON.stringify(what))); }

  private tell(message: Signal): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
  private later(ms: number, what: () => void): void {
    const timer = setTimeout(() => { this.timers.delete(timer), what(); }, ms) as unknown as number;
    this.timers.add(timer);
  }

  private hang_up(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    const peer = this.peer, direct = this.direct;
    this.peer = null, this.channel = null, this.direct = null, this.invitation = null, this.subscribed = false;
    ++this.attempt;
    peer?.close(), direct?.close();
  }

  private closed(reason: string): void {
    this.socket = null;
    // The pictures do not come by there: what plays goes on.
    if (!this.playing && this.invitation && this.transport === "auto") this.lost(reason);
    else if (!this.playing && !this.direct) this.hang_up();
    if (this.ended) return;
    if (!this.playing) this.on_state("connecting", reason || "no signaling server answers, trying again");
    setTimeout(() => this.start(), this.wait);
    this.wait = Math.min(2 * this.wait, kLongestWait);
  }

  private async take(message: Signal): Promise<void> {
    switch (message.type) {
      case "config": {
        this.config = (message.peerConnectionOptions ?? {}) as RTCConfiguration;
        if (this.relayed) this.config.iceTransportPolicy = "relay";
        this.wait = 250;
        return this.tell({ type: "listStreamers" });
      }
      case "streamerList": return this.list(message.ids as string[]);
      case "streamerIdChanged": return void (this.chosen = String(message.newID));
      case "ping": return this.tell({ type: "pong", time: message.time });
      case "offer": return this.offered(String(message.sdp), (message.direct as DirectAddress | undefined) ?? null);
      case "iceCandidate": return void this.peer?.addIceCandidate(message.candidate as RTCIceCandidateInit).catch(() => {});
      case "subscribeFailed": return this.again(String(message.message ?? "there is no such stream"));
      case "streamerDisconnected": return this.again("the stream has ended, waiting for it");
    }
  }

  private async offered(sdp: string, invitation: DirectAddress | null): Promise<void> {
    this.invitation = invitation;
    const way = this.transport;
    if (invitation && way !== "webrtc" && (way !== "auto" || this.blocked)) return this.go_direct();
    if (way !== "auto" && way !== "webrtc") return this.again("this viewer offers no other way than WebRTC");
    if (invitation && way === "auto") this.later(kTries, () => { if (!this.playing) this.lost("the video does not come through"); });
    return this.answer(sdp);
  }

  // By WebRTC it does not come any more, or never did.
  private lost(why: string): void {
    if (this.transport !== "auto" || !this.invitation) return this.again(why);
    this.blocked = true;
    void this.go_direct();
  }

  private async go_direct(): Promise<void> {
    const invitation = this.invitation!;
    this.hang_up();
    this.subscribed = true;
    this.tell({ type: "unsubscribe" });
    const attempt = this.attempt;
    const coded = this.transport !== "jpeg" && !this.garbled && (await decodes(invitation.codec));
    if (this.ended || this.attempt !== attempt) return;  // another stream has been chosen meanwhile
    const direct = new VideoDirect(invitation, coded);
    this.direct = direct;
    this.last = { at: 0, frames: 0, bytes: 0 };
    this.video.srcObject = null;
    this.video.before(direct.canvas);
    direct.on_playing = () => this.on_state("playing", "");
    direct.on_open = () => this.on_channel();
    direct.on_message = (data) => this.heard(data);
    direct.on_closed = (why) => {
      if (coded && direct.frames === 0) this.garbled = true;
      // Neither way: WebRTC is the better one to wait for.
      if (direct.frames === 0 && !coded) this.blocked = false;
      this.again(why);
    };
    this.later(kConnects, () => { if (!this.playing) this.again("the video does not come through"); });
  }

  private heard(data: ArrayBuffer): void {
    if (new DataView(data).getUint8(0) === FromStreamer.response) this.on_response(text_of(data));
  }

  // Looks again a little later whether it is there.
  private again(why: string): void {
    this.hang_up();
    this.chosen = "";
    this.on_state("waiting", why);
    this.later(kListEvery, () => this.tell({ type: "listStreamers" }));
  }

  private list(ids: string[]): void {
    const id = this.wanted && ids.includes(this.wanted) ? this.wanted : this.wanted ? "" : ids[0] ?? "";
    this.on_streams(ids, this.chosen);
    if (this.subscribed) return;
    if (!id) return this.again(this.wanted ? `no stream is called '${this.wanted}'` : "no stream is there yet");
    this.chosen = id;
    this.on_streams(ids, id);
    this.on_state("opening", "");
    this.subscribed = true;
    this.tell({ type: "subscribe", streamerId: id });
    this.later(kConnects, () => { if (!this.playing) this.again("the video does not come through"); });
  }

  // Asks anew which streams there are.
  refresh(): void { this.tell({ type: "listStreamers" }); }

  private async answer(sdp: string): Promise<void> {
    const before = this.peer;
    this.peer = null;
    before?.close();
    const peer = new RTCPeerConnection(this.config);
    this.peer = peer;
    this.last = { at: 0, frames: 0, bytes: 0 };
    peer.ontrack = (event) => {
      const receiver = event.receiver as RTCRtpReceiver & { jitterBufferTarget?: number };
      if ("jitterBufferTarget" in receiver) receiver.jitterBufferTarget = 0;
      this.video.srcObject = event.streams[0] ?? new MediaStream([event.track]);
      void this.video.play().catch(() => {});
    };
    peer.ondatachannel = (event) => {
      const channel = event.channel;
      channel.binaryType = "arraybuffer";
      channel.onopen = () => { if (this.peer === peer) this.on_channel(); };
      channel.onmessage = (event: MessageEvent<ArrayBuffer>) => this.heard(event.data);
      this.channel = channel;
      if (channel.readyState === "open") this.on_channel();
    };
    peer.onicecandidate = (event) => {
      if (event.candidate && this.peer === peer) this.tell({ type: "iceCandidate", candidate: event.candidate.toJSON() });
    };
    peer.onconnectionstatechange = () => {
      if (this.peer !== peer) return;
      if (peer.connectionState === "failed" || peer.connectionState === "closed") this.lost("the connection broke, trying again");
      if (peer.connectionState === "disconnected") this.later(3000, () => { if (this.peer === peer && peer.connectionState === "disconnected") this.lost("the connection broke, trying again"); });
    };
    try {
      await peer.setRemoteDescription({ type: "offer", sdp });
      const answer = await peer.createAnswer();
      await peer.setLocalDescription(answer);
      if (this.peer === peer) this.tell({ type: "answer", sdp: answer.sdp });
    } catch (error) {
      if (this.peer === peer) this.lost(`this browser cannot play it: ${String(error)}`);
    }
  }

  // Since the last call of it.
  async numbers(): Promise<PlayerNumbers | null> {
    if (!this.peer && !this.direct) return null;
    const out: PlayerNumbers = { fps: 0, kbit: 0, round_trip_ms: 0, lost: 0, dropped: 0, width: this.width, height: this.height, codec: "" };
    const now = performance.now();
    if (this.direct) {
      const { frames, bytes } = this.direct, passed = (now - this.last.at) / 1000;
      if (this.last.at > 0) out.fps = (frames - this.last.frames) / passed, out.kbit = (8 * (bytes - this.last.bytes)) / passed / 1000;
      this.last = { at: now, frames, bytes };
      out.codec = this.direct.coded ? "by WebSocket" : "JPEG";
      return out;
    }
    const all = await this.peer!.getStats();
    for (const one of all.values() as Iterable<Record<string, unknown>>) {
      if (one.type === "inbound-rtp" && one.kind === "video") {
        const frames = Number(one.framesDecoded ?? 0), bytes = Number(one.bytesReceived ?? 0), passed = (now - this.last.at) / 1000;
        if (this.last.at > 0 && passed > 0) out.fps = (frames - this.last.frames) / passed, out.kbit = (8 * (bytes - this.last.bytes)) / passed / 1000;
        this.last = { at: now, frames, bytes };
        out.lost = Number(one.packetsLost ?? 0), out.dropped = Number(one.framesDropped ?? 0);
        const codec = all.get(String(one.codecId)) as { mimeType?: string } | undefined;
        out.codec = codec?.mimeType?.replace("video/", "") ?? "";
      }
      if (one.type === "candidate-pair" && one.nominated === true) out.round_trip_ms = 1000 * Number(one.currentRoundTripTime ?? 0);
    }
    return out;
  }
  // How it comes here: host, srflx (by STUN) or relay (by TURN), on either side.
  async way(): Promise<{ local: string; remote: string } | null> {
    const all = await this.peer?.getStats();
    for (const one of (all?.values() ?? []) as Iterable<Record<string, unknown>>)
      if (one.type === "candidate-pair" && one.nominated === true && one.state === "succeeded") {
        const kind = (id: unknown): string => String((all!.get(String(id)) as { candidateType?: string } | undefined)?.candidateType ?? "");
        return { local: kind(one.localCandidateId), remote: kind(one.remoteCandidateId) };
      }
    return null;
  }
}
