// Live video in place of the drawn world, by choice or when one of the two fails: the same run, drawn elsewhere.
import { button, el, say } from "./dom.ts";
import { VideoInput } from "./video_input.ts";
import { VideoPlayer, type PlayerState } from "./video_player.ts";

const kPatience = 15_000; // ms, until video that does not come is given up

// The address of the signaling server's players, of the link that it printed.
export function players_of(link: string): string {
  const url = new URL(link), token = new URLSearchParams(url.hash.slice(1)).get("token");
  return `${url.protocol === "https:" ? "wss" : "ws"}://${url.host}/player${token ? `?token=${token}` : ""}`;
}

export class VideoView {
  readonly root = el("div", { class: "video-view", testid: "video-view" });
  readonly toggle = button({ icon: "video", label: "Live video", testid: "toolbar-video" }, () => this.choose(!this.shown));
  on_trouble: (text: string) => void = () => {};
  shown = false;
  player: VideoPlayer | null = null;
  private words = el("div", { class: "video-words", testid: "video-words", role: "status" });
  private choice = el("select", { label: "Stream", testid: "video-choice", class: "video-choice", on: { change: () => this.player?.choose(this.choice.value) } });
  private link = "";
  private gives_up = 0;
  private drawable = true; // the world can be drawn here

  // `keys`: may the video have them now?
  constructor(private keys: () => boolean) {
    this.root.hidden = this.toggle.hidden = true;
    this.toggle.setAttribute("aria-pressed", "false");
    this.root.append(this.words, this.choice);
  }

  // From the server: a link to video of this run, or none.
  offer(link: string): void {
    if (link === this.link) return;
    this.link = link;
    this.toggle.hidden = link === "";
    if (this.shown) this.choose(false);
    if (link && !this.drawable) this.choose(true);
  }

  choose(shown: boolean): void {
    if (shown === this.shown || (shown && !this.link)) return;
    this.shown = shown;
    this.root.hidden = !shown;
    this.toggle.setAttribute("aria-pressed", String(shown));
    clearTimeout(this.gives_up);
    this.player?.end();
    this.player?.video.remove();
    this.player = null;
    if (shown) this.begin();
  }

  // Of the view that is drawn here.
  drawing_failed(why: string): void {
    this.drawable = false;
    if (this.shown || !this.link) return;
    this.on_trouble(`${why}: live video is shown instead`);
    this.choose(true);
  }
  drawing_works(): void { this.drawable = true; }

  private begin(): void {
    const video = el("video", { testid: "video", label: "Live video of the world", tabindex: 0 });
    const player = new VideoPlayer(video, players_of(this.link)), input = new VideoInput(video, () => player, (message) => player.send(message), this.keys);
    this.player = player;
    this.root.prepend(video);
    player.on_state = (state, text) => this.show_state(state, text);
    player.on_streams = (ids, chosen) => {
      this.choice.replaceChildren(...ids.map((id) => el("option", { value: id, text: id })));
      this.choice.value = chosen, this.choice.hidden = ids.length < 2;
    };
    const poll = () => {
      if (this.player !== player) return;
      if (this.keys()) input.poll();
      requestAnimationFrame(poll);
    };
    poll();
    this.wait();
    player.start();
    video.focus();
  }

  private wait(): void {
    clearTimeout(this.gives_up);
    this.gives_up = setTimeout(() => {
      if (!this.shown || this.player?.playing || !this.drawable) return;
      this.on_trouble("The live video does not come: the world is drawn here again");
      this.choose(false);
    }, kPatience) as unknown as number;
  }

  private show_state(state: PlayerState, text: string): void {
    const said = { connecting: "Connecting", waiting: "Waiting", opening: "Opening the stream", playing: "", refused: "Refused" }[state];
    say(this.words, text ? `${said}: ${text}` : said);
    const hid = this.words.hidden;
    this.words.hidden = state === "playing";
    if (state === "playing") clearTimeout(this.gives_up);
    else if (hid) this.wait(); // it played until now
  }
}
