import assert from "node:assert/strict";
import test from "node:test";
import { blend_pose, carry_on, ShownTime } from "../src/blend.ts";
import { World } from "../src/world.ts";
import type { EntityRow } from "../src/protocol.ts";
import { frame_bytes, part_bytes, kHere, kQuarter as h, link, model, rounded } from "./rig.ts";

const at = (x: number): number[] => [x, 0, 0, 1, 0, 0, 0];
const row = (number: number, name: string): EntityRow => [number, name, 0, 0, 0, 0, kHere, []];

function world_of(...rows: EntityRow[]): World {
  const out = new World();
  out.take_scene({ glb: null, bounds: [0, 0, 1, 1], models: [model([])] });
  out.take_entities({ structure: 1, all: true, hosts: [""], set: rows, gone: [] });
  return out;
}

test("between two poses the place goes straight and the attitude the short way", () => {
  const A = new Float64Array([0, 0, 0, 1, 0, 0, 0]), B = new Float64Array([1, 2, 0, -h, 0, 0, -h]), out = new Float64Array(7);

  blend_pose(A, B, 0, 0.5, 3, out);

  assert.deepEqual(rounded(out), rounded([0.5, 1, 0, -Math.cos(Math.PI / 8), 0, 0, -Math.sin(Math.PI / 8)]));
});

test("a jump is shown at once", () => {
  const out = new Float64Array(7);

  blend_pose(new Float64Array(at(0)), new Float64Array(at(1.5)), 0, 0.1, 1, out);

  assert.deepEqual([...out], at(1.5));
});

test("a twist carries a pose on, turning in the world", () => {
  const out = new Float64Array(kHere);

  carry_on(new Float64Array([1, 0, 0, 0, 0, Math.PI]), 0, 0.5, out, 0);

  assert.deepEqual(rounded(out), rounded([0.5, 0, 0, h, 0, 0, h]));
});

test("the shown instant runs on smoothly, one frame behind the newest, and never back", () => {
  const dut = new ShownTime();
  let before = 0, least = 1, most = 0;

  for (let i = 0; i <= 600; i++) {
    const wall = i / 60;
    if (i % 6 === 0) dut.frame_came(wall, wall);
    dut.advance(wall, 1 / 60, false);
    if (i > 120) least = Math.min(least, dut.now - before), most = Math.max(most, dut.now - before);
    before = dut.now;
  }

  assert.ok(least > 0.8 / 60 && most < 1.2 / 60, `${least} ${most}`);
  assert.ok(Math.abs(10 - 0.1 - dut.now) < 0.02, `${dut.now}`);
});

test("entities are blended between frames, and stand where the newest says while paused", () => {
  const dut = world_of(row(3, "a"));
  dut.take_frame(frame_bytes({ time: 0 }, [{ pose: at(0) }]), 0);
  dut.take_frame(frame_bytes({ number: 2, time: 0.1 }, [{ pose: at(0.5) }]), 0.1);

  dut.update(0.1, 0.05);
  const between = dut.poses[0]!;
  dut.take_frame(frame_bytes({ number: 3, flags: 1, time: 0.1 }, [{ pose: at(0.5), twist: [1, 0, 0, 0, 0, 0] }]), 0.2);
  dut.update(5, 0.05);

  assert.ok(between >= 0 && between < 0.5, `${between}`);
  assert.equal(dut.poses[0], 0.5);
  assert.equal(dut.newest, 3);
});

test("entities keep their places when others come before them", () => {
  const dut = world_of(row(3, "a"));
  dut.take_frame(frame_bytes({ time: 1, flags: 1 }, [{ pose: at(4) }]), 0);
  dut.update(0, 0.02);

  dut.take_entities({ structure: 2, all: false, hosts: [""], set: [row(1, "b")], gone: [] });
  dut.update(0.02, 0.02);

  assert.deepEqual(dut.entities.map((e) => e.name), ["b", "a"]);
  assert.deepEqual([...dut.shown], [0, 1]);
  assert.equal(dut.poses[7], 4);
});

test("a frame of another structure is not shown, but acknowledged", () => {
  const dut = world_of(row(3, "a"));

  dut.take_frame(frame_bytes({ number: 9, structure: 7 }, [{ pose: at(4) }]), 0);
  dut.update(0, 0.02);

  assert.deepEqual([dut.newest, dut.refused, [...dut.shown]], [9, 1, [0]]);
});

test("an entity that stands still is placed once", () => {
  const dut = world_of(row(3, "a"));
  for (let i = 0; i < 4; i++) dut.take_frame(frame_bytes({ number: i, time: 0.1 * i }, [{ pose: at(2) }]), 0.1 * i), dut.update(0.1 * i, 0.1);

  assert.equal(dut.any_moved, false);
  assert.equal(dut.poses[0], 2);
});

test("the newest frame is acknowledged when it is drawn, also a malformed one, and anew after a reconnect", () => {
  const dut = world_of(row(3, "a")), seen: number[] = [];
  const draw = (): void => {
    dut.update(0, 0.02);
    seen.push(dut.newest);
  };

  draw();
  dut.take_frame(frame_bytes({ number: 8 }, [{ pose: at(1) }]), 0);
  draw();
  dut.take_frame(frame_bytes({ number: 9 }, [{ pose: at(1) }]).slice(0, 50), 0);
  draw();
  dut.connected();
  draw();
  dut.take_frame(frame_bytes({ number: 1 }, [{ pose: at(1) }]), 0);
  draw();

  assert.deepEqual(seen, [-1, 8, 9, -1, 1]);
});

