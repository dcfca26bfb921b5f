//! The setting that says where matches are kept.

use std::{fmt, path::PathBuf, str::FromStr};

use serde::{Deserialize, Serialize};

/// Where matches are kept.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum StorePlace {
    /// In this process's memory, and gone with it.
    Memory,
    /// In a SQLite database: this file.
    File(PathBuf),
    /// In a PostgreSQL database: its URL, which may hold a password.
    Postgres(String),
}

impl FromStr for StorePlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "memory" => Ok(Self::Memory),
            "" | ":memory:" => Err(format!(
                "{text:?} is no store: it must be memory, the path of a file, or postgres://USER@HOST/DATABASE"
            )),
            _ if text.starts_with("postgres://") || text.starts_with("postgresql://") => {
                Ok(Self::Postgres(text.to_owned()))
            }
            _ => match text.split_once("://") {
                Some((scheme, _)) => Err(format!(
                    "{scheme}:// is no store: it must be memory, the path of a file, or postgres://USER@HOST/DATABASE"
                )),
                None => Ok(Self::File(PathBuf::from(text))),
            },
        }
    }
}

impl TryFrom<String> for StorePlace {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<StorePlace> for String {
    fn from(place: StorePlace) -> Self {
        match place {
            StorePlace::Memory => "memory".to_owned(),
            StorePlace::File(path) => path.to_string_lossy().into_owned(),
            StorePlace::Postgres(url) => url,
        }
    }
}

/// For people: without a password.
impl fmt::Display for StorePlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => formatter.write_str("memory"),
            Self::File(path) => path.display().fmt(formatter),
            Self::Postgres(url) => {
                let (_, rest) = url.split_once("://").unwrap_or(("", url));
                let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
                // Parameters may hold a password too.
                let host = host.split_once('?').map_or(host, |(host, _)| host);
                write!(formatter, "postgres://{host}")
            }
        }
    }
}

impl fmt::Debug for StorePlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

/// What a move that was accepted outlasts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// The end of the process and the loss of power, if the disk honours flushes.
    #[default]
    Power,
    /// The end of the process, however it ends. The loss of power may take the last moments back, on both sides alike.
    Process,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_memory_a_file_or_postgres() {
        assert_eq!("memory".parse(), Ok(StorePlace::Memory));
        assert_eq!("a/b.db".parse(), Ok(StorePlace::File("a/b.db".into())));
        let url = "postgres://ada:secret@db/arena";
        assert_eq!(url.parse(), Ok(StorePlace::Postgres(url.to_owned())));
        for wrong in ["", ":memory:", "mysql://db"] {
            let error = wrong.parse::<StorePlace>().unwrap_err();
            assert!(error.contains("must be memory"), "{error}");
        }
    }

    #[test]
    fn a_password_is_not_shown() {
        for url in [
            "postgres://ada:secret@db/arena",
            "postgres://db/arena?password=secret",
        ] {
            let place: StorePlace = url.parse().unwrap();
            assert_eq!(
                format!("{place} {place:?}"),
                "postgres://db/arena postgres://db/arena"
            );
        }
    }
}
