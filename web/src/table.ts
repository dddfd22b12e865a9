// A table whose rows are written anew.
import { el } from "./dom.ts";

const kRows = 500; // at most

export type Cell = string | HTMLElement;
export interface Table { root: HTMLTableElement; fill: (rows: Cell[][]) => void }

export function table(testid: string, heads: string[]): Table {
  const body = el("tbody"), root = el("table", { testid }, el("thead", {}, el("tr", {}, ...heads.map((text) => el("th", { text })))), body);
  const fill = (rows: Cell[][]): void => {
    body.replaceChildren(...rows.slice(0, kRows).map((cells) => el("tr", {}, ...cells.map((cell) => (typeof cell === "string" ? el("td", { text: cell }) : el("td", {}, cell))))));
  };
  return { root, fill };
}
