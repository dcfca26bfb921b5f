//! The table: every place of it in as many rounds as are asked for, each followed by a round of the echo.

use super::{
    args::SpeedArgs,
    report::{self, Row},
    round::{self, Cell},
};

pub(crate) fn run(args: &SpeedArgs) -> anyhow::Result<()> {
    report::head();
    let mut rows = Vec::new();
    for &route in &args.route {
        for &store in &args.store {
            for &variant in &args.variant {
                for &matches in &args.matches {
                    let cell = Cell {
                        matches,
                        route,
                        variant,
                        store,
                    };
                    let row = measure(cell, args)?;
                    report::line(&row);
                    rows.push(row);
                }
            }
        }
    }
    report::foot(&rows);
    if let Some(file) = &args.json {
        report::write(file, &rows)?;
    }
    Ok(())
}

fn measure(cell: Cell, args: &SpeedArgs) -> anyhow::Result<Row> {
    let mut rounds = Vec::new();
    let mut echoes = Vec::new();
    for _ in 0..args.rounds {
        let round = round::play(cell, args.seconds)?;
        if !args.no_echo {
            echoes.push(round::echo(
                cell.route,
                cell.matches,
                round.sizes,
                args.seconds,
            )?);
        }
        rounds.push(round);
    }
    Ok(Row::new(cell, &rounds, &echoes))
}
