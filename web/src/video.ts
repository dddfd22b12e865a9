// The page of convoy signaling: live video alone.
import { el, say } from "./dom.ts";
import { Theme } from "./theme.ts";
import { VideoActor } from "./video_actor.ts";
import { VideoInput } from "./video_input.ts";
import { VideoPlayer } from "./video_player.ts";
import "./style.css";
import "./video.css";

const kToken = "convoy-player-token";

const page = document.getElementById("app")!;
const given = new URLSearchParams(location.hash.slice(1)), query = new URLSearchParams(location.search);
const token = given.get("token") ?? sessionStorage.getItem(kToken) ?? "";
if (given.has("token")) {
  sessionStorage.setItem(kToken, token);
  history.replaceState(null, "", location.pathname + location.search);
}
new Theme().apply();

const video = el("video", { testid: "video", label: "Live video of the world", tabindex: 0 });
const words = el("div", { class: "video-words", testid: "video-words", role: "status" });
const choice = el("select", { label: "Stream", testid: "video-choice" });
const facts = el("span", { class: "fact", testid: "video-facts" });
const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/player${token ? `?token=${token}` : ""}`;
const player = new VideoPlayer(video, address), input = new VideoInput(video, () => player, (message) => player.send(message));
player.relayed = query.get("ice") === "relay"; // no direct way: by a TURN server alone
const transport = query.get("transport");
if (transport === "webrtc" || transport === "websocket" || transport === "jpeg") player.transport = transport;
player.wanted = query.get("stream") ?? "";
const actor = new VideoActor(player, given.get("credentials") ?? "");
page.append(video, words, el("div", { class: "toolbar video-bar" }, el("span", { class: "mark" }), el("span", { class: "title", text: "Live video" }), choice, actor.root, facts));
player.on_state = (state, text) => {
  const said = { connecting: "Connecting", waiting: "Waiting", opening: "Opening the stream", playing: "", refused: "Refused" }[state];
  say(words, text ? `${said}: ${text}` : said);
  words.hidden = state === "playing";
};
player.on_streams = (ids, chosen) => {
  choice.replaceChildren(...ids.map((id) => el("option", { value: id, text: id })));
  choice.value = chosen, choice.hidden = ids.length < 2;
};
choice.addEventListener("change", () => {
  player.choose(choice.value);
  video.focus();
});
setInterval(() => {
  player.refresh();
  void player.numbers().then((n) => say(facts, n && player.playing ? `${n.width} x ${n.height}, ${n.fps.toFixed(0)} fps, ${n.kbit.toFixed(0)} kbit/s, ${n.codec}` : ""));
}, 1000);
const poll = () => { input.poll(), requestAnimationFrame(poll); };
requestAnimationFrame(poll);
player.start();
Object.assign(window, { convoy_video: player });
