//! The verifier that `docs/protocol.md` has, in Python, against records that the arena wrote.

use std::{
    env, fs,
    fs::File,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, ensure};

const CRYPTOGRAPHY: &str = "cryptography==50.0.2";

/// An interpreter with what the verifier needs; `None` if this machine has no Python, which is a failure in CI.
fn python() -> anyhow::Result<Option<PathBuf>> {
    let interpreter = env::var("BROADSIDE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let found = Command::new(&interpreter)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !found.is_ok_and(|status| status.success()) {
        broadside_tests::skipped(
            "the verifier in Python",
            &format!("`{interpreter} --version` to work"),
        )?;
        return Ok(None);
    }
    let shared = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let lock = File::create(shared.join("verifier.lock"))?;
    lock.lock()?;
    let folder = shared.join("verifier");
    let (python, installed) = (folder.join("bin/python"), folder.join("installed"));
    if fs::read_to_string(&installed).is_ok_and(|text| text == CRYPTOGRAPHY) {
        return Ok(Some(python));
    }
    let made = Command::new(&interpreter)
        .args(["-m", "venv", "--clear"])
        .arg(&folder)
        .status()?;
    ensure!(made.success(), "no environment could be made");
    let got = Command::new(&python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            CRYPTOGRAPHY,
        ])
        .status()?;
    ensure!(got.success(), "{CRYPTOGRAPHY} could not be installed");
    fs::write(installed, CRYPTOGRAPHY)?;
    Ok(Some(python))
}

/// What it does with each file: nothing if it is right.
const MAIN: &str = r#"
import sys

for path in sys.argv[1:]:
    record = open(path, "rb").read()
    verify(record)
    for at in range(0, len(record), 97):
        changed = bytearray(record)
        changed[at] ^= 1
        try:
            verify(bytes(changed))
        except Exception:
            continue
        sys.exit(f"{path}: a change of byte {at} is not found")
"#;

#[test]
fn the_verifier_of_the_page_believes_what_the_arena_wrote_and_nothing_else() -> anyhow::Result<()> {
    let Some(python) = python()? else {
        return Ok(());
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/protocol.md"))?;
    let (_, code) = page.split_once("```python\n").context("no code")?;
    let (code, _) = code.split_once("```").context("code without an end")?;
    let mut records: Vec<_> = fs::read_dir(root.join("service/record/tests/records"))?
        .map(|file| Ok(file?.path()))
        .collect::<anyhow::Result<_>>()?;
    records.sort();
    ensure!(records.len() > 20, "{} records", records.len());
    let output = Command::new(python)
        .arg("-c")
        .arg(format!("{code}{MAIN}"))
        .args(records)
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{said}");
    Ok(())
}
