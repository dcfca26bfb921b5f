"""The course of a match of abalone: moves go in, the position comes out."""

from __future__ import annotations

from collections import Counter

from . import pb
from .moves import Cell, Push, from_message
from .words import Phase, Seat

# Row i first, as AbaloneRows has them.
_LAYOUTS = {
    pb.ABALONE_LAYOUT_STANDARD: "wwwww/wwwwww/..www../......../........./......../..bbb../bbbbbb/bbbbb",
    pb.ABALONE_LAYOUT_BELGIAN_DAISY: "ww.bb/wwwbbb/.ww.bb./......../........./......../.bb.ww./bbbwww/bb.ww",
    pb.ABALONE_LAYOUT_GERMAN_DAISY: "...../ww..bb/www.bbb/.ww..bb./........./.bb..ww./bbb.www/bb..ww/.....",
    pb.ABALONE_LAYOUT_DUTCH_DAISY: "ww.bb/wbwbwb/.ww.bb./......../........./......../.bb.ww./bwbwbw/bb.ww",
    pb.ABALONE_LAYOUT_SWISS_DAISY: "...../ww..bb/wbw.bwb/.ww..bb./........./.bb..ww./bwb.wbw/bb..ww/.....",
    pb.ABALONE_LAYOUT_THE_WALL: "..w../....../.wwwww./wwwwwwww/........./bbbbbbbb/.bbbbb./....../..b..",
    pb.ABALONE_LAYOUT_ALIEN_ATTACK: "b.b.b/.bwwb./.bwbwb./...bb.../........./...ww.../.wbwbw./.wbbw./w.w.w",
    pb.ABALONE_LAYOUT_SNAKES: "bbbbb/b...../b....../b.wwwww./.b.....w./.bbbbb.w/......w/.....w/wwwww",
    pb.ABALONE_LAYOUT_CHECKERBOARD: "...../bwbwbw/......./wbwbwbwb/........./bwbwbwbw/......./wbwbwb/.....",
    pb.ABALONE_LAYOUT_DUEL: ".w.b./wwwbbb/..w.b../b......w/bb.....ww/b......w/..w.b../wwwbbb/.w.b.",
    pb.ABALONE_LAYOUT_STAR: "b...w/.w..b./w.b.w.b/...wb.../wbwb.wbwb/...wb.../w.b.w.b/.w..b./b...w",
    pb.ABALONE_LAYOUT_CLEARING: "bwbwb/w....w/.b..w.b/bw.....w/w.......b/b.....bw/w.b..w./b....b/wbwbw",
    pb.ABALONE_LAYOUT_PAPILLONS: ".b.ww/b.wb.w/.w...bb/wb.....w/w.......b/b.....wb/ww...b./b.wb.w/bb.w.",
}


class AbaloneGame:
    """A match of abalone."""

    def __init__(self, options: pb.AbaloneOptions) -> None:
        """Sets the marbles up. Raises ValueError for a layout that this version does not know."""
        self.phase = Phase.BATTLE
        self._marbles = _start(options)
        self._ejected = dict.fromkeys(Seat, 0)
        self._plies = 0
        self._to_move = Seat.ONE
        self._stood = Counter([self._position()])

    def apply(self, seat: Seat, move: pb.Move, answer: pb.Answer) -> None:
        """Plays an accepted move. It is not judged: the arena has done that."""
        push = from_message(move)
        assert isinstance(push, Push)
        step = push.direction.step
        own = self._marbles[seat]
        if answer.abalone.pushed:
            cell = max(push.group, key=lambda cell: cell[0] * step[0] + cell[1] * step[1])
            pushed = [cell := _next(cell, step) for _ in range(answer.abalone.pushed)]
            self._marbles[seat.other] -= set(pushed)
            moved = {_next(cell, step) for cell in pushed}
            if answer.abalone.ejected:
                self._ejected[seat] += 1
                moved.discard(_next(pushed[-1], step))
            self._marbles[seat.other] |= moved
        self._marbles[seat] = (own - push.group) | {_next(cell, step) for cell in push.group}
        self._plies += 1
        self._to_move = seat.other
        self._stood[self._position()] += 1

    def view(self, seat: Seat) -> pb.View:
        """The position, the same for both seats."""
        numbers = {seat: sorted(10 * row + number for row, number in self._marbles[seat]) for seat in Seat}
        view = pb.AbaloneView(
            black=numbers[Seat.ONE],
            white=numbers[Seat.TWO],
            ejected_by_black=self._ejected[Seat.ONE],
            ejected_by_white=self._ejected[Seat.TWO],
            plies=self._plies,
            repetitions=self._stood[self._position()],
        )
        return pb.View(abalone=view)

    def _position(self) -> tuple[frozenset[Cell], frozenset[Cell], Seat]:
        return frozenset(self._marbles[Seat.ONE]), frozenset(self._marbles[Seat.TWO]), self._to_move


def _next(cell: Cell, step: Cell) -> Cell:
    return cell[0] + step[0], cell[1] + step[1]


def _start(options: pb.AbaloneOptions) -> dict[Seat, set[Cell]]:
    layout = options.layout or pb.ABALONE_LAYOUT_STANDARD
    if options.WhichOneof("start") == "rows":
        rows = list(options.rows.rows)
    elif layout in _LAYOUTS:
        rows = _LAYOUTS[layout].split("/")
    else:
        raise ValueError(f"layout {layout} is none that this version knows")
    marbles: dict[Seat, set[Cell]] = {seat: set() for seat in Seat}
    for row, text in zip(range(9, 0, -1), rows, strict=True):
        for number, marble in enumerate(text, max(1, row - 4)):
            if marble != ".":
                marbles[Seat.ONE if marble == "b" else Seat.TWO].add((row, number))
    return marbles
