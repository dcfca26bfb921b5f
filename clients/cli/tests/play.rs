//! `broadside play`: whole matches through a piped standard input, against an arena that only pretends.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that fails panics"
)]

mod support;

use broadside_cli::notation::{Coordinates, deployment, move_text, parse_move};
use broadside_proto::v1::*;
use support::{
    fake::{Fake, MATCH, Script},
    golden, records, samples,
};

fn parsed(variant: Variant, phase: Phase, text: &str) -> Move {
    parse_move(variant, phase, text).unwrap()
}

fn fleet_text(variant: Variant) -> String {
    let fleet = deployment(Coordinates::of(variant), &samples::fleet(variant));
    match variant {
        Variant::AmiralAdvanced => fleet + ", berth J",
        _ => fleet,
    }
}

fn turn(variant: Variant, turn_id: u32, phase: Phase, legal: &[&str]) -> Turn {
    let moves = legal.iter().map(|text| parsed(variant, phase, text));
    Turn {
        match_id: MATCH,
        turn_id,
        seat: Seat::One.into(),
        phase: phase.into(),
        view: Some(samples::view(variant)),
        time_left_us: 3_599_999_999,
        refusals_left: 3,
        legal_moves: Some(LegalMoves {
            moves: moves.collect(),
            salvo: None,
        }),
        ..Turn::default()
    }
}

fn deploy(variant: Variant) -> Turn {
    turn(variant, 1, Phase::Deployment, &[&fleet_text(variant)])
}

fn script(variant: Variant, turns: Vec<Turn>) -> Script {
    Script {
        played: records::running(variant),
        position: samples::position(variant, true),
        turns,
        outcome: records::won(),
        ..Script::default()
    }
}

fn answers(fake: &Fake) -> Vec<String> {
    let script = fake.script.lock().unwrap();
    script.answers.iter().map(move_text).collect()
}

