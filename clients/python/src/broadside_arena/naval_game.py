"""The course of a naval match, for who sees both sides: moves and what was announced after them go in, each seat's view comes out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from . import pb
from .fleets import Fleet
from .moves import Cell, Ship
from .words import Phase, Seat, Variant

TORPEDOES = 3


@dataclass
class _Waters:
    """One seat's own waters."""

    ships: list[pb.PlacedShip] = field(default_factory=list)
    cells: list[list[int]] = field(default_factory=list)
    damage: list[set[int]] = field(default_factory=list)
    sunk: list[bool] = field(default_factory=list)
    fired_at: list[int] = field(default_factory=list)
    berth: pb.Berth | None = None

    def hit(self, number: int) -> None:
        self.fired_at.append(number)
        for cells, damage, sunk in zip(self.cells, self.damage, self.sunk, strict=True):
            if number in cells and not sunk:
                damage.add(number)

    def settle(self) -> None:
        """Ships of which every cell is hit are sunk."""
        self.sunk = [s or len(d) == len(c) for s, d, c in zip(self.sunk, self.damage, self.cells, strict=True)]

    def torpedo(self, route: pb.Route) -> None:
        """Sinks the first ship afloat on the route, seen from the letter's end."""
        rising = route.letter == route.number
        for step in range(route.letter):
            number = _number((route.letter - step, 1 + step if rising else 10 - step))
            for index, cells in enumerate(self.cells):
                if number in cells and not self.sunk[index]:
                    self.sunk[index] = True
                    return

    def ocean(self) -> pb.OceanGrid:
        own = [pb.OwnShip(ship=ship, sunk=sunk) for ship, sunk in zip(self.ships, self.sunk, strict=True)]
        return pb.OceanGrid(ships=own, fired_at=self.fired_at)


