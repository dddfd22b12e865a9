// Which entity is selected, by its number: it may go and others may come meanwhile.
import type { Entity, World } from "./world.ts";

export class Selection {
  private number = 0; // 0: none
  private listeners: (() => void)[] = [];

  constructor(private world: World) {}

  get entity(): Entity | null { return this.world.by_number.get(this.number) ?? null; }
  on_change(listener: () => void): void { this.listeners.push(listener); }

  set(entity: Entity | null): void {
    const number = entity?.number ?? 0;
    if (number === this.number) return;
    this.number = number;
    for (const listener of this.listeners) listener();
  }

  // To be called after entities went.
  check(): void { if (this.number !== 0 && !this.entity) this.set(null); }
}
