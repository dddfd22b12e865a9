import assert from "node:assert/strict";
import test from "node:test";
import { place_links } from "../src/kinematics.ts";
import type { Model } from "../src/protocol.ts";
import { joint, kHere, kQuarter as h, link, model, rounded } from "./rig.ts";

function placed(of: Model, q: number[] = [], X_WR: number[] = kHere, X_WO: number[] = kHere): number[][] {
  const out = new Float64Array(7 * of.links.length);
  place_links(of, new Float64Array(X_WR), 0, new Float64Array(X_WO), 0, new Float64Array(q), 0, q.length, out, 0);
  return of.links.map((_, i) => rounded(out.subarray(7 * i, 7 * i + 7)));
}
const r = (...numbers: number[]): number[] => rounded(numbers);

test("a link stands on the entity where its X says", () => {
  assert.deepEqual(placed(model([link({ X: [1, 0, 0, 1, 0, 0, 0] })]), [], [2, 3, 0, h, 0, 0, h]), [r(2, 4, 0, h, 0, 0, h)]);
});

test("a hinge turns about its anchor, from its zero", () => {
  const dut = model([link({ joints: [joint({ anchor: [1, 0, 0], zero: 0.5 })] })]);

  assert.deepEqual(placed(dut, [0.5 + Math.PI / 2]), [r(1, -1, 0, h, 0, 0, h)]);
});

test("a slide moves along its axis as the link is turned", () => {
  const dut = model([link({ X: [0, 0, 1, h, 0, 0, h], joints: [joint({ type: 1, axis: [1, 0, 0], zero: 1 })] })]);

  assert.deepEqual(placed(dut, [3]), [r(0, 2, 1, h, 0, 0, h)]);
});

test("a ball turns about its anchor by the quaternion", () => {
  const dut = model([link({ joints: [joint({ type: 2, at: 1, anchor: [0, 1, 0] })] })]);

  assert.deepEqual(placed(dut, [9, h, h, 0, 0]), [r(0, 1, -1, h, h, 0, 0)]);
});

test("a steered wheel turns more or less than its angle, by its lead", () => {
  const d = 0.4, lead = 0.3, angle = Math.atan2(Math.sin(d), Math.cos(d) - lead * Math.sin(d));
  const dut = model([link({ joints: [joint({ type: 3, lead })] })]);

  assert.deepEqual(placed(dut, [d]), [r(0, 0, 0, Math.cos(angle / 2), 0, 0, Math.sin(angle / 2))]);
});

test("a free link is where its seven numbers say, or at its place without them", () => {
  const dut = model([link({ base: 3, at: 0, X: [5, 0, 0, 1, 0, 0, 0] })]);

  assert.deepEqual(placed(dut, [1, 2, 3, 0, 0, 0, 2], [9, 9, 9, 1, 0, 0, 0]), [r(1, 2, 3, 0, 0, 0, 1)]);
  assert.deepEqual(placed(dut, [1, 2], [9, 9, 9, 1, 0, 0, 0], [1, 1, 7, 1, 0, 0, 0]), [r(6, 1, 0, 1, 0, 0, 0)]);
});

test("what stands on the ground of the start is levelled, unless the base is fixed", () => {
  const links = [link({ base: 2, X: [1, 0, 0, 1, 0, 0, 0] })], tilted = [1, 1, 5, 0.5, 0.5, 0.5, 0.5];

  assert.deepEqual(placed(model(links), [], [7, 7, 7, 1, 0, 0, 0], tilted), [r(1, 2, 0, h, 0, 0, h)]);
  assert.deepEqual(placed(model(links, { fixed_base: true }), [], [7, 7, 7, 1, 0, 0, 0], tilted), [r(8, 7, 7, 1, 0, 0, 0)]);
});

test("a chain hangs link on link", () => {
  const arm = (parent: number, at: number) => link({ base: parent < 0 ? 1 : 0, parent, X: [1, 0, 0, 1, 0, 0, 0], joints: [joint({ at })] });

  assert.deepEqual(placed(model([arm(-1, 0), arm(0, 1), arm(1, 2)]), [Math.PI / 2, Math.PI / 2, -Math.PI]),
    [r(1, 0, 0, h, 0, 0, h), r(1, 1, 0, 0, 0, 0, 1), r(0, 1, 0, 1, 0, 0, 0)]);
});

test("a joint whose numbers are not there is skipped", () => {
  const dut = model([link({ joints: [joint({ at: 3 }), joint({ type: 2, at: 0 })] })]);

  assert.deepEqual(placed(dut, [1, 0, 0]), [kHere]);
});
