import assert from "node:assert/strict";
import test from "node:test";
import { Frame } from "../src/protocol.ts";
import { frame_bytes, kHere, part_bytes, rounded } from "./rig.ts";

const two = (): ArrayBuffer => frame_bytes(
  { flags: 1, number: 41, run: 2, structure: 5, time: 1.25, tick: 125 },
  [{ pose: [1, 2, 3, 0, 0, 0, 1], twist: [0.5, -1, 2, 0, 0, 0.25] }, { pose: kHere }], [0.5, -0.25, 8]);

test("a whole frame is read as it was written", () => {
  const dut = new Frame();

  dut.read(two());

  assert.deepEqual([dut.paused, dut.number, dut.run, dut.structure, dut.time, dut.tick], [true, 41, 2, 5, 1.25, 125]);
  assert.deepEqual([dut.count, dut.joint_count], [2, 3]);
  assert.deepEqual(rounded(dut.poses), [1, 2, 3, 0, 0, 0, 1, ...kHere]);
  assert.deepEqual([...dut.twists], [0.5, -1, 2, 0, 0, 0.25, 0, 0, 0, 0, 0, 0]);
  assert.deepEqual([...dut.joints], [0.5, -0.25, 8]);
});

test("a frame cut short anywhere, or too long, is refused and changes nothing", () => {
  const whole = two(), dut = new Frame();
  dut.read(frame_bytes({ number: 7 }, []));

  for (let length = 0; length < whole.byteLength; length++) assert.throws(() => dut.read(whole.slice(0, length)), /frame/);
  const longer = new Uint8Array(whole.byteLength + 1);
  longer.set(new Uint8Array(whole));

  assert.throws(() => dut.read(longer.buffer), /bytes, not/);
  assert.deepEqual([dut.number, dut.count], [7, 0]);
});

test("counts that do not fit the bytes are refused", () => {
  for (const [at, value] of [[32, 1], [32, 3], [32, 0xffffffff], [36, 0], [36, 4], [36, 0xffffffff]] as const) {
    const bytes = two(), dut = new Frame();
    new DataView(bytes).setUint32(at, value, true);
    assert.throws(() => dut.read(bytes), /bytes, not/);
  }
});

test("another kind of message, and a place that is no number, are refused", () => {
  const kind = two(), place = two(), dut = new Frame();
  new DataView(kind).setUint8(0, 3);
  new DataView(place).setFloat32(40 + 32 + 4, NaN, true);

  assert.throws(() => dut.read(kind), /unknown kind 3/);
  assert.throws(() => dut.read(place), /entity 1 of a frame has no place/);
});

test("an attitude of nothing but zeros is taken as none", () => {
  const dut = new Frame();

  dut.read(frame_bytes({}, [{ pose: [0, 0, 0, 0, 0, 0, 0] }]));

  assert.deepEqual([...dut.poses], kHere);
});

test("flipped bits never make a frame that reads beyond its bytes", () => {
  const whole = new Uint8Array(two());
  for (let bit = 0; bit < 8 * whole.length; bit++) {
    const bytes = whole.slice(), dut = new Frame();
    bytes[bit >> 3]! ^= 1 << (bit & 7);
    try {
      dut.read(bytes.buffer);
    } catch (error) {
      assert.match((error as Error).message, /frame/);
      continue;
    }
    assert.deepEqual([dut.poses.length, dut.joints.length], [7 * dut.count, dut.joint_count]);
  }
});

const part = (): ArrayBuffer => part_bytes({ number: 8 }, [2, 7], [{ pose: [1, 2, 3, 1, 0, 0, 0] }, { pose: [4, 5, 6, 1, 0, 0, 0] }], [0.5, -0.25]);

test("a part is read with whose states it has, into the arrays of larger frames", () => {
  const dut = new Frame();
  dut.read(part_bytes({}, [0, 1, 2], [{ pose: kHere }, { pose: kHere }, { pose: kHere }], [1, 2, 3]));

  dut.read(part());

  assert.deepEqual([dut.whole, dut.number, dut.count, dut.joint_count], [false, 8, 2, 2]);
  assert.deepEqual([[...dut.slots.slice(0, 2)], [dut.poses[0], dut.poses[7]], [...dut.joints.slice(0, 2)]], [[2, 7], [1, 4], [0.5, -0.25]]);
});

test("a part cut short, with flipped bits, or of slots that do not ascend, is refused or stays within its bytes", () => {
  const bytes = part(), slots = part();
  for (let length = 0; length < bytes.byteLength; length++) assert.throws(() => new Frame().read(bytes.slice(0, length)), /frame/);
  new DataView(slots).setUint32(40, 7, true);
  assert.throws(() => new Frame().read(slots), /do not ascend/);

  for (let bit = 0; bit < 8 * bytes.byteLength; bit++) {
    const flipped = new Uint8Array(bytes.slice(0)), dut = new Frame();
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    try {
      dut.read(flipped.buffer);
    } catch (error) {
      assert.match((error as Error).message, /frame/);
      continue;
    }
    assert.deepEqual([dut.poses.length, dut.joints.length], [7 * dut.count, dut.joint_count]);
  }
});