async fn play(fake: &Fake, variant: &str, more: &[&str], input: &str) -> support::Ran {
    let mut arguments = vec!["play", variant, "--against", "hunter", "--name", "ann"];
    arguments.extend(more);
    fake.run(&arguments, input).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_match_of_classic_is_played() {
    let mut second = turn(Variant::Classic, 3, Phase::Battle, &["D4", "D5"]);
    second.events = vec![
        Event {
            seat: Seat::One.into(),
            r#move: Some(parsed(Variant::Classic, Phase::Battle, "B10")),
            answer: None,
        },
        Event {
            seat: Seat::Two.into(),
            r#move: Some(parsed(Variant::Classic, Phase::Battle, "J1")),
            answer: Some(Answer {
                variant: Some(answer::Variant::Classic(ClassicAnswer::default())),
            }),
        },
    ];
    let turns = vec![
        deploy(Variant::Classic),
        turn(Variant::Classic, 2, Phase::Battle, &["B10", "D4"]),
        second,
    ];
    let fake = Fake::start(script(Variant::Classic, turns)).await;
    // What cannot be meant is told, and costs nothing: the arena never hears of it.
    let input = "random\nK1\nA1\n\nB10\nhelp\nmoves\nd4\n";
    let ran = play(&fake, "classic", &[], input).await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    golden("play.classic.txt", &ran.out);
    assert_eq!(answers(&fake), [&fleet_text(Variant::Classic), "B10", "D4"]);

    let script = fake.script.lock().unwrap();
    let profile = script.hellos[0].profile.clone().unwrap();
    assert_eq!(profile.name, "ann");
    assert!(profile.wants_legal_moves);
    let created = &script.created[0];
    assert_eq!(
        created.players,
        [records::named("ann"), records::named("hunter")]
    );
    assert_eq!(created.time_control.unwrap().turn_cap_ms, Some(3_600_000));
    assert_eq!(created.seating, Some(Seating::Fixed.into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn either_seat_can_be_taken_and_the_name_is_made_up() {
    let fake = Fake::start(script(Variant::Classic, Vec::new())).await;
    let arguments = [
        "play",
        "classic",
        "--against",
        "http://127.0.0.1:5000",
        "--seat",
        "2",
        "--cap",
        "5m",
    ];
    let ran = fake.run(&arguments, "").await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    let script = fake.script.lock().unwrap();
    let created = &script.created[0];
    let name = script.hellos[0].profile.clone().unwrap().name;
    assert!(name.starts_with("person-"), "{name}");
    assert_eq!(created.players[1], records::named(&name));
    assert!(matches!(
        created.players[0].agent,
        Some(player::Agent::Address(_))
    ));
    let time = created.time_control.unwrap();
    assert_eq!(
        (time.turn_cap_ms, time.deployment_ms),
        (Some(300_000), None)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fleet_is_placed_ship_by_ship_and_every_slip_is_told() {
    let variant = Variant::Naumachia;
    let fake = Fake::start(script(variant, vec![deploy(variant)])).await;
    let input = "\
battleship Α1 horizontal
carrier Α3 h
cruiser Β2 vertical
cruiser Ι10 horizontal
cruiser Α3 diagonal
undo
battleship 1:1 h
clear
battleship Α1 horizontal, cruiser Α3 vertical, cruiser Γ3 horizontal
battleship Α10 horizontal
random
destroyer Κ1 vertical, destroyer Θ10 horizontal, destroyer Γ5 vertical, torpedo boat Ζ1 h, torpedo boat Θ5 h
torpedo boat Κ7 v
torpedo boat Α10 h
";
    let ran = play(&fake, "naumachia", &[], input).await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    golden("play.naumachia.txt", &ran.out);
    let expected = "battleship Α1 horizontal, cruiser Α3 vertical, cruiser Γ3 horizontal, \
        destroyer Κ1 vertical, destroyer Θ10 horizontal, destroyer Γ5 vertical, \
        torpedo boat Ζ1 horizontal, torpedo boat Θ5 horizontal, torpedo boat Κ7 vertical, \
        torpedo boat Α10 horizontal";
    assert_eq!(answers(&fake), [expected]);
}

#[tokio::test(flavor = "multi_thread")]
async fn amiral_advanced_is_played_with_all_its_arms() {
    let variant = Variant::AmiralAdvanced;
    let legal = ["B10", "torpedo J1", "torpedo J10", "strike B1"];
    let turns = vec![
        deploy(variant),
        turn(variant, 2, Phase::Battle, &legal),
        turn(variant, 3, Phase::Relocation, &["berth 3", "berth J"]),
        turn(variant, 4, Phase::Relocation, &["berth 3", "berth J"]),
        turn(variant, 5, Phase::Battle, &["B10", "strike B1"]),
    ];
    let fake = Fake::start(script(variant, turns)).await;
    let input = "\
carrier A1 h, cruiser C3 v, destroyer J8 h, destroyer E10 v, assault boat C4 h
berth 10
torpedo A1
hunt 5
torpedo J1
berth 4
berth 3

strike B1
";
    let ran = play(&fake, "amiral-advanced", &[], input).await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    let fleet = deployment(Coordinates::LetterNumber, &samples::fleet(variant)) + ", berth 10";
    assert_eq!(
        answers(&fake),
        [&fleet, "torpedo J1", "berth 3", "berth J", "strike B1"]
    );
    for told in [
        "Still to place: the submarine (berth A-J or 1-10).",
        "torpedo A1 is not legal now; these are: torpedo J1, torpedo J10.",
        "hunt 5 is not legal now, and no other hunt is.",
        "berth 4 is not legal now; these are: berth 3, berth J.",
    ] {
        assert!(ran.out.contains(told), "{told}\n{}", ran.out);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_salvo_is_checked_as_a_whole() {
    let variant = Variant::Salvo;
    let mut fire = turn(variant, 2, Phase::Battle, &[]);
    let cells = ["A3", "A4", "A5", "A6", "A7"];
    fire.legal_moves = Some(LegalMoves {
        moves: Vec::new(),
        salvo: Some(SalvoChoice {
            cells: cells
                .iter()
                .map(|cell| Coordinates::LetterNumber.parse(cell).unwrap())
                .collect(),
            size: 4,
        }),
    });
    let fake = Fake::start(script(variant, vec![deploy(variant), fire])).await;
    let input = "\nA1 A3 A4 A2\nA3 A4 A5\nA3 A3 A4 A5\nmoves\na7 A3 A4 A5\n";
    let ran = play(&fake, "salvo", &[], input).await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(answers(&fake)[1..], ["A7 A3 A4 A5"]);
    for told in [
        "You have fired at A1 A2 before.",
        "This salvo has 4 cells, not 3.",
        "A3 is named twice.",
        "Any 4 of: A3 A4 A5 A6 A7",
        "Fire your salvo of 4 cells, such as D4 E5 F6.",
    ] {
        assert!(ran.out.contains(told), "{told}\n{}", ran.out);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn abalone_is_played_in_its_own_notation() {
    let variant = Variant::Abalone;
    let legal = ["c5 ne", "c5 nw", "b1 b2 nw", "d3 d4 e"];
    let fake = Fake::start(script(
        variant,
        vec![turn(variant, 1, Phase::Battle, &legal)],
    ))
    .await;
    let input = "c5\nc5 e\na1 ne\nd4 d3 E\n";
    let ran = play(&fake, "abalone", &[], input).await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(answers(&fake), ["d3 d4 e"]);
    for told in [
        "You are Black.",
        "The direction is missing after c5",
        "c5 cannot move e; it can move ne, nw.",
        "a1 cannot move: type moves for all that can.",
    ] {
        assert!(ran.out.contains(told), "{told}\n{}", ran.out);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_by_the_arena_is_told_and_asked_again() {
    let variant = Variant::Amiral;
    let mut again = turn(variant, 2, Phase::Battle, &["B10"]);
    again.refusal = Some(IllegalMove {
        reason: IllegalMoveReason::AlreadyFired.into(),
        message: "B9 was fired at before.\u{7}".to_owned(),
    });
    again.refusals_left = 0;
    // An arena that gives no legal moves: nothing can be checked here.
    let mut bare = turn(variant, 2, Phase::Battle, &[]);
    bare.legal_moves = None;
    let fake = Fake::start(script(variant, vec![bare, again])).await;
    let ran = play(&fake, "amiral", &[], "B9\nB10\n").await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(answers(&fake), ["B9", "B10"]);
    let told =
        "The arena refuses: B9 was fired at before.\\u{7} (one more refusal loses the match.)";
    assert!(ran.out.contains(told), "{}", ran.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_resigns_or_runs_out_of_input_loses_and_sees_the_end() {
    for input in ["random\nresign\n", "random\n", "random\nquit\n"] {
        let turns = vec![
            deploy(Variant::Classic),
            turn(Variant::Classic, 2, Phase::Battle, &["B10"]),
        ];
        let fake = Fake::start(script(Variant::Classic, turns)).await;
        let ran = play(&fake, "classic", &[], input).await;
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(fake.script.lock().unwrap().resigned, 1);
        assert!(ran.out.ends_with("wins: Seat 1 resigned.\n"), "{}", ran.out);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_end_in_the_middle_of_a_turn_tells_nothing_twice() {
    let variant = Variant::Classic;
    let shot = |seat: Seat, text| Event {
        seat: seat.into(),
        r#move: Some(parsed(variant, Phase::Battle, text)),
        answer: None,
    };
    let mut due = turn(variant, 3, Phase::Battle, &["D4"]);
    due.events = vec![shot(Seat::One, "B10"), shot(Seat::Two, "J1")];
    let turns = vec![turn(variant, 2, Phase::Battle, &["B10"]), due.clone()];
    let mut script = script(variant, turns);
    script.last_events = due.events;
    script.last_events.push(shot(Seat::Two, "J2"));
    let fake = Fake::start(script).await;
    let ran = play(&fake, "classic", &[], "B10\nresign\n").await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    for (told, times) in [
        ("You: B10", 1),
        ("Seat 1: B10", 0),
        ("Seat 2: J1", 1),
        ("Seat 2: J2", 1),
    ] {
        assert_eq!(ran.out.matches(told).count(), times, "{told}\n{}", ran.out);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_stream_is_taken_up_again_and_the_answer_is_sent_once_more() {
    let turns = vec![
        deploy(Variant::Classic),
        turn(Variant::Classic, 2, Phase::Battle, &["B10"]),
    ];
    let mut script = script(Variant::Classic, turns);
    script.break_at = Some(1);
    let fake = Fake::start(script).await;
    let ran = play(&fake, "classic", &[], "random\nB10\n").await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(answers(&fake), [&fleet_text(Variant::Classic), "B10"]);
    let script = fake.script.lock().unwrap();
    let tokens: Vec<&str> = script
        .hellos
        .iter()
        .map(|it| it.resume_token.as_str())
        .collect();
    assert_eq!(tokens, ["", "resume"]);
    assert!(
        ran.out
            .contains("The connection is lost; trying again.\nThe connection is back."),
        "{}",
        ran.out
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_void_match_has_its_own_exit_code() {
    let mut script = script(Variant::Classic, Vec::new());
    script.outcome = records::cancelled();
    let fake = Fake::start(script).await;
    let ran = play(&fake, "classic", &[], "").await;
    assert_eq!(ran.code, 5, "{}", ran.err);
}
