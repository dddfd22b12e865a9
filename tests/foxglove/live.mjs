// Other people's client of the Foxglove WebSocket protocol (@foxglove/ws-protocol) at a run of ours: what it gets from it,
// and what it can do there. Messages are decoded by the schemas that came with their channels.
//
//   node live.mjs LINK ROBOT SENSOR STILL    prints one JSON object of what it found
import protocol from "@foxglove/ws-protocol";
import protobuf from "protobufjs";
import descriptor from "protobufjs/ext/descriptor/index.js";
import WebSocket from "ws";

const { FoxgloveClient } = protocol;
const [link, robot, sensor, still] = process.argv.slice(2);
const found = { statuses: [] };
const channels = new Map(), decoders = new Map(), services = new Map(), newest = new Map(), waiting = new Set();
const counts = {};
let time = 0n;

// Looks again with each message; a patience of 20 s.
function until(what, isTrue) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${what} did not come`)), 20_000);
    const look = () => {
      const value = isTrue();
      if (!value) return;
      clearTimeout(late), waiting.delete(look), resolve(value);
    };
    waiting.add(look), look();
  });
}
const lookAgain = () => [...waiting].forEach((look) => look());

function decoderOf(channel) {
  if (channel.encoding === "json") return (data) => JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  if (channel.encoding !== "protobuf") return (data) => data.byteLength;
  const set = descriptor.FileDescriptorSet.decode(Buffer.from(channel.schema, "base64"));
  const type = protobuf.Root.fromDescriptor(set).lookupType(channel.schemaName);
  return (data) =>
    type.toObject(type.decode(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)), { longs: Number, defaults: true });
}

const client = new FoxgloveClient({ ws: new WebSocket(link, [FoxgloveClient.SUPPORTED_SUBPROTOCOL]) });
const topics = new Map(); // by subscription
client.on("error", (error) => { console.error(error); process.exit(1); });
client.on("serverInfo", (info) => { found.info = info, lookAgain(); });
client.on("status", (status) => { found.statuses.push(status), lookAgain(); });
client.on("advertise", (all) => { for (const one of all) channels.set(one.topic, one); lookAgain(); });
client.on("unadvertise", (ids) => { for (const [topic, one] of channels) if (ids.includes(one.id)) channels.delete(topic); lookAgain(); });
client.on("advertiseServices", (all) => { for (const one of all) services.set(one.name, one); lookAgain(); });
client.on("time", (message) => { time = message.timestamp, counts.time = (counts.time ?? 0) + 1, lookAgain(); });
client.on("parameterValues", (message) => { newest.set("parameters", message), lookAgain(); });
client.on("connectionGraphUpdate", (message) => { newest.set("graph", message), lookAgain(); });
client.on("serviceCallResponse", (message) => {
  newest.set(`call ${message.callId}`, JSON.parse(Buffer.from(message.data))), lookAgain();
});
client.on("serviceCallFailure", (message) => { newest.set(`call ${message.callId}`, { failure: message.message }), lookAgain(); });
client.on("message", ({ subscriptionId, timestamp, data }) => {
  const topic = topics.get(subscriptionId);
  const message = decoders.get(topic)(data);
  if (topic === "/scene") message.entities = [...(newest.get(topic)?.message.entities ?? []), ...message.entities];
  newest.set(topic, { timestamp, message }), counts[topic] = (counts[topic] ?? 0) + 1, lookAgain();
});
function subscribe(topic) {
  decoders.set(topic, decoderOf(channels.get(topic)));
  topics.set(client.subscribe(channels.get(topic).id), topic);
}
let calls = 0;
async function call(name, request) {
  const id = ++calls, data = new TextEncoder().encode(JSON.stringify(request));
  client.sendServiceCallRequest({ serviceId: services.get(name).id, callId: id, encoding: "json", data: new DataView(data.buffer) });
  return until(name, () => newest.get(`call ${id}`));
}
const place = (name) => newest.get(`/${name}/pose`).message.pose.position;
const far = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
const value = (name) => newest.get("parameters")?.parameters.find((one) => one.name === name)?.value;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// What there is, and that it moves.
await until("the channels", () => channels.has(`/${robot}/pose`) && found.info && services.size > 0);
found.schemas = Object.fromEntries([...channels].map(([topic, one]) => [topic, one.schemaName]));
found.services = [...services.keys()];
for (const topic of ["/scene", "/tf", "/map", "/log", `/${robot}/pose`, `/${still}/pose`, `/${robot}/${sensor}`]) subscribe(topic);
found.scene = (await until("/scene", () => newest.get("/scene"))).message.entities.map((one) => one.id);
found.map = (await until("/map", () => newest.get("/map"))).message.column_count;
const tf = await until("/tf", () => newest.get("/tf")?.message.transforms.some((one) => one.child_frame_id.endsWith("scan_link")) && newest.get("/tf"));
found.frames = tf.message.transforms.map((one) => one.child_frame_id);
const at = (await until("a pose", () => newest.get(`/${robot}/pose`))).message.pose.position;
await until("another pose", () => far(place(robot), at) > 0.01);
const begun = time;
await until("the time", () => time > begun + 500_000_000n);
const seen = (await until("a sensor", () => newest.get(`/${robot}/${sensor}`))).message;
found.sensor = { frame: seen.frame_id, ranges: seen.ranges.length };
await until("newer ones", () => counts[`/${robot}/${sensor}`] > 2);

// Services.
client.subscribeParameterUpdates([]);
found.spawn = await call("/convoy/spawn", { name: "late", model: "box", x: 3, y: 1, yaw: 0.5 });
await until("its log", () => newest.get("/log")?.message.message === "late appeared");
await until("its figure", () => newest.get("/scene").message.entities.some((one) => one.id.startsWith("late/")));
found.twice = await call("/convoy/spawn", { name: "late", model: "box" });
found.nothing = await call("/convoy/spawn", { model: 3 });
found.pause = await call("/convoy/pause", {});
await until("paused", () => value("/convoy/paused") === true);
found.step = await call("/convoy/step", { ticks: 10 });
found.resume = await call("/convoy/resume", {});
await until("not paused", () => value("/convoy/paused") === false);
found.delete = await call("/convoy/delete", { names: ["late"] });
await until("it is gone", () => newest.get("/log")?.message.message === "late is gone");

// Parameters.
client.setParameters([{ name: "/convoy/speed", value: 2 }], "set");
await until("the speed", () => newest.get("parameters")?.id === "set" && value("/convoy/speed") === 2);
client.setParameters([{ name: "/convoy/speed", value: 1 }], "back");
await until("the speed before", () => newest.get("parameters")?.id === "back" && value("/convoy/speed") === 1);
client.getParameters([], "all");
await until("all parameters", () => newest.get("parameters")?.id === "all");
found.parameters = newest.get("parameters").parameters.map((one) => one.name);

// A robot to drive.
const from = (await until("its pose", () => newest.get(`/${still}/pose`))).message.pose.position;
const drive = client.advertise({ topic: `/${still}/cmd_vel`, encoding: "json", schemaName: "geometry_msgs/Twist" });
const twist = JSON.stringify({ linear: { x: 0.2, y: 0, z: 0 }, angular: { x: 0, y: 0, z: 0 } });
for (let i = 0; i < 100 && far(place(still), from) < 0.1; ++i) client.sendMessage(drive, new TextEncoder().encode(twist)), await sleep(100);
found.driven = far(place(still), from);
client.unadvertise(drive);

// Who publishes what; and an end of it.
client.subscribeConnectionGraph();
found.graph = (await until("the graph", () => newest.get("graph"))).subscribedTopics.map((one) => one.name);
for (const id of topics.keys()) client.unsubscribe(id);
await sleep(300);
const before = counts["/tf"];
await sleep(500);
found.after = counts["/tf"] - before;
found.counts = counts;
console.log(JSON.stringify(found, (_, one) => (typeof one === "bigint" ? Number(one) : one)));
process.exit(0);
