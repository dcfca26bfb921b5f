//! A duration that may be absent, written `none`.

use std::{borrow::Cow, time::Duration};

use serde::{Deserialize, Deserializer, Serializer, de::Error};

pub(super) fn serialize<S: Serializer>(
    value: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        None => serializer.serialize_str("none"),
        Some(duration) => {
            serializer.serialize_str(&humantime::format_duration(*duration).to_string())
        }
    }
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Duration>, D::Error> {
    let text = Cow::<str>::deserialize(deserializer)?;
    if text == "none" {
        return Ok(None);
    }
    humantime::parse_duration(&text)
        .map(Some)
        .map_err(|error| D::Error::custom(format!("{text:?} is no duration: {error}")))
}
