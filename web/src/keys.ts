// Keys of the page, where nobody is writing.
import type { Dock } from "./dock.ts";
import type { EntityList } from "./entity_list.ts";
import type { App } from "./app.ts";
import type { Teleop } from "./teleop.ts";
import type { Timeline } from "./timeline.ts";
import type { Toolbar } from "./toolbar.ts";
import { kTools, type Tools } from "./tools.ts";
import { kModes } from "./views.ts";

const kAway = 5; // s of a recording

interface Parts { app: App; tools: Tools; teleop: Teleop; toolbar: Toolbar; timeline: Timeline; list: EntityList; dock: Dock; help: () => void; theme: () => void }

export function listen_to_keys(parts: Parts): void {
  const { app, tools, teleop, toolbar } = parts;
  const tool_keys: Record<string, (typeof kTools)[number]> = { v: "select", m: "move", p: "push", t: "attach", n: "spawn" };

  const pressed = (event: KeyboardEvent): boolean => {
    const key = event.key.toLowerCase();
    if (teleop.key(event.code, true, app.views.mode !== "fly")) return true;
    if (app.views.mode === "fly") app.views.key(event.code, true);
    if (app.views.mode === "fly" && ["KeyW", "KeyA", "KeyS", "KeyD", "KeyQ", "KeyE"].includes(event.code)) return true;
    if (event.repeat) return false;
    const tool = tool_keys[key], mode = kModes[Number(key) - 1];
    if (tool) tools.choose(tool);
    else if (mode) app.views.set(mode);
    else if (key === " " && !(event.target instanceof HTMLButtonElement)) void toolbar.pause();
    else if (key === "[") parts.timeline.by(-kAway);
    else if (key === "]") parts.timeline.by(kAway);
    else if (key === ".") void toolbar.step();
    else if (key === "f") app.views.frame(!event.shiftKey);
    else if (key === "r") void teleop.toggle();
    else if (key === "l") parts.theme();
    else if (key === "o") document.querySelector<HTMLElement>("[data-testid=toolbar-overlays]")?.click();
    else if (key === "?") parts.help();
    else if (key === "delete") void tools.delete_selected();
    else if (key === "escape" && tools.tool !== "select") tools.choose("select");
    else if (key === "escape") app.selection.set(null);
    else if (key === "/") parts.list.focus_filter();
    else return false;
    return true;
  };

  addEventListener("keydown", (event) => {
    const at = event.target as HTMLElement, writes = at instanceof HTMLTextAreaElement || (at instanceof HTMLInputElement && !["checkbox", "range"].includes(at.type));
    if (event.key === "Escape" && writes) at.blur();
    if (writes || at instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (at instanceof HTMLInputElement && event.key.startsWith("Arrow")) return;
    if (pressed(event)) event.preventDefault();
  });
  addEventListener("keyup", (event) => {
    teleop.key(event.code, false, true);
    app.views.key(event.code, false);
  });
}
