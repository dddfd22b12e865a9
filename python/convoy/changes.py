"""What happens to the entities of a run, from one look to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["appeared", "gone", "moved", "attached", "tagged", "owner", "weather"]


@dataclass(frozen=True)
class Change:
    """One thing that is different: `moved` is another place, `attached` another parent or none any more, `tagged` other tags, `owner` another
    host or nobody. `now` is the entity as `entities(details=True)` tells it, of one that is gone as it was last; of
    `weather` the environment as `world()` has it, and no name."""

    kind: Kind
    name: str
    tick: int
    now: dict[str, Any]


def _apart(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """By more than the rounding of who rides on another, m and of a unit quaternion."""
    here, there = [*a["position"], *a["orientation"]], [*b["position"], *b["orientation"]]
    return any(abs(x - y) > 1e-9 for x, y in zip(here, there, strict=True))


class Changes:
    """Looks at some entities, or all, and tells what became of them since it looked last.

        changes = world.changes(tags=["stack"])
        for change in changes.poll(): ...

    What came and went between two looks is not seen. At the first look all appear."""

    def __init__(
        self,
        look: Callable[[], tuple[int, list[dict[str, Any]]]],
        weather: Callable[[], dict[str, Any]] | None,
    ) -> None:
        self._look, self._weather = look, weather
        self._known: dict[int, dict[str, Any]] = {}
        self._was: dict[str, Any] | None = None

    def poll(self) -> list[Change]:
        """By number; who is gone first."""
        tick, entities = self._look()
        now = {int(one["number"]): one for one in entities}
        gone = [n for n in self._known if n not in now]
        found = [Change("gone", self._known[n]["name"], tick, self._known[n]) for n in sorted(gone)]
        for number, one in sorted(now.items()):
            before = self._known.get(number)
            kinds: list[Kind] = ["appeared"] if before is None else []
            if before is not None:
                if _apart(before, one):
                    kinds.append("moved")
                if before["parent"] != one["parent"]:
                    kinds.append("attached")
                if before["tags"] != one["tags"]:
                    kinds.append("tagged")
                if before["owner"] != one["owner"]:
                    kinds.append("owner")
            found += [Change(kind, one["name"], tick, one) for kind in kinds]
        self._known = now
        if self._weather:
            weather = self._weather()
            if weather != self._was:
                found.append(Change("weather", "", tick, weather))
            self._was = weather
        return found
