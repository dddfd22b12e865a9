// Epic's front end as anybody would use it: it plays the first stream that it is told of, and counts what happens to it.
import { Config, PixelStreaming } from "@epicgames-ps/lib-pixelstreamingfrontend-ue5.7";

const query = new URLSearchParams(location.search);
const config = new Config({
  useUrlParams: false,
  initialSettings: {
    AutoPlayVideo: true, AutoConnect: true, StartVideoMuted: true, HoveringMouse: true, WaitForStreamer: true,
    ss: `ws://${location.host}/player?token=${query.get("token")}`,
  },
});
const player = document.getElementById("player");
player.style.width = "640px", player.style.height = "480px";
window.heard = {};
const stream = new PixelStreaming(config, { videoElementParent: player });
for (const name of ["webRtcConnected", "dataChannelOpen", "videoInitialized", "playStream", "initialSettings", "latencyTestResult", "streamerListMessage", "webRtcFailed", "webRtcDisconnected", "subscribeFailed"])
  stream.addEventListener(name, (event) => { window.heard[name] = event.data ?? {}; });
window.answers = [];
stream.addResponseEventListener("test", (text) => window.answers.push(JSON.parse(text)));
window.stream = stream;
