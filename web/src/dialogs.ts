// Questions and help in the page itself, as modal dialogs.
import { button, el } from "./dom.ts";

export function confirm_dialog(title: string, text: string, yes: string, testid: string): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (answer: boolean): void => {
      dialog.close();
      dialog.remove();
      resolve(answer);
    };
    const dialog = el("dialog", { testid, label: title, on: { cancel: () => done(false) } },
      el("h2", { text: title }), el("p", { text }),
      el("div", { class: "row end" },
        button({ text: "Cancel", label: "Cancel", testid: `${testid}-no` }, () => done(false)),
        button({ text: yes, label: yes, testid: `${testid}-yes`, class: "primary" }, () => done(true))));
    document.body.append(dialog);
    dialog.showModal();
  });
}

const kKeys: [string, string][] = [
  ["Space", "pause or go on"], [".", "step"], ["[ ]", "of a recording: 5 s back, 5 s on"], ["1 2 3 4 5", "camera: orbit, fly, follow, behind, from above"], ["F", "show everything; with Shift: the selected"],
  ["V M P T N", "select, move, push, attach, spawn"], ["R", "drive the selected robot, or stop driving it"],
  ["arrows, W A S D", "drive, while driving is on"], ["W A S D Q E", "fly, in the fly camera; Shift: faster"],
  ["Delete", "delete the selected"], ["Escape", "end a tool, or select nothing"], ["/", "filter the entities"], ["O", "overlays"], ["L", "light or dark"], ["?", "this help"],
];
const kMouse: [string, string][] = [
  ["drag", "turn the view; right button or two fingers: shift it; wheel: nearer or further"], ["click", "select"],
  ["move: drag a body", "puts it elsewhere; with Shift it turns"], ["push: drag from a body", "a force that way, the longer the stronger"],
  ["spawn: press and drag", "places it, heading where you drag"],
];

export class Help {
  private dialog = el("dialog", { testid: "help-overlay", label: "Help", class: "help" });

  constructor() {
    const table = (rows: [string, string][]): HTMLElement => el("dl", {}, ...rows.flatMap(([key, what]) => [el("dt", { text: key }), el("dd", { text: what })]));
    this.dialog.append(el("div", { class: "row" }, el("h2", { text: "Keys" }),
      button({ icon: "close", label: "Close help", testid: "help-close" }, () => this.dialog.close())),
      table(kKeys), el("h2", { text: "Mouse and touch" }), table(kMouse),
      el("p", { class: "dim", text: "A gamepad drives while driving is on. Letting go, leaving the page or losing the link stops the robot." }));
    document.body.append(this.dialog);
  }

  toggle(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }
}
