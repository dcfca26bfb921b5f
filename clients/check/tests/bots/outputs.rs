//! What is written of the grades, and checks that come to nothing.

use std::{collections::BTreeSet, time::Duration};

use broadside_check::{
    Check, CheckError, Config, junit,
    report::{Report, Verdict},
    rules::Level,
};

use crate::{
    dials_in,
    harness::{self, graded, launch},
    mind::{CAP, Fault, SHORT},
};

async fn of(fault: Fault) -> Report {
    dials_in::grade(fault).await.0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn junit_has_a_case_for_each_rule_and_quotes_what_fails() {
    let report = of(Fault::LeavesWithAnError).await;
    let xml = junit::xml(&report, false).unwrap();
    assert_eq!(xml.matches("<testcase ").count(), report.rules.len());
    for lenient in ["failures=\"0\"", "name=\"leaves-in-order\"", "SIGTERM"] {
        assert!(xml.contains(lenient), "{lenient} in {xml}");
    }
    let strict = junit::xml(&report, true).unwrap();
    for said in [
        "failures=\"1\"",
        "<failure",
        "exit status: 1",
        "checker: asks",
    ] {
        assert!(strict.contains(said), "{said} in {strict}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn json_holds_every_rule_with_its_evidence() {
    let report = of(Fault::HasABadName).await;
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["passed"], false);
    assert_eq!(json["way"], "dials-in");
    let rules = json["rules"].as_array().unwrap();
    let ids: BTreeSet<&str> = rules
        .iter()
        .map(|rule| rule["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), report.rules.len());
    let profile = &rules[0];
    assert_eq!(profile["id"], "profile");
    assert_eq!(profile["level"], "MUST");
    assert_eq!(profile["verdict"], "failed");
    let finding = &profile["findings"][0];
    let message = finding["message"].as_str().unwrap();
    assert!(message.contains("profile.name"), "{message}");
    assert_eq!(finding["lines"][0]["speaker"], "bot");
    assert!(finding["lines"][0]["number"].as_u64() > Some(0));
    // Whoever is not let in is asked nothing.
    let skipped = report.ids(Level::Must, Verdict::Skipped);
    assert_eq!(
        skipped.len() + 1,
        report
            .rules
            .iter()
            .filter(|it| it.level == Level::Must)
            .count()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_that_does_not_come_is_no_bot_that_fails() {
    let ends = launch(|_, _, _| async { 4 });
    let ended = graded(harness::dial_in(), ends, CAP).await.unwrap_err();
    assert!(
        ended
            .to_string()
            .contains("ended before it was there (exit status: 4)"),
        "{ended}"
    );
    let mut config = Config::new(harness::dial_in());
    config.launch = Some(dials_in::bot(Fault::SaysNothing));
    config.wait = Duration::from_millis(500);
    let silent = Check::set_up(config)
        .await
        .unwrap()
        .run()
        .await
        .unwrap_err();
    assert!(silent.to_string().contains("said no hello"), "{silent}");
    let mut config = Config::new(harness::dialled("http://127.0.0.1:1".to_owned()));
    config.wait = Duration::ZERO;
    let unreached = Check::set_up(config)
        .await
        .unwrap()
        .run()
        .await
        .unwrap_err();
    assert!(
        matches!(&unreached, CheckError::NoBot(why) if why.contains("127.0.0.1:1")),
        "{unreached}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_that_was_broken_off_says_nothing_of_its_end() {
    let mut config = Config::new(harness::dial_in());
    config.cap = SHORT;
    config.launch = Some(dials_in::bot(Fault::PlaysAmiralAloneAndSlowly));
    let report = harness::interrupted_at(config, "-- unknown-fields").await;
    assert_eq!(report.ids(Level::Must, Verdict::Failed), ["within-time"]);
    let end = harness::rule(&report, "plays-to-the-end");
    assert_eq!(end.verdict, Verdict::Skipped);
    let why = "its matches took too long to be played to their end";
    assert_eq!(end.why.as_deref(), Some(why));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_that_cannot_go_on_reports_what_it_knows() {
    // The arena has no match for such a bot.
    let ages = Duration::from_secs(1_000_000_000);
    let bot = dials_in::bot(Fault::None);
    let (report, _) = graded(harness::dial_in(), bot, ages).await.unwrap();
    let why = report.broken.as_deref().unwrap();
    assert!(why.starts_with("no match can be had: "), "{why}");
    assert_eq!(report.ids(Level::Must, Verdict::Passed), ["profile"]);
    let classic = harness::rule(&report, "legal-moves-classic");
    let told = format!("the check could not go on: {why}");
    assert_eq!(classic.why.as_ref(), Some(&told));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_that_is_interrupted_reports_what_it_knows() {
    let mut config = Config::new(harness::dial_in());
    config.cap = Duration::from_secs(60);
    // It answers nothing: without the interruption this would take minutes.
    config.launch = Some(dials_in::bot(Fault::AnswersNothing));
    let report = harness::interrupted_at(config, "turn 1 ").await;
    assert!(report.interrupted);
    assert_eq!(report.ids(Level::Must, Verdict::Passed), ["profile"]);
    let last = report.rules.last().unwrap();
    assert_eq!(last.verdict, Verdict::Skipped);
    assert!(last.why.as_deref().unwrap().contains("interrupted"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_that_answers_nothing_is_given_up_soon() {
    let bot = dials_in::bot(Fault::AnswersNothing);
    let cap = Duration::from_millis(200);
    let (report, _) = graded(harness::dial_in(), bot, cap).await.unwrap();
    assert_eq!(report.ids(Level::Must, Verdict::Failed), ["within-time"]);
    let many = harness::rule(&report, "many-matches");
    assert_eq!(many.verdict, Verdict::Skipped);
    assert!(
        many.why
            .as_deref()
            .unwrap()
            .contains("does not answer any more")
    );
}
