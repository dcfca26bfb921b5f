package com.example.bot.arena;

import broadside.v1.Agent.Turn;
import broadside.v1.Game.Move;
import broadside.v1.Game.Phase;
import broadside.v1.Game.SalvoChoice;
import broadside.v1.Game.Seat;
import broadside.v1.Naval.Cell;
import com.google.protobuf.TextFormat;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Hand-made turns. */
public final class Turns {
    private static final String FLEET =
            "ships { ship_class: SHIP_CLASS_CARRIER cell { row: 1 column: 1 } orientation: ORIENTATION_VERTICAL }";

    private Turns() {}

    /** A turn of the fields given in protobuf's text format; the others are those of a battle. */
    public static Turn turn(String format, Object... arguments) {
        Turn.Builder turn = Turn.newBuilder()
                .setMatchId((1L << 53) - 1)
                .setTurnId(7)
                .setSeat(Seat.SEAT_TWO)
                .setPhase(Phase.PHASE_BATTLE)
                .setTimeLeftUs(60_000_000);
        try {
            return turn.mergeFrom(TextFormat.parse(String.format(format, arguments), Turn.class)).build();
        } catch (TextFormat.ParseException wrong) {
            throw new IllegalArgumentException(wrong);
        }
    }

    /** A turn for each kind of decision in each variant, each of a match of its own. */
    public static Map<String, Turn> everyKind() {
        Map<String, Turn> turns = new LinkedHashMap<>();
        for (String variant : List.of("classic", "salvo", "advanced_salvo", "amiral", "naumachia")) {
            add(turns, "fleet", variant, "DEPLOYMENT", moves(variant, "deployment { " + FLEET + " }"));
        }
        for (String variant : List.of("classic", "amiral", "naumachia")) {
            add(turns, "shot", variant, "BATTLE", shots(variant, 1, 10, 55, 100));
        }
        for (String variant : List.of("salvo", "advanced_salvo")) {
            for (int size = 1; size <= 5; size++) {
                String cells = cells(1, 10, 55, 91, 100);
                add(turns, "of " + size, variant, "BATTLE", "salvo { size: " + size + " " + cells + " }");
            }
        }
        add(turns, "fleet", "amiral_advanced", "DEPLOYMENT",
                moves("amiral_advanced", "deployment { fleet { " + FLEET + " } berth { letter: 2 } }"));
        add(turns, "move", "amiral_advanced", "BATTLE", moves("amiral_advanced", shot(91),
                "torpedo { route { letter: 5 number: 5 } }", "hunt { end { letter: 9 } }", "air_strike { cell { row: 9 column: 9 } }"));
        add(turns, "relocation", "amiral_advanced", "RELOCATION", moves("amiral_advanced", "relocation { berth { number: 3 } }"));
        add(turns, "move", "abalone", "BATTLE", moves("abalone",
                "group { row: 3 number: 3 } group { row: 3 number: 4 } direction: ABALONE_DIRECTION_EAST",
                "group { row: 3 number: 3 } direction: ABALONE_DIRECTION_NORTH_EAST"));
        return turns;
    }

    private static void add(Map<String, Turn> turns, String kind, String variant, String phase, String legal) {
        turns.put(variant + " " + kind, turn("match_id: %d phase: PHASE_%s view { %s {} } legal_moves { %s }",
                1000 + turns.size(), phase, variant, legal));
    }

    private static String moves(String variant, String... moves) {
        return List.of(moves).stream()
                .map(move -> "moves { " + variant + " { " + move + " } }")
                .collect(Collectors.joining("\n"));
    }

    /** One shot in the variant at each of the cells, which are numbered as in a view: 1-100. */
    public static String shots(String variant, int... numbers) {
        return moves(variant, IntStream.of(numbers).mapToObj(Turns::shot).toArray(String[]::new));
    }

    private static String shot(int number) {
        return String.format("shot { cell { row: %d column: %d } }", (number - 1) / 10 + 1, (number - 1) % 10 + 1);
    }

    private static String cells(int... numbers) {
        return IntStream.of(numbers)
                .mapToObj(number -> String.format("cells { row: %d column: %d }", (number - 1) / 10 + 1, (number - 1) % 10 + 1))
                .collect(Collectors.joining("\n"));
    }

    /** Whether the turn lists the move. */
    public static boolean isLegal(Turn turn, Move move) {
        if (!turn.getLegalMoves().hasSalvo()) {
            return turn.getLegalMoves().getMovesList().contains(move);
        }
        SalvoChoice choice = turn.getLegalMoves().getSalvo();
        List<Cell> cells = turn.getView().hasSalvo()
                ? move.getSalvo().getSalvo().getCellsList()
                : move.getAdvancedSalvo().getSalvo().getCellsList();
        return cells.size() == choice.getSize()
                && new HashSet<>(cells).size() == cells.size()
                && choice.getCellsList().containsAll(cells);
    }
}
