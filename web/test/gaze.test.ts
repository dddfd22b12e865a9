import assert from "node:assert/strict";
import test from "node:test";
import { PerspectiveCamera } from "three";
import { Gaze } from "../src/gaze.ts";
import type { Look } from "../src/protocol.ts";

test("where the page looks is told when it is another, at most five times a second, and anew to another connection", () => {
  const camera = new PerspectiveCamera(50, 1), told: Look[] = [];
  let always = [7, 7, 3];
  const dut = new Gaze(camera, () => always, (look) => void told.push(look));

  camera.position.set(1, 2, 3);
  dut.update(0), dut.update(1), dut.update(2);
  assert.deepEqual(told, [{ eye: [1, 2, 3], ahead: [0, 0, -1], angle: 0.78, always: [7, 3] }]);

  for (let i = 1; i <= 60; i++) camera.position.x += 1, dut.update(2 + i / 60);
  assert.equal(told.length, 6);
  always = [9], dut.update(5), dut.forget(), dut.update(5.01);
  assert.deepEqual(told.slice(6).map((look) => look.always), [[9], [9]]);
});
