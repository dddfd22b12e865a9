// Words over places of the world.
import { Vector3 } from "three";
import type { Stage } from "./stage.ts";

const kPoint = new Vector3();

// Puts a label above a place, or hides it where that is not seen.
export function put_label(label: HTMLElement, at: Vector3, { camera, canvas }: Stage): void {
  const p = kPoint.copy(at).project(camera);
  label.hidden = p.z > 1 || Math.abs(p.x) > 1.1 || Math.abs(p.y) > 1.1;
  if (!label.hidden) label.style.transform = `translate(${(((p.x + 1) / 2) * canvas.clientWidth).toFixed(1)}px, ${(((1 - p.y) / 2) * canvas.clientHeight).toFixed(1)}px) translate(-50%, -100%)`;
}
