// The page: its parts are made here and handed to each other.
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Connection } from "./connection.ts";
import { el } from "./dom.ts";
import { Fleet } from "./fleet.ts";
import { Stage } from "./stage.ts";
import { World } from "./world.ts";
import "./style.css";

const app = document.getElementById("app")!;
const canvas = el("canvas", { testid: "view", label: "The world in 3D", tabindex: 0 });
const note = el("p", { testid: "connection", role: "status", class: "note" });
app.append(canvas, note);
const world = new World(), connection = new Connection(), stage = new Stage(canvas);
const fleet = new Fleet(world, () => connection.session);
stage.scene.add(fleet.group);
stage.camera.position.set(-6, -8, 6);
const controls = new OrbitControls(stage.camera, canvas);
connection.on_state = (state, text) => { note.textContent = text || state; };
connection.on_message = (message) => {
  if (message.scene) world.take_scene(message.scene);
  if (message.entities) world.take_entities(message.entities);
};
connection.on_frame = (bytes) => world.take_frame(bytes, performance.now() / 1000);
const resize = (): void => stage.resize(canvas.clientWidth, canvas.clientHeight);
new ResizeObserver(resize).observe(canvas);
let last = performance.now() / 1000;
const draw = (ms: number): void => {
  requestAnimationFrame(draw);
  const now = ms / 1000, dt = Math.min(0.1, Math.max(0, now - last));
  last = now;
  world.update(now, dt);
  controls.update();
  fleet.update(stage.camera, now);
  stage.set_shadows(world.entities.length <= 300);
  stage.render(controls.target);
  if (world.newest >= 0) connection.ack(world.newest);
};
requestAnimationFrame(draw);
void connection.start();
