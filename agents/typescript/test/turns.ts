/** Hand-made turns. */

import { Turn } from "../src/generated/broadside/v1/agent.js";
import { AbaloneDirection } from "../src/generated/broadside/v1/abalone.js";
import { Move, Phase, Seat, Variant, View } from "../src/generated/broadside/v1/game.js";
import { type Cell, Deployment, Orientation, ShipClass } from "../src/generated/broadside/v1/naval.js";

type PartialTurn = Parameters<typeof Turn.fromPartial>[0];
type PartialMove = NonNullable<Parameters<typeof Move.fromPartial>[0]["variant"]>;

export const ONE_SHOT = ["classic", "amiral", "amiralAdvanced", "naumachia"] as const;
export const SALVO = ["salvo", "advancedSalvo"] as const;
export type OneShot = (typeof ONE_SHOT)[number];
export type AnyVariant = OneShot | (typeof SALVO)[number] | "abalone";

export const VARIANTS = [
  Variant.CLASSIC,
  Variant.SALVO,
  Variant.ADVANCED_SALVO,
  Variant.AMIRAL,
  Variant.AMIRAL_ADVANCED,
  Variant.NAUMACHIA,
  Variant.ABALONE,
];

export function move(variant: PartialMove): Move {
  return Move.fromPartial({ variant });
}

export function shot(variant: OneShot, row: number, column: number): Move {
  return move({ $case: variant, value: { move: { $case: "shot", value: { cell: { row, column } } } } });
}

export function everyCell(): Cell[] {
  return Array.from({ length: 100 }, (_, n) => ({ row: Math.floor(n / 10) + 1, column: (n % 10) + 1 }));
}

export function everyShot(variant: OneShot): Move[] {
  return everyCell().map(({ row, column }) => shot(variant, row, column));
}

export function fleet(): Deployment {
  const ship = { shipClass: ShipClass.CARRIER, cell: { row: 1, column: 1 }, orientation: Orientation.VERTICAL };
  return Deployment.fromPartial({ ships: [ship] });
}

/** A turn of the variant that lists these moves; its view is empty unless one is given. */
export function turnOf(variant: AnyVariant, moves: Move[], rest: PartialTurn = {}): Turn {
  return Turn.fromPartial({
    matchId: Number.MAX_SAFE_INTEGER,
    turnId: 7,
    seat: Seat.TWO,
    phase: Phase.BATTLE,
    view: View.fromPartial({ variant: { $case: variant, value: {} } }),
    legalMoves: { moves },
    ...rest,
  });
}

export function salvoTurn(variant: (typeof SALVO)[number], cells: Cell[], size: number): Turn {
  return turnOf(variant, [], { legalMoves: { salvo: { cells, size } } });
}

/** A turn of classic in which these cells, 1-100, were hit. */
export function classicTurn(hits: number[], classes: ShipClass[] = [], sunk: ShipClass[] = [], moves?: Move[]): Turn {
  const targets = { grid: { hits }, hitClasses: classes, sunk: sunk.map((shipClass) => ({ shipClass, hits: 2 })) };
  const view = View.fromPartial({ variant: { $case: "classic", value: { targets } } });
  return turnOf("classic", moves ?? everyShot("classic"), { view });
}

export function abaloneMoves(): Move[] {
  const group = [
    { row: 3, number: 3 },
    { row: 3, number: 4 },
  ];
  const directions = [AbaloneDirection.EAST, AbaloneDirection.NORTH_WEST, AbaloneDirection.SOUTH_EAST];
  return directions.map((direction) => move({ $case: "abalone", value: { group, direction } }));
}

/** One move of each kind that amiral-advanced has in battle. */
export function advancedMoves(): Move[] {
  const kinds = [
    { $case: "shot", value: { cell: { row: 10, column: 1 } } },
    { $case: "torpedo", value: { route: { letter: 5, number: 5 } } },
    { $case: "hunt", value: { end: { edge: { $case: "letter", value: 9 } } } },
    { $case: "airStrike", value: { cell: { row: 9, column: 9 } } },
  ] as const;
  return kinds.map((kind) => move({ $case: "amiralAdvanced", value: { move: kind } }));
}

/** One turn of each of the seven variants, each in a match of its own. */
export function aTurnOfEveryVariant(): Turn[] {
  const turns = [
    ...ONE_SHOT.map((variant) => turnOf(variant, everyShot(variant))),
    ...SALVO.map((variant) => salvoTurn(variant, everyCell().slice(0, 9), 4)),
    turnOf("abalone", abaloneMoves()),
  ];
  return turns.map((turn, number) => ({ ...turn, matchId: 1001 + number }));
}
