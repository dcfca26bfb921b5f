//! Each bot's own tests, in its own test runner.

use crate::language::language;

async fn pass(name: &str) -> anyhow::Result<()> {
    match language(name).await? {
        Some(language) => language.script("test.sh").await,
        None => Ok(()),
    }
}

#[tokio::test]
async fn the_tests_of_the_python_bots_pass() -> anyhow::Result<()> {
    pass("python").await
}

#[tokio::test]
async fn the_tests_of_the_typescript_bot_pass() -> anyhow::Result<()> {
    pass("typescript").await
}

#[tokio::test]
async fn the_tests_of_the_go_bot_pass() -> anyhow::Result<()> {
    pass("go").await
}

#[tokio::test]
async fn the_tests_of_the_java_bot_pass() -> anyhow::Result<()> {
    pass("java").await
}

#[tokio::test]
async fn the_tests_of_the_cpp_bot_pass() -> anyhow::Result<()> {
    pass("cpp").await
}
