// Other people's client of the Foxglove WebSocket protocol (@foxglove/ws-protocol) at a run of ours: what it gets from it,
// and what it can do there. Messages are decoded by the schemas that came with their channels.
//
//   node live.mjs LINK ROBOT SENSOR     prints one JSON object of what it found
import { FoxgloveClient } from "@foxglove/ws-protocol";
import protobuf from "protobufjs";
import descriptor from "protobufjs/ext/descriptor/index.js";
import WebSocket from "ws";

const [link, robot, sensor] = process.argv.slice(2);
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
const place = () => newest.get(`/${robot}/pose`).message.pose.position;
const far = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);

await until("the channels", () => channels.has(`/${robot}/pose`) && found.info);
found.topics = [...channels.keys()];
found.schemas = Object.fromEntries([...channels].map(([topic, one]) => [topic, one.schemaName]));
for (const topic of ["/scene", "/tf", "/log", `/${robot}/pose`]) subscribe(topic);
if (channels.has("/map")) subscribe("/map");
const tf = await until("/tf", () => newest.get("/tf"));
found.frames = tf.message.transforms.map((one) => one.childFrameId);
const at = (await until("a pose", () => newest.get(`/${robot}/pose`))).message.pose.position;
await until("another pose", () => far(place(), at) > 0.01);
const begun = time;
await until("the time", () => time > begun);
console.error("moves");
found.counts = counts;
console.log(JSON.stringify(found, (_, value) => (typeof value === "bigint" ? Number(value) : value)));
process.exit(0);