class NavalGame:
    """A match of one of the six naval variants."""

    def __init__(self, variant: Variant, fleet: Fleet) -> None:
        self.variant = variant
        self.phase = Phase.DEPLOYMENT
        self._fleet = fleet
        self._waters = {seat: _Waters() for seat in Seat}
        self._told: dict[Seat, Any] = {seat: self._first_told() for seat in Seat}
        self._huntable: dict[Seat, pb.Route | None] = dict.fromkeys(Seat)

    def apply(self, seat: Seat, move: pb.Move, answer: pb.Answer) -> None:
        """Plays an accepted move, whole, with what was announced. It is not judged: the arena has done that."""
        inner, said = getattr(move, self.variant.field), getattr(answer, self.variant.field)
        kind = inner.WhichOneof("move")
        if kind == "deployment":
            self._deploy(seat, inner.deployment)
        elif kind == "relocation":
            self._waters[seat].berth = inner.relocation.berth
        elif kind == "salvo":
            self._salvo(seat, [_number((cell.row, cell.column)) for cell in inner.salvo.cells], said)
        elif kind == "shot":
            said = said.shot if self.variant is Variant.AMIRAL_ADVANCED else said
            self._shot(seat, _number((inner.shot.cell.row, inner.shot.cell.column)), said)
        elif kind == "torpedo":
            self._torpedo(seat, inner.torpedo.route, said.torpedo)
        elif kind == "hunt":
            self._hunt(seat, inner.hunt.end, said.hunt.found)
        elif kind == "air_strike":
            self._air_strike(seat, said.air_strike)
        if self.phase == Phase.DEPLOYMENT and all(self._waters[either].ships for either in Seat):
            self.phase = Phase.BATTLE

    def view(self, seat: Seat) -> pb.View:
        """All that the seat may know, as the arena would say it; `salvo_size` as on the seat's own turn."""
        view = pb.View()
        inner: Any = getattr(view, self.variant.field)
        inner.ocean.CopyFrom(self._waters[seat].ocean())
        inner.targets.CopyFrom(self._told_now(seat))
        if self.variant.has_salvos and self.phase == Phase.BATTLE:
            afloat = self._waters[seat].sunk.count(False)
            inner.salvo_size = min(afloat, 100 - len(self._waters[seat.other].fired_at))
        if self.variant is Variant.AMIRAL_ADVANCED:
            inner.enemy_targets.CopyFrom(self._told_now(seat.other))
            if berth := self._waters[seat].berth:
                inner.berth.CopyFrom(berth)
        return view

    def _first_told(self) -> Any:
        told = getattr(getattr(pb.View(), self.variant.field), "targets")  # noqa: B009 - made anew for each seat
        told.afloat = len(self._fleet)
        if self.variant is not Variant.ADVANCED_SALVO:
            told.grid.SetInParent()
        if self.variant is Variant.AMIRAL_ADVANCED:
            told.torpedoes_left, told.submarine_in_play, told.shot_since_torpedo = TORPEDOES, True, True
        return told

    def _told_now(self, seat: Seat) -> Any:
        told = self._told[seat]
        if self.variant is Variant.AMIRAL_ADVANCED:
            told.ClearField("huntable")
            route = self._huntable[seat]
            if route is not None and self._told[seat.other].submarine_in_play:
                told.huntable.CopyFrom(route)
        return told

    def _deploy(self, seat: Seat, deployment: Any) -> None:
        waters = self._waters[seat]
        if self.variant is Variant.AMIRAL_ADVANCED:
            waters.berth = deployment.berth
            deployment = deployment.fleet
        waters.ships = list(deployment.ships)
        waters.cells = [[_number(cell) for cell in self._cells(ship)] for ship in waters.ships]
        waters.damage = [set() for _ in waters.ships]
        waters.sunk = [False for _ in waters.ships]

    def _cells(self, message: pb.PlacedShip) -> list[Cell]:
        ship = Ship.of(message)
        return ship.cells(self._fleet.lengths[ship.ship_class])

    def _fire(self, seat: Seat, numbers: Iterable[int]) -> None:
        enemy = self._waters[seat.other]
        for number in numbers:
            enemy.hit(number)
        enemy.settle()

    def _record(self, seat: Seat, number: int, answer: Any) -> None:
        told = self._told[seat]
        (told.grid.hits if answer.hit else told.grid.misses).append(number)
        if answer.hit and hasattr(answer, "ship_class") and answer.HasField("ship_class"):
            told.hit_classes.append(answer.ship_class)

    def _sink(self, seat: Seat, ship_class: int) -> None:
        told = self._told[seat]
        told.afloat -= 1
        told.sunk.add(ship_class=ship_class, hits=len(told.grid.hits))

    def _shot(self, seat: Seat, number: int, answer: Any) -> None:
        self._fire(seat, [number])
        self._record(seat, number, answer)
        told = self._told[seat]
        if self.variant is Variant.AMIRAL_ADVANCED:
            told.shot_since_torpedo = True
        if not answer.HasField("sunk"):
            pass
        elif self.variant is Variant.NAUMACHIA:
            told.afloat -= 1
            told.sunk.append(answer.sunk)
        else:
            self._sink(seat, answer.sunk)
        if self.variant is Variant.NAUMACHIA:
            self._mark(seat)

    def _mark(self, seat: Seat) -> None:
        """The water around every sunk ship that was not fired at."""
        told, fired = self._told[seat], set(self._waters[seat.other].fired_at)
        ring = {
            _number((row + i, column + j))
            for ship in told.sunk
            for row, column in self._cells(ship)
            for i in (-1, 0, 1)
            for j in (-1, 0, 1)
            if 1 <= row + i <= 10 and 1 <= column + j <= 10
        }
        told.marked[:] = sorted(ring - fired)

    def _salvo(self, seat: Seat, numbers: list[int], answer: Any) -> None:
        self._fire(seat, numbers)
        told = self._told[seat]
        if self.variant is Variant.ADVANCED_SALVO:
            told.salvos.add(cells=numbers, hits=answer.hits, afloat=answer.afloat)
            told.afloat = answer.afloat
            return
        for number, one in zip(numbers, answer.shots, strict=True):
            self._record(seat, number, one)
        for ship_class in answer.sunk:
            self._sink(seat, ship_class)

    def _torpedo(self, seat: Seat, route: pb.Route, answer: pb.TorpedoAnswer) -> None:
        told = self._told[seat]
        self._waters[seat.other].torpedo(route)
        run = told.torpedoes.add(route=route)
        if answer.HasField("sunk"):
            run.sunk = answer.sunk
            self._sink(seat, answer.sunk)
        told.torpedoes_left -= 1
        told.shot_since_torpedo = False
        if not told.torpedoes_left:
            told.submarine_in_play = False
        self._huntable[seat.other] = route

    def _hunt(self, seat: Seat, end: pb.Berth, found: bool) -> None:
        self._told[seat].hunts.add(end=end, found=found)
        self._huntable[seat] = None
        if found:
            self._told[seat.other].submarine_in_play = False

    def _air_strike(self, seat: Seat, answer: pb.AirStrikeAnswer) -> None:
        told = self._told[seat]
        self._fire(seat, sorted([*answer.misses, *answer.hits]))
        told.grid.misses.extend(answer.misses)
        told.grid.hits.extend(answer.hits)
        for ship_class in answer.sunk:
            self._sink(seat, ship_class)
        told.air_strike_spent = True


def _number(cell: Cell) -> int:
    return 10 * (cell[0] - 1) + cell[1]
