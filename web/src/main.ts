// The page: its parts are made here and handed to each other.
import { Facts, type App } from "./app.ts";
import { Connection } from "./connection.ts";
import { Help } from "./dialogs.ts";
import { Dock } from "./dock.ts";
import { el, say } from "./dom.ts";
import { EntityList } from "./entity_list.ts";
import { Events } from "./events.ts";
import { Fleet } from "./fleet.ts";
import { Gaze } from "./gaze.ts";
import { Highlight } from "./highlight.ts";
import { HostsPanel } from "./hosts_panel.ts";
import { Inspector } from "./inspector.ts";
import { listen_to_keys } from "./keys.ts";
import { NodesPanel } from "./nodes_panel.ts";
import { Overlays } from "./overlays.ts";
import { Picking } from "./picking.ts";
import { Plots } from "./plots.ts";
import type { ServerMessage } from "./protocol.ts";
import { Rail } from "./rail.ts";
import { Scenery } from "./scenery.ts";
import { Selection } from "./selection.ts";
import { light_plainly } from "./shape.ts";
import { quality_of_machine, Stage, type Quality } from "./stage.ts";
import { Teleop } from "./teleop.ts";
import { Theme } from "./theme.ts";
import { Timeline } from "./timeline.ts";
import { Toasts } from "./toasts.ts";
import { Toolbar } from "./toolbar.ts";
import { Tools } from "./tools.ts";
import { VideoView } from "./video_view.ts";
import { Views } from "./views.ts";
import { WeatherPanel } from "./weather.ts";
import { World } from "./world.ts";
import "./style.css";
import "./video.css";

const kRate = 30; // frames a second that are asked for
const kShadows = 300; // entities, above which there are none
const kPlainBudget = 100_000; // triangles to begin with, without a graphics card
const kTexts = 0.1; // s between new numbers in the panels

const page = document.getElementById("app")!;
addEventListener("error", (event) => {
  if (!page.hasChildNodes()) page.append(el("div", { class: "refusal", role: "alert" }, el("p", { text: event.message })));
});
// Where nothing can be drawn, the page of the live video is the one to see, if there is one.
function quality_or_video(): Quality {
  try {
    return quality_of_machine();
  } catch (error) {
    connection.on_message = (message) => { if (message.welcome?.video) location.assign(message.welcome.video); };
    void connection.start();
    throw error;
  }
}
const canvas = el("canvas", { testid: "view", label: "The world in 3D", role: "application", tabindex: 0 });
const world = new World(), connection = new Connection(), selection = new Selection(world), toasts = new Toasts(), facts = new Facts();
const quality = quality_or_video(), stage = new Stage(canvas, quality), fleet = new Fleet(world, () => connection.session, quality.plain), scenery = new Scenery(() => connection.session, quality.plain), beside = new Scenery(() => connection.session, quality.plain); // of a second recording
const views = new Views(stage.camera, canvas, world, selection, () => stage.free_view());
const app: App = { world, connection, stage, fleet, views, selection, toasts, facts };
const overlays = new Overlays(app), picking = new Picking(canvas, stage.camera, world, fleet), tools = new Tools(app, picking, canvas);
const teleop = new Teleop(app), theme = new Theme(), help = new Help(), highlight = new Highlight(world, fleet);
const toolbar = new Toolbar(app, overlays, quality, theme, () => help.toggle()), timeline = new Timeline(app), rail = new Rail(app, tools), list = new EntityList(app);
const inspector = new Inspector(app, teleop, tools, overlays), events = new Events(), plots = new Plots(app), weather = new WeatherPanel(app);
const hosts = new HostsPanel(app, () => dock), nodes = new NodesPanel(app, () => dock);
const gaze = new Gaze(stage.camera, () => [...(selection.entity ? [selection.entity.number] : []), ...plots.numbers, ...overlays.trailed], (look) => connection.look(look));
const dock: Dock = new Dock([
  { id: "entities", title: "Entities", root: list.root }, { id: "inspector", title: "Inspector", root: inspector.root },
  { id: "hosts", title: "Hosts", root: hosts.root }, { id: "nodes", title: "Nodes", root: nodes.root }, { id: "weather", title: "Weather", root: weather.root }, { id: "events", title: "Events", root: events.root },
  { id: "plots", title: "Plots", root: plots.root, opened: () => plots.make() },
]);
const video = new VideoView(() => !teleop.on);
video.on_trouble = (text) => toasts.show(text, "error");
canvas.addEventListener("webglcontextlost", (event) => {
  event.preventDefault(); // it may come back
  video.drawing_failed("The world cannot be drawn here any more");
});
canvas.addEventListener("webglcontextrestored", () => video.drawing_works());
toolbar.add(video.toggle);
const banner = el("div", { class: "banner", role: "alert", testid: "banner" });
const refusal = el("div", { class: "refusal", role: "alert", testid: "refusal" });
banner.hidden = refusal.hidden = true;
page.append(canvas, overlays.labels, video.root, toolbar.root, rail.root, rail.words, list.root, inspector.root, hosts.root, nodes.root, weather.root, events.root, plots.root, timeline.root, dock.tabs, banner, toasts.root, refusal);
stage.scene.add(scenery.group, beside.group, fleet.group, highlight.group, overlays.group, tools.lines.object);
stage.camera.position.set(-6, -8, 6);
fleet.on_trouble = (text) => toasts.show(text, "error");
theme.on_change = (dark) => {
  stage.set_dark(dark);
  plots.make();
};
theme.apply();
if (quality.plain) {
  light_plainly();
  fleet.budget = kPlainBudget;
}
listen_to_keys({ app, tools, teleop, toolbar, timeline, list, dock, help: () => help.toggle(), theme: () => theme.toggle() });
let framed = false; // the camera was put where all is seen

