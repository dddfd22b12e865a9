import assert from "node:assert/strict";
import { test } from "node:test";
import { reachable } from "../src/video_direct.ts";
import { players_of } from "../src/video_view.ts";

test("a viewer at all addresses is where the page comes from", () => {
  assert.equal(reachable("ws://127.0.0.1:7/?token=a", "10.0.0.5"), "ws://10.0.0.5:7/?token=a");
  assert.equal(reachable("ws://127.0.0.1:7/?token=a", "127.0.0.1"), "ws://127.0.0.1:7/?token=a");
  assert.equal(reachable("ws://127.0.0.1:7/?token=a", "localhost"), "ws://127.0.0.1:7/?token=a");
  assert.equal(reachable("wss://viewer.example:7/?token=a", "10.0.0.5"), "wss://viewer.example:7/?token=a");
});

test("a link to the video names where its players come", () => {
  assert.equal(players_of("http://127.0.0.1:7481/#token=a1"), "ws://127.0.0.1:7481/player?token=a1");
  assert.equal(players_of("https://video.example/"), "wss://video.example/player");
});
