//! The binary `broadside`: see `broadside --help`.

use std::process::ExitCode;

use broadside_cli::{args::Cli, run};
use clap::Parser;

fn main() -> ExitCode {
    run(Cli::parse()).into()
}
