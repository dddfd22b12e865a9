import assert from "node:assert/strict";
import test from "node:test";
import type { Connection as Made } from "../src/connection.ts";

class FakeSocket {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 0;
  binaryType = "";
  sent: string[] = [];
  onopen = (): void => {};
  onmessage = (_event: { data: unknown }): void => {};
  onclose = (_event: { code: number }): void => {};

  constructor(readonly url: string, readonly protocol: string) { FakeSocket.all.push(this); }
  send(text: string): void { this.sent.push(text); }
  open(): void {
    this.readyState = 1;
    this.onopen();
  }
  say(message: object): void { this.onmessage({ data: JSON.stringify(message) }); }
  close(code: number): void {
    this.readyState = 3;
    this.onclose({ code });
  }
}

interface Browser { kept: Map<string, string>; asked: string[]; states: string[]; dut: Made; answer: { status: number; body: object } }

// A page at an address with this fragment, and a server that answers as said.
async function page(hash: string, answer: Browser["answer"], kept = new Map<string, string>()): Promise<Browser> {
  const asked: string[] = [], states: string[] = [], location = { hash, pathname: "/", search: "", protocol: "http:", host: "robots:1" };
  FakeSocket.all = [];
  const browser = { answer } as Browser;
  Object.assign(globalThis, {
    location, WebSocket: FakeSocket,
    sessionStorage: { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => void kept.set(k, v), removeItem: (k: string) => void kept.delete(k) },
    history: { replaceState: (_s: unknown, _t: string, url: string) => { location.hash = "", asked.push(`address ${url}`); } },
    fetch: (url: string, init: { body: string }) => {
      asked.push(`${url} ${init.body}`);
      return Promise.resolve({ status: browser.answer.status, ok: browser.answer.status === 200, json: () => Promise.resolve(browser.answer.body) });
    },
  });
  const { Connection } = await import("../src/connection.ts");
  const dut = new Connection();
  dut.on_state = (state, text) => void states.push(text ? `${state}: ${text}` : state);
  await dut.start();
  return Object.assign(browser, { kept, asked, states, dut });
}
const good = { status: 200, body: { session: "5e55", role: "edit" } };

test("the token becomes a session, leaves the address bar, and the socket says hello", async () => {
  const { asked, kept, dut, states } = await page("#token=abc", good), socket = FakeSocket.all[0]!;

  socket.open();
  socket.say({ welcome: { role: "edit" } });

  assert.deepEqual(asked, ["address /", '/session {"token":"abc"}']);
  assert.deepEqual([socket.url, socket.protocol, socket.sent[0]], ["ws://robots:1/stream", "convoy.web.v1", '{"hello":{"session":"5e55"}}']);
  assert.deepEqual([[...kept.values()], dut.open, states], [["5e55"], true, ["connecting", "open"]]);
});

test("after a reload the session is used again", async () => {
  const { asked } = await page("", good, new Map([["convoy-session", "77"]]));

  FakeSocket.all[0]!.open();

  assert.deepEqual([asked, FakeSocket.all[0]!.sent], [[], ['{"hello":{"session":"77"}}']]);
});

test("a token that the server does not know is said, and no socket is opened", async () => {
  const { states } = await page("#token=abc", { status: 403, body: { error: "unknown token" } });

  assert.deepEqual([states, FakeSocket.all.length], [["connecting", "refused: unknown token"], 0]);
});

test("a session that the server has forgotten is asked for once more", async () => {
  const { asked, kept } = await page("", { status: 403, body: { error: "no" } }, new Map([["convoy-session", "77"]]));

  FakeSocket.all[0]!.close(4403);
  await new Promise((done) => setImmediate(done));

  assert.deepEqual([asked, kept.size], [['/session {"token":""}'], 0]);
});

test("a call is answered by its id, its trouble is an error, and a frame is acknowledged once", async () => {
  const { dut } = await page("", good), socket = FakeSocket.all[0]!;
  socket.open();
  const first = dut.call("pause"), second = dut.call("get", { name: "x" });

  socket.say({ reply: { id: 2, error: 2, text: "no entity 'x'" } });
  socket.say({ reply: { id: 1, error: 0, tick: 5 } });
  dut.ack(4), dut.ack(4);

  assert.equal((await first).tick, 5);
  await assert.rejects(second, /no entity 'x'/);
  assert.deepEqual(socket.sent.slice(1), ['{"call":{"id":1,"request":{"pause":{}}}}', '{"call":{"id":2,"request":{"get":{"name":"x"}}}}', '{"ack":4}']);
});

test("calls fail when the link breaks, and the page tries again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { dut, states } = await page("", good), socket = FakeSocket.all[0]!;
  socket.open();
  const call = dut.call("pause");

  socket.close(1012);
  t.mock.timers.tick(300);

  await assert.rejects(call, /link/);
  await assert.rejects(dut.call("pause"), /no link/);
  assert.deepEqual([FakeSocket.all.length, states.at(-1)], [2, "gone: the simulation is gone, trying again"]);
});
