//! Options of a variant, as they are written on the command line: `name=value`.

use broadside_proto::v1::{
    AbaloneLayout, AbaloneOptions, AbaloneRows, AdvancedSalvoOptions, AmiralAdvancedOptions,
    AmiralOptions, ClassicOptions, Edition, NaumachiaOptions, Options, SalvoOptions, Variant,
    abalone_options::Start, options,
};

use crate::{
    error::Error,
    names::{self, LAYOUTS},
    text::escape,
};

/// Builds the options of `variant` from `name=value` texts; what is not named is left to the arena's defaults.
///
/// # Errors
/// If the variant has no such option, it is given twice, or the value is none of it. Ranges are the arena's business.
pub(crate) fn build(variant: Variant, given: &[String]) -> Result<Options, Error> {
    let mut options = bare(variant)?;
    let mut seen: Vec<&str> = Vec::new();
    for text in given {
        let Some((name, value)) = text.split_once('=') else {
            return Err(Error::Usage(format!(
                "--option: \"{}\" is no option: write name=value.",
                escape(text)
            )));
        };
        if seen.contains(&name) {
            return Err(Error::Usage(format!(
                "--option: {} is given twice.",
                escape(name)
            )));
        }
        seen.push(name);
        set(&mut options, variant, name, value)?;
    }
    if seen.contains(&"layout") && seen.contains(&"rows") {
        return Err(Error::Usage(
            "--option: layout and rows both say where the marbles start: give one of them."
                .to_owned(),
        ));
    }
    Ok(Options {
        variant: Some(options),
    })
}

fn bare(variant: Variant) -> Result<options::Variant, Error> {
    Ok(match variant {
        Variant::Classic => options::Variant::Classic(ClassicOptions::default()),
        Variant::Salvo => options::Variant::Salvo(SalvoOptions::default()),
        Variant::AdvancedSalvo => options::Variant::AdvancedSalvo(AdvancedSalvoOptions::default()),
        Variant::Amiral => options::Variant::Amiral(AmiralOptions {}),
        Variant::AmiralAdvanced => options::Variant::AmiralAdvanced(AmiralAdvancedOptions {}),
        Variant::Naumachia => options::Variant::Naumachia(NaumachiaOptions {}),
        Variant::Abalone => options::Variant::Abalone(AbaloneOptions::default()),
        Variant::Unspecified => {
            return Err(Error::Usage("a variant is needed.".to_owned()));
        }
    })
}

fn set(
    options: &mut options::Variant,
    variant: Variant,
    name: &str,
    value: &str,
) -> Result<(), Error> {
    match (options, name) {
        (options::Variant::Classic(options), "edition") => {
            options.edition = Some(edition(value)?.into());
        }
        (options::Variant::Classic(options), "name_ship_on_hit") => {
            options.name_ship_on_hit = Some(flag(name, value)?);
        }
        (options::Variant::Salvo(options), "edition") => {
            options.edition = Some(edition(value)?.into());
        }
        (options::Variant::Salvo(options), "name_ship_on_hit") => {
            options.name_ship_on_hit = Some(flag(name, value)?);
        }
        (options::Variant::AdvancedSalvo(options), "edition") => {
            options.edition = Some(edition(value)?.into());
        }
        (options::Variant::Abalone(options), "layout") => {
            options.start = Some(Start::Layout(layout(value)?.into()));
        }
        (options::Variant::Abalone(options), "rows") => {
            let rows = value.split('/').map(str::to_owned).collect();
            options.start = Some(Start::Rows(AbaloneRows { rows }));
        }
        (options::Variant::Abalone(options), "max_plies") => {
            options.max_plies = Some(number(name, value)?);
        }
        (options::Variant::Abalone(options), "repetition_limit") => {
            options.repetition_limit = Some(number(name, value)?);
        }
        _ => return Err(no_such_option(variant, name)),
    }
    Ok(())
}

fn no_such_option(variant: Variant, name: &str) -> Error {
    let known = match variant {
        Variant::Classic | Variant::Salvo => "it has edition and name_ship_on_hit",
        Variant::AdvancedSalvo => "it has edition",
        Variant::Abalone => "it has layout, rows, max_plies and repetition_limit",
        _ => "it has none",
    };
    Error::Usage(format!(
        "--option: {} has no option \"{}\": {known}.",
        names::slug(variant),
        escape(name)
    ))
}

fn wrong(name: &str, value: &str, right: &str) -> Error {
    Error::Usage(format!(
        "--option: {name} cannot be \"{}\": it is {right}.",
        escape(value)
    ))
}

