//! What is known of each rule so far.

use std::collections::HashMap;

use crate::rules::rule;

/// So many failings of one rule are told; the rest is counted.
const TOLD: usize = 3;

/// One failing of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Failing {
    pub(crate) message: String,
    /// Numbers of the transcript's lines that show it.
    pub(crate) lines: Vec<usize>,
}

#[derive(Debug, Default)]
pub(crate) struct Grade {
    pub(crate) passed: bool,
    pub(crate) failings: Vec<Failing>,
    pub(crate) count: usize,
    pub(crate) skipped: Option<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Grades(HashMap<&'static str, Grade>);

impl Grades {
    /// A rule was kept where it was put to the test.
    pub(crate) fn pass(&mut self, id: &'static str) {
        self.at(id).passed = true;
    }

    pub(crate) fn fail(&mut self, id: &'static str, message: impl Into<String>, lines: Vec<usize>) {
        let grade = self.at(id);
        grade.count += 1;
        if grade.failings.len() < TOLD {
            grade.failings.push(Failing {
                message: message.into(),
                lines,
            });
        }
    }

    /// A rule was not put to the test. The first reason stays.
    pub(crate) fn skip(&mut self, id: &'static str, why: impl Into<String>) {
        self.at(id).skipped.get_or_insert_with(|| why.into());
    }

    pub(crate) fn failed(&self, id: &str) -> bool {
        self.0.get(id).is_some_and(|grade| grade.count > 0)
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Grade> {
        self.0.get(id)
    }

    fn at(&mut self, id: &'static str) -> &mut Grade {
        debug_assert!(rule(id).is_some(), "there is no rule {id}");
        self.0.entry(id).or_default()
    }
}
