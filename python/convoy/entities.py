"""Calls about entities of the whole run, wherever they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .changes import Changes
from .endpoint import Endpoint
from .errors import ConvoyError
from .parts import arrays, plain
from .robot import Robot


class Entities:
    """What a connection asks of the world. Poses are in the world's frame, or in that of the entity `frame`; m, rad,
    quaternions w first. What an entity's model may be: `models()`."""

    robots: dict[str, Robot]
    hello: dict[str, Any]
    _endpoints: list[Endpoint]
    _leased: list[list[str]]

    def _client(self, host: str) -> int:
        """The client of that name; the first if there is none, or no name."""
        names = [other["host"] for other in self.hello.get("endpoints", [])]
        return names.index(host) if host in names else 0

    def _ask_first(self, op: str, **fields: Any) -> dict[str, Any]:
        return self._endpoints[0].request(op, **fields)

    def spawn(
        self,
        name: str,
        model: str,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        yaw: float = 0.0,
        *,
        host: str = "",
        **more: Any,
    ) -> int:
        """Adds an entity to the world; its number. It is run by the client `host`, by default by the one that is asked.

        more: orientation (instead of yaw), frame, namespace, base_frame, tags, keyframe, domain, control_source, sensors
        ("default" or "none"). Errors: `exists`, `unknown_entity` (its model or frame), `bad_value`. A robot of a client
        that this side is connected to is in `robots` from then on.
        """
        one = {"name": name, "model": model, "position": position, **more}
        if "orientation" not in more:
            one["yaw"] = float(yaw)
        (told,) = self.spawn_all([one], host=host)
        if "code" in told:
            raise ConvoyError(told["code"], told["message"])
        return int(told["number"])

    def spawn_all(self, entities: Iterable[Mapping[str, Any]], *, host: str = "") -> list[dict[str, Any]]:
        """Adds as many as can be; of each its name and number, or code and message, and `doubt` where it stands badly."""
        client = self._client(host)
        wanted = [{**plain(one), **({"host": host} if host else {})} for one in entities]
        told: list[dict[str, Any]] = self._endpoints[client].request("spawn", entities=wanted)["entities"]
        for one in told:
            if "articulation" in one:
                run_by = self.hello["endpoints"][client]["host"]
                self.robots[one["name"]] = Robot.read(run_by, client, one["articulation"])
        return told

    def delete(self, *names: str) -> int:
        """Removes entities; the tick."""
        tick = int(self._ask_first("delete", entities=list(names))["tick"])
        for name in names:
            self.robots.pop(name, None)
        for leased in self._leased:
            leased[:] = [name for name in leased if name not in names]
        return tick

    def attach(self, parent: str, child: str) -> int:
        """From now on the child rides on the parent, where it stands relative to it. The tick."""
        return int(self._ask_first("attach", parent=parent, child=child)["tick"])

    def detach(self, child: str) -> int:
        """The child goes its own way again. The tick."""
        return int(self._ask_first("detach", child=child)["tick"])

    def set_tags(self, name: str, *tags: str) -> int:
        """An entity has these tags instead of those that it had. The tick."""
        return int(self._ask_first("set_tags", entity=name, tags=list(tags))["tick"])

    def set_entity(self, name: str, **fields: Any) -> int:
        """Puts any entity somewhere: position, yaw or orientation, velocity [3], turn_rate [3], frame. The tick."""
        return int(self._ask_first("set_entity", entity=name, **fields)["tick"])

    def entity(self, name: str, frame: str = "") -> dict[str, Any]:
        """Where an entity is and what: position, orientation, velocity, turn_rate, tick, and details (number, model,
        category, tags, namespace, frame, owner, parent, children, frozen, holder, engine, mass, bounds, radius, joints)."""
        told = self._ask_first("get_entity", entity=name, **({"frame": frame} if frame else {}))
        told.pop("op", None)
        found: dict[str, Any] = arrays(told)
        return found

    def entities(self, **filters: Any) -> list[Any]:
        """Names of those for which all holds: prefix, name (a regular expression), tags (all of them), model, category
        ("robot", "object", ...), region (x_min, y_min, x_max, y_max). With `details=True` maps that say what each is, of 5,000 at most."""
        found: list[Any] = self._ask_first("list_entities", **filters)["entities"]
        return found

    def world(self) -> dict[str, Any]:
        """What runs here: name, seed, tick (s), now (s), run, mode, map (width, height, resolution, origin, walls, solid: runs of
        cells as row, first, count), environment, models (name, category, mass, bounds, radius, height, engine), entities (how many it
        begins with), places where they begin (name, model, position, orientation, host), cut (it is not all)."""
        told: dict[str, Any] = self._ask_first("get_world")
        told.pop("op", None)
        return told

    def elements(self) -> list[dict[str, Any]]:
        """What outside programs have put into the world, where it has a place or is for somebody in it: owner, id, type, stamp
        (s), position and orientation (None: no place), parent, radius, to, region, entity (its body, or None)."""
        found: list[dict[str, Any]] = self._ask_first("list_elements")["elements"]
        return found

    def draw(self, name: str, points: Sequence[Sequence[float]], kind: str = "lines", **look: Any) -> int:
        """Draws for those who look at the run (its page), in place of an older drawing of that name; the world stays as it
        is. `kind`: lines or arrows (a pair of points each), strip (one line through all), points, text (at the first point).
        `points`: [x, y] or [x, y, z], m. `look`: frame (an entity, with which it moves), text, color ("#rrggbb" or
        "#rrggbbaa"), size (m), lasts (simulated s). The tick."""
        wanted = {"name": name, "points": plain(points), "kind": kind, **look}
        return int(self._ask_first("draw", drawings=[wanted])["tick"])

    def erase(self, *names: str) -> int:
        """Takes these drawings away, or all if none is named. The tick."""
        fields: dict[str, Any] = {"drawings": list(names)} if names else {"all": True}
        return int(self._ask_first("erase", **fields)["tick"])

    def drawings(self) -> list[dict[str, Any]]:
        """What is drawn: name, frame, kind, points, text, color, size, until (simulated s, or None)."""
        found: list[dict[str, Any]] = self._ask_first("list_drawings")["drawings"]
        return found

    def changes(self, weather: bool = False, **filters: Any) -> Changes:
        """What becomes of entities, those of `filters` (as of `entities()`) or all, of 5,000 at most, from one
        `poll()` of it to the next; with `weather` of that, too. The C++ client's `watch()` sees each boundary."""

        def look() -> tuple[int, list[dict[str, Any]]]:
            told = self._ask_first("list_entities", details=True, **filters)
            return int(told["tick"]), told["entities"]

        return Changes(look, (lambda: dict(self.world()["environment"])) if weather else None)

    def models(self) -> list[str]:
        """Models that can be spawned."""
        found: list[str] = self._ask_first("list_models")["models"]
        return found

    def set_environment(self, **fields: Any) -> int:
        """fog, rain, wetness, cloudiness, road_damage (0 to 1), time_of_day (h), gravity [3] (m/s2), wind [3] (m/s); what is
        not named stays. The tick."""
        return int(self._ask_first("set_environment", **fields)["tick"])
