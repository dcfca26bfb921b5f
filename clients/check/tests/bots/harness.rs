//! Bots in this process, started as a program would be; and their grades.

use std::{future::Future, sync::Arc, time::Duration};

use broadside_agents::Access;
use broadside_check::{
    Check, CheckError, Config, Source,
    launch::{Exited, Launch, Running},
    report::{Grade, Report, Verdict},
    rules::Level,
    transcript::{Speaker, Transcript},
};
use tokio::{
    net::TcpListener,
    sync::{Semaphore, watch},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use crate::mind::{CAP, Fault};

/// A bot as the checker starts it: a future that returns an exit status.
pub(crate) fn launch<F, R>(bot: F) -> Launch
where
    F: Fn(String, CancellationToken, Transcript) -> R + Send + 'static,
    R: Future<Output = i32> + Send + 'static,
{
    Box::new(move |address, transcript| {
        let (leave, kill) = (CancellationToken::new(), CancellationToken::new());
        let (tell, exited) = watch::channel(None);
        let running = bot(address.to_owned(), leave.clone(), transcript.clone());
        let transcript = transcript.clone();
        let killed = kill.clone();
        tokio::spawn(async move {
            let code = tokio::select! {
                code = running => code,
                () = killed.cancelled() => 137,
            };
            transcript.add(Speaker::Log, format!("ends with {code}"));
            tell.send_replace(Some(Exited::with(code)));
        });
        Ok(Running {
            leave,
            kill,
            exited,
        })
    })
}

/// A free port, and a listener on it for each start of a bot.
pub(crate) fn port() -> (String, Arc<std::net::TcpListener>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    (address, Arc::new(listener))
}

pub(crate) fn listener(of: &std::net::TcpListener) -> TcpListener {
    TcpListener::from_std(of.try_clone().unwrap()).unwrap()
}

pub(crate) fn dial_in() -> Source {
    Source::DialIn {
        listen: "127.0.0.1:0".parse().unwrap(),
    }
}

pub(crate) fn dialled(address: String) -> Source {
    Source::Dialled {
        address,
        access: Access::default(),
    }
}

/// The grades of a bot, and all that was said.
pub(crate) async fn graded(
    source: Source,
    launch: Launch,
    cap: Duration,
) -> Result<(Report, Transcript), CheckError> {
    let mut config = Config::new(source);
    config.launch = Some(launch);
    config.cap = cap;
    config.wait = Duration::from_secs(20);
    let transcript = config.transcript.clone();
    let report = Check::set_up(config).await?.run().await?;
    Ok((report, transcript))
}

/// A bad bot, and the rules that it must fail: those of level MUST, and those of level SHOULD.
pub(crate) type Case = (Fault, &'static [&'static str], &'static [&'static str]);

/// Checks them all, and lists what was graded otherwise.
pub(crate) async fn each_fails_its_rule_alone<F, R>(cases: &'static [Case], grade: F)
where
    F: Fn(Fault) -> R + Clone + Send + 'static,
    R: Future<Output = (Report, Transcript)> + Send + 'static,
{
    // They wait more than they work.
    let places = Arc::new(Semaphore::new(10));
    let mut checks = JoinSet::new();
    for &(fault, must, should) in cases {
        let (grade, places) = (grade.clone(), places.clone());
        checks.spawn(async move {
            let _place = places.acquire().await.unwrap();
            let (report, transcript) = grade(fault).await;
            verdict(fault, must, should, &report, &transcript)
        });
    }
    let wrong: Vec<String> = checks.join_all().await.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn verdict(
    fault: Fault,
    must: &[&str],
    should: &[&str],
    report: &Report,
    transcript: &Transcript,
) -> Option<String> {
    let failed = |level| report.ids(level, Verdict::Failed);
    let unquoted: Vec<&str> = report
        .rules
        .iter()
        .filter(|grade| grade.findings.iter().any(|it| it.lines.is_empty()))
        .map(|grade| grade.id)
        .collect();
    if failed(Level::Must) == must
        && failed(Level::Should) == should
        && unquoted.is_empty()
        && report.passed == must.is_empty()
    {
        return None;
    }
    let mut text = format!(
        "a bot that {fault:?} fails MUST {:?} and SHOULD {:?} instead of {must:?} and {should:?}; findings without lines: {unquoted:?}",
        failed(Level::Must),
        failed(Level::Should),
    );
    for grade in &report.rules {
        for finding in &grade.findings {
            text.push_str(&format!("\n  {}: {}", grade.id, finding.message));
            for line in &finding.lines {
                text.push_str(&format!("\n    #{} {}", line.number, line.text));
            }
        }
    }
    let all = transcript.all();
    for line in &all[all.len().saturating_sub(12)..] {
        text.push_str(&format!(
            "\n  ... #{} {:?} {}",
            line.number, line.speaker, line.text
        ));
    }
    Some(text)
}

/// Waits for a line of a transcript that begins so.
pub(crate) async fn wait_for(transcript: &Transcript, line: &str) {
    while !transcript
        .all()
        .iter()
        .any(|known| known.text.starts_with(line))
    {
        tokio::task::yield_now().await;
    }
}

/// The grades of a check that is interrupted when a line is there that begins so.
pub(crate) async fn interrupted_at(config: Config, line: &str) -> Report {
    let interrupt = config.interrupt.clone();
    let transcript = config.transcript.clone();
    let checking = tokio::spawn(Check::set_up(config).await.unwrap().run());
    wait_for(&transcript, line).await;
    interrupt.cancel();
    checking.await.unwrap().unwrap()
}

/// What is known of one rule.
pub(crate) fn rule<'a>(report: &'a Report, id: &str) -> &'a Grade {
    report.rules.iter().find(|rule| rule.id == id).unwrap()
}

/// Every rule is put to the test and kept.
pub(crate) fn passes(report: &Report) {
    for grade in &report.rules {
        assert!(
            grade.verdict == Verdict::Passed,
            "{} {:?}: {:?} {:?}",
            grade.id,
            grade.verdict,
            grade.why,
            grade.findings
        );
    }
    assert!(report.passed);
}

/// The grades of a bad bot.
pub(crate) async fn of(source: Source, launch: Launch) -> (Report, Transcript) {
    graded(source, launch, CAP).await.unwrap()
}
