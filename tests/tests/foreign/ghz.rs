//! ghz, which makes many calls.

use std::path::Path;

use anyhow::{Context, ensure};
use broadside_proto::v1;
use broadside_tests::{Bot, PATIENCE, TestArena, named, request};
use tokio::process::Command;

use crate::tools::GHZ;

/// How many calls are made.
const CALLS: u64 = 10_000;

/// Makes the calls, and checks that each was answered well.
async fn calls(ghz: &Path, arena: &TestArena, call: &str, data: &str) -> anyhow::Result<()> {
    let output = Command::new(ghz)
        .args([
            "--insecure",
            "--format",
            "json",
            "--call",
            call,
            "--data",
            data,
        ])
        .args(["--total", &CALLS.to_string()])
        .args(["--concurrency", "50", "--connections", "5"])
        .arg(arena.address().to_string())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(PATIENCE * 5, output).await??;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{call}: {said}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let answered = &report["statusCodeDistribution"];
    ensure!(report["count"] == CALLS, "{call}: {answered}");
    ensure!(
        *answered == serde_json::json!({ "OK": CALLS }),
        "{call}: {answered}"
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn none_of_ten_thousand_calls_fails() -> anyhow::Result<()> {
    let Some(ghz) = GHZ.program().await? else {
        return Ok(());
    };
    let arena = TestArena::start().await?;
    calls(
        &ghz,
        &arena,
        "broadside.v1.CatalogService/ListVariants",
        "{}",
    )
    .await?;

    let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let between = request(v1::Variant::Abalone, named("one"), named("two"));
    let match_id = arena.create(between).await?;
    // In the middle of a match, which must not notice.
    let mut turn = one.turn().await?;
    for _ in 0..20 {
        one.answer(&turn, Bot::first_legal(&turn)?).await?;
        turn = two.turn().await?;
        std::mem::swap(&mut one, &mut two);
    }
    let data = format!("{{\"match_id\": {match_id}}}");
    calls(&ghz, &arena, "broadside.v1.MatchService/GetMatch", &data).await?;
    one.answer(&turn, Bot::first_legal(&turn)?).await?;
    two.turn().await.context("the match does not go on")?;
    arena.stop().await
}
