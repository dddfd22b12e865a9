// Tells the server where the page looks and what it must know all the time: of ten thousand robots it sends what is seen
// first, and the rest by turns.
import { Vector3, type PerspectiveCamera } from "three";
import type { Look } from "./protocol.ts";

const kBetween = 0.2; // s, at least
const kMargin = 0.2; // rad more than is seen
const kMostAlways = 64;

export class Gaze {
  private told = "";
  private told_at = -Infinity;
  private ahead = new Vector3();

  // `always`: numbers of entities, the most important first.
  constructor(private camera: PerspectiveCamera, private always: () => number[], private tell: (look: Look) => void) {}

  // Another connection knows nothing of it.
  forget(): void {
    this.told = "";
    this.told_at = -Infinity;
  }

  update(now: number): void {
    if (now - this.told_at < kBetween) return;
    const look = this.look(), text = JSON.stringify(look);
    if (text === this.told) return;
    this.told = text, this.told_at = now;
    this.tell(look);
  }

  private look(): Look {
    const { camera } = this, p = camera.position, ahead = camera.getWorldDirection(this.ahead), up = Math.tan((camera.fov * Math.PI) / 360);
    const rounded = (v: Vector3, digits: number): number[] => [v.x, v.y, v.z].map((x) => Number(x.toFixed(digits)));
    const angle = Math.min(Math.PI, Math.atan(up * Math.hypot(1, camera.aspect)) + kMargin);
    return { eye: rounded(p, 1), ahead: rounded(ahead, 2), angle: Number(angle.toFixed(2)), always: [...new Set(this.always())].slice(0, kMostAlways) };
  }
}
