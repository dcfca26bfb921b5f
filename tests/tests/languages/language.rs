//! The languages, and what makes their bots ready to run.

use std::{
    env,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use anyhow::{Context, ensure};
use broadside_tests::{programs, skipped};
use tokio::{process::Command, sync::OnceCell};

/// Longest that a script may take, downloads included.
const SCRIPT: Duration = Duration::from_secs(1_200);

/// A bot of a language.
pub(crate) struct Language {
    /// What its bots are called here.
    pub(crate) name: &'static str,
    folder: &'static str,
    program: &'static str,
    /// Commands that work where its toolchain is.
    toolchain: &'static [&'static [&'static str]],
    ready: OnceCell<bool>,
}

impl Language {
    const fn new(
        name: &'static str,
        folder: &'static str,
        program: &'static str,
        toolchain: &'static [&'static [&'static str]],
    ) -> Self {
        Self {
            name,
            folder,
            program,
            toolchain,
            ready: OnceCell::const_new(),
        }
    }

    /// Where its bot, its build and its tests are.
    pub(crate) fn folder(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../agents")
            .join(self.folder)
    }

    /// Its bot, without arguments; ready to run.
    pub(crate) async fn program(&self) -> anyhow::Result<Command> {
        if self.folder == "rust" {
            let mut command = Command::new(programs::folder().await?.join("broadside-agent"));
            command.arg("random");
            return Ok(command);
        }
        Ok(Command::new(self.folder().join(self.program)))
    }

    /// Makes it ready, once in this process. `false` if its toolchain is not on this machine.
    pub(crate) async fn is_ready(&self) -> anyhow::Result<bool> {
        let ready = self.ready.get_or_try_init(|| self.make_ready());
        ready.await.copied()
    }

    async fn make_ready(&self) -> anyhow::Result<bool> {
        for command in self.toolchain {
            if !works(command).await {
                skipped(
                    &format!("the {} bot", self.name),
                    &format!("`{}` to work", command.join(" ")),
                )?;
                return Ok(false);
            }
        }
        if self.folder != "rust" {
            self.script("setup.sh").await?;
        }
        Ok(true)
    }

    /// Runs a script of its folder to a good end.
    pub(crate) async fn script(&self, name: &str) -> anyhow::Result<()> {
        let path = self.folder().join(name);
        let output = Command::new("sh")
            .arg(&path)
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        let output = tokio::time::timeout(SCRIPT, output)
            .await
            .with_context(|| format!("{} takes longer than {SCRIPT:?}", path.display()))?
            .with_context(|| path.display().to_string())?;
        ensure!(
            output.status.success(),
            "agents/{}/{name} ended with {}:\n{}\n{}",
            self.folder,
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(())
    }
}

async fn works(command: &[&str]) -> bool {
    let Some((program, arguments)) = command.split_first() else {
        return false;
    };
    let program = match *program {
        "python3" => env::var("BROADSIDE_PYTHON").unwrap_or_else(|_| "python3".to_owned()),
        other => other.to_owned(),
    };
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .await
        .is_ok_and(|status| status.success())
}

const PYTHON: &[&[&str]] = &[&["python3", "--version"]];

static LANGUAGES: [Language; 7] = [
    Language::new("rust", "rust", "", &[]),
    Language::new("python", "python", "bot", PYTHON),
    Language::new("python-asyncio", "python", "bot-asyncio", PYTHON),
    Language::new(
        "typescript",
        "typescript",
        "bot",
        &[&["node", "--version"], &["npm", "--version"]],
    ),
    Language::new("go", "go", "bot", &[&["go", "version"]]),
    Language::new(
        "java",
        "java",
        "bot",
        &[&["javac", "-version"], &["mvn", "--version"]],
    ),
    Language::new(
        "cpp",
        "cpp",
        "bot",
        &[
            &["c++", "--version"],
            &["cmake", "--version"],
            // Who is root has them installed.
            &["sh", "-c", "[ $(id -u) = 0 ] || command -v grpc_cpp_plugin"],
        ],
    ),
];

/// Whether `BROADSIDE_LANGUAGES` (names, separated by commas) lets this one be tested; all are if it is not set.
fn is_wanted(name: &str) -> anyhow::Result<bool> {
    let Ok(wanted) = env::var("BROADSIDE_LANGUAGES") else {
        return Ok(true);
    };
    let wanted: Vec<_> = wanted.split(',').map(str::trim).collect();
    let known = LANGUAGES.each_ref().map(|language| language.name);
    for name in &wanted {
        ensure!(
            known.contains(name),
            "BROADSIDE_LANGUAGES names {name:?}, and there are {}",
            known.join(", ")
        );
    }
    Ok(wanted.contains(&name))
}

/// Those whose toolchains are on this machine, ready.
///
/// # Errors
/// If one does not build.
pub(crate) async fn languages() -> anyhow::Result<Vec<&'static Language>> {
    let mut ready = Vec::new();
    for language in &LANGUAGES {
        if is_wanted(language.name)? && language.is_ready().await? {
            ready.push(language);
        }
    }
    Ok(ready)
}

/// One of them, if it is ready.
///
/// # Errors
/// If it does not build, or there is none of this name.
pub(crate) async fn language(name: &str) -> anyhow::Result<Option<&'static Language>> {
    let language = LANGUAGES.iter().find(|language| language.name == name);
    let language = language.with_context(|| format!("no language {name}"))?;
    Ok((is_wanted(name)? && language.is_ready().await?).then_some(language))
}
