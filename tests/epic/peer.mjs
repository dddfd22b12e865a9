// The common library alone, in Node: a third party's streamer and player, which check each message that they get.
//   node peer.mjs ws://HOST:PORT STREAMER_TOKEN PLAYER_TOKEN
import { Messages, MessageHelpers } from "@epicgames-ps/lib-pixelstreamingcommon-ue5.7";

const [, , root, streamers, players] = process.argv;
const wrong = [], got = { streamer: [], player: [] };

function come(who, path, say) {
  return new Promise((done, failed) => {
    const socket = new WebSocket(root + path);
    socket.onerror = () => failed(new Error(`${who}: no connection`));
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      got[who].push(message.type);
      // subscribeFailed is in no list of Epic's own.
      if (!MessageHelpers.validateMessage(message) && message.type !== "subscribeFailed") wrong.push(message);
      say(socket, message);
      done(socket);
    };
  });
}
const send = (socket, message) => socket.send(JSON.stringify(message));
const create = (type, fields) => MessageHelpers.createMessage(type, fields);

let finish;
const over = new Promise((done) => { finish = done; });
await come("streamer", `/streamer?token=${streamers}`, (socket, message) => {
  if (message.type === "identify") send(socket, create(Messages.endpointId, { id: "third", protocolVersion: "1.3.0" }));
  if (message.type === "playerConnected") send(socket, create(Messages.offer, { sdp: "v=0", playerId: message.playerId }));
  if (message.type === "answer") send(socket, create(Messages.disconnectPlayer, { playerId: message.playerId, reason: "enough" }));
});
const player = await come("player", `/player?token=${players}`, (socket, message) => {
  if (message.type === "config") send(socket, create(Messages.listStreamers, {}));
  if (message.type === "streamerList") send(socket, create(Messages.subscribe, { streamerId: message.ids.includes("third") ? "nobody" : "third" }));
  if (message.type === "subscribeFailed") send(socket, create(Messages.subscribe, { streamerId: "third" }));
  if (message.type === "offer") send(socket, create(Messages.answer, { sdp: "v=1" }));
});
player.onclose = (event) => { got.reason = event.reason, finish(); };
setTimeout(finish, 10_000);
await over;
console.log(JSON.stringify({ ...got, wrong }));
process.exit(0);