function show_banner(text: string): void {
  banner.hidden = text === "";
  say(banner, text);
}

function take(message: ServerMessage): void {
  if (message.welcome) {
    facts.welcome = message.welcome;
    facts.lost = ""; // again, if it was
    video.offer(message.welcome.video ?? "");
    show_banner("");
    document.title = `${message.welcome.name || "run"} - Convoy`;
  }
  if (message.scene) {
    world.take_scene(message.scene);
    beside.group.position.x = message.scene.beside?.shift ?? 0;
    for (const [shown, glb] of [[scenery, message.scene.glb], [beside, message.scene.beside?.glb ?? null]] as const)
      shown.show(glb).catch((error: Error) => toasts.show(`The scenery cannot be shown: ${error.message}`, "error"));
  }
  if (message.entities) {
    world.take_entities(message.entities);
    selection.check();
  }
  if (message.status) facts.status = message.status;
  if (message.event) events.add(message.event);
  if (message.lost) {
    facts.lost = message.lost.text || "the simulation is gone";
    teleop.lost();
    show_banner(`${facts.lost}, trying again`);
  }
}

connection.on_message = take;
connection.on_frame = (bytes) => {
  const now = performance.now() / 1000, before = world.frames;
  world.take_frame(bytes, now);
  if (world.frames === before) return;
  inspector.frame_came(now);
  plots.sample();
};
connection.on_state = (state, text) => {
  facts.linked = state === "open", facts.lost = "";
  if (state !== "open") teleop.lost();
  if (state === "open") {
    world.connected();
    gaze.forget();
    connection.rate(kRate);
  }
  show_banner(state === "gone" ? text : "");
  refusal.hidden = state !== "refused";
  if (state === "refused") refusal.replaceChildren(el("h1", { text: "This page may not look at the simulation" }), el("p", { text }), el("p", { text: "Open the address that the server printed when it started; its last part is the key." }));
};

function cover(): void {
  const open = document.querySelector<HTMLElement>(".panel.open"), phone = matchMedia("(max-width: 820px)").matches;
  const selecting = document.body.classList.contains("selecting");
  stage.cover({
    left: phone ? 0 : list.root.offsetLeft + list.root.offsetWidth, right: phone || !selecting ? 0 : inspector.root.offsetWidth,
    above: toolbar.root.offsetHeight, below: open?.offsetHeight ?? 0,
  });
}
dock.on_change = cover;
selection.on_change(cover);
new ResizeObserver(cover).observe(canvas);

let pictures = 0, last = performance.now() / 1000, frame_s = 1 / 60, texts_at = 0, adapted_at = last;
function draw(ms: number): void {
  requestAnimationFrame(draw);
  pictures++;
  const now = ms / 1000, passed = Math.max(1e-3, now - last), dt = Math.min(0.1, passed);
  last = now;
  frame_s += 0.05 * (passed - frame_s);
  world.update(now, dt);
  if (!framed && world.any_moved) framed = true, views.frame(true, true);
  views.update(dt);
  fleet.update(stage.camera, now);
  highlight.update(selection.entity);
  tools.draw();
  stage.camera.updateMatrixWorld();
  gaze.update(now);
  overlays.update(now);
  fleet.shadows = quality.shadows && world.entities.length <= kShadows;
  stage.set_shadows(fleet.shadows);
  if (!video.shown) stage.render(views.target, world.any_moved, now);
  if (world.newest >= 0) connection.ack(world.newest);
  if (now - adapted_at > 1) {
    adapted_at = now;
    if (!stage.adapt(1 / frame_s)) fleet.adapt(1 / frame_s);
  }
  if (now - texts_at < kTexts) return;
  texts_at = now;
  toolbar.update(), timeline.update(), rail.update(), list.update(), inspector.update(now), weather.update(), nodes.update();
  stage.set_weather(weather.weather);
}
requestAnimationFrame(draw);
void connection.start();

const convoy = {
  world, camera: stage.camera,
  select: (name: string): boolean => {
    const entity = world.by_name.get(name) ?? null;
    selection.set(entity);
    return entity !== null;
  },
  screenOf: (name: string, link?: string): { x: number; y: number } | null => {
    const entity = world.by_name.get(name);
    return entity ? picking.screen_of(entity, link) : null;
  },
  lookFrom: (eye: [number, number, number], at: [number, number, number]): void => {
    views.set("orbit");
    stage.camera.position.set(...eye), views.target.set(...at);
  },
  video: () => video.player,
  // How often it was heard of.
  heard: (name: string): number => world.times_heard(name),
  stats: () => ({ fps: 1 / frame_s, pictures, bytes: connection.bytes, frames: world.frames, frame: world.newest, entities: world.entities.length, drawn: fleet.drawn, triangles: stage.renderer.info.render.triangles, points: fleet.points, lines: stage.renderer.info.render.lines, shadows: fleet.shadows, refused: world.refused }),
};
declare global { interface Window { convoy: typeof convoy } }
window.convoy = convoy;
