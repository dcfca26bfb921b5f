//! A report as JUnit XML, which CI systems show.

use quick_junit::{NonSuccessKind, Report as Xml, TestCase, TestCaseStatus, TestSuite};

use crate::{
    report::{Grade, Report, Verdict},
    rules::Level,
};

/// The report as JUnit XML: a test case for each rule. What fails and is no more than a SHOULD is a skipped one that says so, unless
/// `strict`.
///
/// # Errors
/// If it cannot be written, which is not to be expected.
pub fn xml(report: &Report, strict: bool) -> Result<String, quick_junit::SerializeError> {
    let mut suite = TestSuite::new(format!("broadside check {}", report.bot));
    for grade in &report.rules {
        let mut case = TestCase::new(grade.id, status(grade, strict));
        case.set_classname(format!("broadside.check.{}", grade.level.name()));
        suite.add_test_case(case);
    }
    let mut xml = Xml::new("broadside check");
    xml.add_test_suite(suite);
    xml.to_string()
}

fn status(grade: &Grade, strict: bool) -> TestCaseStatus {
    let mut status = match grade.verdict {
        Verdict::Passed => return TestCaseStatus::success(),
        Verdict::Failed if strict || grade.level == Level::Must => {
            TestCaseStatus::non_success(NonSuccessKind::Failure)
        }
        Verdict::Failed | Verdict::Skipped => TestCaseStatus::skipped(),
    };
    match grade.findings.first() {
        Some(first) => status.set_message(first.message.as_str()),
        None => status.set_message(grade.why.as_deref().unwrap_or_default()),
    };
    if grade.verdict == Verdict::Failed {
        status.set_description(told(grade));
    }
    status
}

/// The findings of a rule, with their lines.
fn told(grade: &Grade) -> String {
    let mut text = format!("{} {}: {}\n", grade.level.name(), grade.id, grade.text);
    for finding in &grade.findings {
        text.push_str(&finding.message);
        text.push('\n');
        for line in &finding.lines {
            text.push_str(&format!(
                "  #{} {} ms, {}: {}\n",
                line.number,
                line.at_ms,
                line.speaker.name(),
                line.text
            ));
        }
    }
    text
}
