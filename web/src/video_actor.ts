// A player that acts: it says as whom, chooses a robot and drives it, by the video's own channel.
import { el, say } from "./dom.ts";
import type { VideoPlayer } from "./video_player.ts";

const kCredentials = "convoy-player-credentials";

interface Heard { welcome?: object; driving?: { name: string } | null; event?: { level: string; text: string }; reply?: { id: number; error: number; text: string; names?: string[] } }

export class VideoActor {
  readonly root = el("div", { class: "group video-actor" });
  private secret = el("input", { type: "password", placeholder: "credentials", label: "Credentials to act with", testid: "video-credentials" });
  private enter = el("button", { type: "button", text: "Act", testid: "video-act", title: "Say with whose credentials you act; without you may look" });
  private robots = el("select", { label: "Robot", testid: "video-robot" });
  private driver = el("button", { type: "button", text: "Drive", testid: "video-drive", title: "Arrow keys or a gamepad drive it" });
  private words = el("span", { class: "fact", testid: "video-said", role: "status" });
  private driving = "";
  private calls = 0;

  constructor(private player: VideoPlayer, given: string) {
    this.root.append(this.secret, this.enter, this.robots, this.driver, this.words);
    this.secret.value = given || sessionStorage.getItem(kCredentials) || "";
    this.welcome(false);
    player.on_response = (text) => this.take(JSON.parse(text) as Heard);
    player.on_channel = () => { this.welcome(false), this.hello(); };
    this.enter.addEventListener("click", () => this.hello());
    this.secret.addEventListener("keydown", (event) => { if (event.key === "Enter") this.hello(); });
    this.driver.addEventListener("click", () => {
      player.interact({ drive: this.driving ? null : this.robots.value });
      player.video.focus();
    });
  }

  private hello(): void {
    if (!this.secret.value) return;
    say(this.words, "");
    this.player.interact({ hello: { credentials: this.secret.value } });
  }

  private welcome(acts: boolean): void {
    this.robots.hidden = this.driver.hidden = !acts;
    this.secret.hidden = this.enter.hidden = acts;
    if (!acts) this.drives("");
  }

  private drives(name: string): void {
    this.driving = name;
    say(this.driver, name ? "Let go" : "Drive");
    this.driver.setAttribute("aria-pressed", String(name !== ""));
  }

  private take(heard: Heard): void {
    if (heard.welcome) {
      sessionStorage.setItem(kCredentials, this.secret.value);
      this.welcome(true);
      this.player.interact({ call: { id: ++this.calls, request: { list: { category: "robot" } } } });
    }
    if (heard.reply?.names) {
      const before = this.robots.value;
      this.robots.replaceChildren(...heard.reply.names.map((name) => el("option", { value: name, text: name })));
      if (heard.reply.names.includes(before)) this.robots.value = before;
    }
    if (heard.driving !== undefined) this.drives(heard.driving?.name ?? "");
    if (heard.driving) say(this.words, `arrow keys drive ${heard.driving.name}`);
    if (heard.event) {
      say(this.words, heard.event.text);
      if (!this.driver.hidden) return;
      sessionStorage.removeItem(kCredentials);
    }
  }
}
