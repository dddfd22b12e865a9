// Light or dark: as the system says, until the person says otherwise.
const kKept = "convoy-theme";

export class Theme {
  on_change: (dark: boolean) => void = () => {};
  private system = matchMedia("(prefers-color-scheme: dark)");
  private chosen = localStorage.getItem(kKept);

  constructor() {
    this.system.addEventListener("change", () => this.apply());
  }

  get dark(): boolean { return this.chosen ? this.chosen === "dark" : this.system.matches; }

  toggle(): void {
    this.chosen = this.dark ? "light" : "dark";
    localStorage.setItem(kKept, this.chosen);
    this.apply();
  }

  apply(): void {
    document.documentElement.dataset.theme = this.dark ? "dark" : "light";
    this.on_change(this.dark);
  }
}