fn edition(value: &str) -> Result<Edition, Error> {
    match value {
        "1967" => Ok(Edition::Edition1967),
        "2002" => Ok(Edition::Edition2002),
        _ => Err(wrong("edition", value, "1967 or 2002")),
    }
}

fn flag(name: &str, value: &str) -> Result<bool, Error> {
    value
        .parse()
        .map_err(|_| wrong(name, value, "true or false"))
}

fn number(name: &str, value: &str) -> Result<u32, Error> {
    value
        .parse()
        .map_err(|_| wrong(name, value, "a whole number"))
}

fn layout(value: &str) -> Result<AbaloneLayout, Error> {
    let wanted = value.to_lowercase().replace('-', "_");
    LAYOUTS
        .into_iter()
        .find(|layout| names::layout(*layout) == wanted)
        .ok_or_else(|| wrong("layout", value, &LAYOUTS.map(names::layout).join(", ")))
}

/// Options as `name=value` texts; empty where a variant has none.
pub(crate) fn list(options: &Options) -> Vec<String> {
    let edition = |edition: Option<i32>| {
        let edition = edition.and_then(|edition| Edition::try_from(edition).ok());
        edition.map(|edition| format!("edition={}", names::edition(edition)))
    };
    let named = |flag: Option<bool>| flag.map(|flag| format!("name_ship_on_hit={flag}"));
    match &options.variant {
        Some(options::Variant::Classic(options)) => {
            let parts = [edition(options.edition), named(options.name_ship_on_hit)];
            parts.into_iter().flatten().collect()
        }
        Some(options::Variant::Salvo(options)) => {
            let parts = [edition(options.edition), named(options.name_ship_on_hit)];
            parts.into_iter().flatten().collect()
        }
        Some(options::Variant::AdvancedSalvo(options)) => {
            edition(options.edition).into_iter().collect()
        }
        Some(options::Variant::Abalone(options)) => {
            let start = options.start.as_ref().map(|start| match start {
                Start::Layout(layout) => {
                    let layout = AbaloneLayout::try_from(*layout).unwrap_or_default();
                    format!("layout={}", names::layout(layout))
                }
                Start::Rows(rows) => format!("rows={}", escape(&rows.rows.join("/"))),
            });
            let plies = options.max_plies.map(|plies| format!("max_plies={plies}"));
            let limit = options
                .repetition_limit
                .map(|limit| format!("repetition_limit={limit}"));
            [start, plies, limit].into_iter().flatten().collect()
        }
        Some(
            options::Variant::Amiral(_)
            | options::Variant::AmiralAdvanced(_)
            | options::Variant::Naumachia(_),
        )
        | None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(variant: Variant, given: &[&str]) -> Result<Vec<String>, String> {
        let given: Vec<String> = given.iter().map(|text| (*text).to_owned()).collect();
        build(variant, &given)
            .map(|options| list(&options))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn options_are_read_as_they_are_listed() {
        let classic = ["edition=1967", "name_ship_on_hit=false"];
        assert_eq!(built(Variant::Classic, &classic).unwrap(), classic);
        assert_eq!(built(Variant::Salvo, &classic).unwrap(), classic);
        let abalone = ["layout=belgian_daisy", "max_plies=10", "repetition_limit=0"];
        assert_eq!(built(Variant::Abalone, &abalone).unwrap(), abalone);
        let rows = ["rows=wwwww/wwwwww/..www../......../........./......../..bbb../bbbbbb/bbbbb"];
        assert_eq!(built(Variant::Abalone, &rows).unwrap(), rows);
        assert!(built(Variant::Amiral, &[]).unwrap().is_empty());
    }

    #[test]
    fn a_wrong_option_says_what_would_be_right() {
        let refused = [
            (Variant::Classic, "edition=1968", "1967 or 2002"),
            (Variant::Classic, "edition", "name=value"),
            (
                Variant::Classic,
                "layout=star",
                "edition and name_ship_on_hit",
            ),
            (Variant::Naumachia, "edition=2002", "it has none"),
            (Variant::Salvo, "name_ship_on_hit=yes", "true or false"),
            (Variant::Abalone, "layout=daisy", "belgian_daisy"),
            (Variant::Abalone, "max_plies=-1", "a whole number"),
        ];
        for (variant, given, right) in refused {
            let error = built(variant, &[given]).unwrap_err();
            assert!(error.contains(right), "{error}");
        }
        let twice = built(Variant::Classic, &["edition=1967", "edition=2002"]);
        assert!(twice.unwrap_err().contains("twice"));
        let both = built(Variant::Abalone, &["layout=star", "rows=b"]);
        assert!(both.unwrap_err().contains("give one"));
    }
}