test("a reset of the world is shown at once", () => {
  const dut = world_of(row(3, "a"));
  dut.take_frame(frame_bytes({ time: 50 }, [{ pose: at(0.2) }]), 0);
  dut.update(0, 0.02);

  dut.take_frame(frame_bytes({ number: 2, run: 1, time: 0 }, [{ pose: at(0) }]), 0.1);
  dut.update(0.1, 0.02);

  assert.deepEqual([dut.poses[0], dut.time], [0, 0]);
});

const along: [number, number, number, number, number, number] = [1, 0, 0, 0, 0, 0];

// Frames 0.1 s apart in which "a" is heard of each time and "b", as fast, each fifth time; x of both in each picture.
function seldom(pictures: number): { a: number[]; b: number[]; dut: World } {
  const dut = world_of(row(1, "a"), row(2, "b")), out = { a: [] as number[], b: [] as number[], dut };
  dut.take_frame(frame_bytes({ time: 0 }, [{ pose: at(0), twist: along }, { pose: at(0), twist: along }]), 0);
  for (let i = 1; i < pictures; i++) {
    const t = i / 60;
    if (i % 6 === 0) {
      const x = i / 60, bodies = [{ pose: at(x), twist: along }];
      const both = (i / 6) % 5 === 0;
      dut.take_frame(part_bytes({ number: i, time: x }, both ? [0, 1] : [0], both ? [...bodies, ...bodies] : bodies), t);
    }
    dut.update(t, 1 / 60);
    out.a.push(dut.poses[0]!), out.b.push(dut.poses[7]!);
  }
  return out;
}

test("what is heard of seldom goes on as smoothly as what is heard of in each frame, and is where that is", () => {
  const { a, b } = seldom(300);

  for (let i = 120; i < 290; i++) {
    assert.ok(Math.abs(b[i]! - a[i]!) < 0.02, `${i}: ${a[i]} ${b[i]}`);
    assert.ok(b[i]! - b[i - 1]! > 0.5 / 60 && b[i]! - b[i - 1]! < 2 / 60, `${i}: ${b[i - 1]} ${b[i]}`);
  }
});

test("what was wrong goes away within a moment, without a jump", () => {
  const { dut, b } = seldom(241), stands = b.at(-1)!, xs: number[] = [];

  for (let i = 0; i < 60; i++) {
    const t = 4 + i / 60;
    if (i % 6 === 0) dut.take_frame(part_bytes({ number: 1000 + i, time: t }, i === 12 ? [0, 1] : [0], i === 12 ? [{ pose: at(t), twist: along }, { pose: at(stands + 0.5) }] : [{ pose: at(t), twist: along }]), t);
    dut.update(t, 1 / 60);
    xs.push(dut.poses[7]!);
  }

  assert.equal(xs.at(-1), Math.fround(stands + 0.5));
  for (let i = 1; i < xs.length; i++) assert.ok(Math.abs(xs[i]! - xs[i - 1]!) < 0.1, `${i}: ${xs[i - 1]} ${xs[i]}`);
});

test("what is heard of no more is carried on for a second at most, and while paused all stand where they were heard last", () => {
  const { dut } = seldom(223); // "a" was heard of last at 3.7 s, "b" at 3.5 s

  for (let i = 0; i < 300; i++) dut.update(3.7 + i / 60, 1 / 60);
  assert.ok(dut.poses[7]! > 4 && dut.poses[7]! < 4.51, `${dut.poses[7]}`);
  dut.take_frame(part_bytes({ number: 9999, flags: 1, time: 3.75 }, [], []), 9);
  dut.update(9, 1 / 60);

  assert.deepEqual([rounded([dut.poses[0]!]), rounded([dut.poses[7]!])], [rounded([Math.fround(3.7)]), rounded([Math.fround(3.5)])]);
});

test("a part needs a whole frame of its run before it, and slots and joints of what there is", () => {
  const dut = world_of(row(3, "a"));
  const shown = (): number[] => {
    dut.update(0, 0.02);
    return [dut.refused, dut.newest, dut.shown[0]!];
  };

  dut.take_frame(part_bytes({ number: 1 }, [0], [{ pose: at(4) }]), 0);
  assert.deepEqual(shown(), [1, 1, 0]);
  dut.take_frame(frame_bytes({ number: 2, flags: 1 }, [{ pose: at(4) }]), 0);
  assert.deepEqual(shown(), [1, 2, 1]);
  dut.take_frame(part_bytes({ number: 3, run: 1 }, [0], [{ pose: at(5) }]), 0);
  dut.take_frame(part_bytes({ number: 4 }, [1], [{ pose: at(5) }]), 0);
  dut.take_frame(part_bytes({ number: 5 }, [0], [{ pose: at(5) }], [1]), 0);
  assert.deepEqual([...shown(), dut.poses[0]], [4, 5, 1, 4]);
  dut.take_frame(part_bytes({ number: 6, flags: 1 }, [0], [{ pose: at(5) }]), 0);
  assert.deepEqual([...shown(), dut.poses[0]], [4, 6, 1, 5]);
});

test("links are placed for who asks", () => {
  const dut = new World();
  dut.take_scene({ glb: null, bounds: [0, 0, 1, 1], models: [model([link({ X: [0, 0, 2, 1, 0, 0, 0] })])] });
  dut.take_entities({ structure: 1, all: true, hosts: [""], set: [row(1, "a")], gone: [] });
  dut.take_frame(frame_bytes({ flags: 1 }, [{ pose: at(3) }]), 0);
  dut.update(0, 0.02);

  const before = dut.matrices[16 + 12];
  dut.place_links(0);

  assert.deepEqual([before, dut.matrices[12], dut.matrices[16 + 12], dut.matrices[16 + 14]], [0, 3, 3, 2]);
});
