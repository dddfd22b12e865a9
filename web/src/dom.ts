// Elements of the page, made in one call. Text goes in as text: what strangers wrote is never markup.

type Child = Node | string | null | undefined;
interface Attributes {
  class?: string; text?: string; title?: string; label?: string; testid?: string; role?: string; id?: string; type?: string;
  value?: string; placeholder?: string; href?: string; on?: Record<string, (event: Event) => void>;
  data?: Record<string, string>; aria?: Record<string, string>; tabindex?: number;
}

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const out = document.createElement(tag);
  const { text, label, testid, on, data, aria, ...plain } = attributes;
  for (const [name, value] of Object.entries(plain)) if (value !== undefined) out.setAttribute(name, String(value));
  if (label !== undefined) out.setAttribute("aria-label", label);
  if (testid !== undefined) out.dataset.testid = testid;
  for (const [name, value] of Object.entries(data ?? {})) out.dataset[name] = value;
  for (const [name, value] of Object.entries(aria ?? {})) out.setAttribute(`aria-${name}`, value);
  for (const [name, handler] of Object.entries(on ?? {})) out.addEventListener(name, handler);
  if (text !== undefined) out.textContent = text;
  for (const child of children) if (child !== null && child !== undefined) out.append(child);
  return out;
}

// Sets a text only where it changes.
export function say(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

const kIcons: Record<string, string> = {
  play: "M7 5l12 7-12 7z", pause: "M7 5h4v14H7zM13 5h4v14h-4z", step: "M5 5l9 7-9 7zM16 5h3v14h-3z",
  reset: "M12 5a7 7 0 1 1-6.6 9.4M4 4v5h5", select: "M6 3l12 10-6 1 4 6-2.5 1.5L10 15l-4 4z",
  move: "M12 2v20M2 12h20M12 2l-3 3m3-3l3 3M12 22l-3-3m3 3l3-3M2 12l3-3m-3 3l3 3M22 12l-3-3m3 3l-3 3",
  push: "M3 12h13M11 6l6 6-6 6M21 5v14", attach: "M9 15l6-6M11 6l2-2a4 4 0 0 1 6 6l-2 2M13 18l-2 2a4 4 0 0 1-6-6l2-2",
  spawn: "M12 4v16M4 12h16", delete: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13", orbit: "M12 12m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0M2 12c0-3 20-3 20 0s-20 3-20 0",
  fly: "M2 13l20-9-7 17-4-7z", follow: "M12 4a4 4 0 1 0 0 8a4 4 0 1 0 0-8M4 20c1-5 15-5 16 0", top: "M4 4h16v16H4zM12 4v16M4 12h16",
  frame: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5", drive: "M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18M12 10v-7M10 13l-6 4M14 13l6 4",
  help: "M9 9a3 3 0 1 1 4 3c-1 .5-1 1-1 2M12 17.5v.5", theme: "M12 4v2M12 18v2M4 12h2M18 12h2M8 12a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
  video: "M3 6h12v12H3zM15 10l6-4v12l-6-4", layers: "M12 3l9 5-9 5-9-5zM3 13l9 5 9-5",
  behind: "M7 13h10v6H7zM9 13V9h6v4M12 6V2M9.5 4.5L12 2l2.5 2.5", up: "M5 15l7-7 7 7", down: "M5 9l7 7 7-7", left: "M15 5l-7 7 7 7", right: "M9 5l7 7-7 7",
  close: "M6 6l12 12M18 6L6 18", panel: "M4 5h16v14H4zM4 14h16",
};
const kFilled = new Set(["play", "pause", "step"]);

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", kFilled.has(name) ? "icon filled" : "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", kIcons[name] ?? "");
  svg.append(path);
  return svg;
}

export interface ButtonWords { icon?: string; text?: string; label: string; testid: string; key?: string; class?: string }

export function button(words: ButtonWords, act: () => void): HTMLButtonElement {
  const title = words.key ? `${words.label} (${words.key})` : words.label;
  const out = el("button", { type: "button", label: words.label, title, testid: words.testid, class: words.class ?? "" });
  out.dataset.title = title;
  if (words.icon) out.append(icon(words.icon));
  if (words.text) out.append(el("span", { text: words.text }));
  out.addEventListener("click", (event) => {
    if (event.detail > 0) out.blur(); // a pointer pressed it: the space bar is the view's again
    act();
  });
  return out;
}

// Why it may not be pressed now, or nothing.
export function allow(control: HTMLButtonElement | HTMLInputElement | HTMLSelectElement, why_not: string): void {
  const disabled = why_not !== "";
  if (control.disabled !== disabled) control.disabled = disabled;
  control.title = why_not || (control.dataset.title ?? "");
}
