//! Where the marbles of abalone start.

use broadside_proto::v1::{AbaloneLayout, AbaloneOptions, abalone_options::Start};

/// The nine rows at the start, row i first; none if the options give no layout that is known.
pub(super) fn rows(options: &AbaloneOptions) -> Option<Vec<String>> {
    match &options.start {
        Some(Start::Rows(rows)) => Some(rows.rows.clone()),
        Some(Start::Layout(layout)) => split(named(AbaloneLayout::try_from(*layout).ok()?)?),
        None => split(named(AbaloneLayout::Standard)?),
    }
}

fn split(rows: &str) -> Option<Vec<String>> {
    Some(rows.split('/').map(str::to_owned).collect())
}

fn named(layout: AbaloneLayout) -> Option<&'static str> {
    Some(match layout {
        AbaloneLayout::Unspecified => return None,
        AbaloneLayout::Standard => {
            "wwwww/wwwwww/..www../......../........./......../..bbb../bbbbbb/bbbbb"
        }
        AbaloneLayout::BelgianDaisy => {
            "ww.bb/wwwbbb/.ww.bb./......../........./......../.bb.ww./bbbwww/bb.ww"
        }
        AbaloneLayout::GermanDaisy => {
            "...../ww..bb/www.bbb/.ww..bb./........./.bb..ww./bbb.www/bb..ww/....."
        }
        AbaloneLayout::DutchDaisy => {
            "ww.bb/wbwbwb/.ww.bb./......../........./......../.bb.ww./bwbwbw/bb.ww"
        }
        AbaloneLayout::SwissDaisy => {
            "...../ww..bb/wbw.bwb/.ww..bb./........./.bb..ww./bwb.wbw/bb..ww/....."
        }
        AbaloneLayout::TheWall => {
            "..w../....../.wwwww./wwwwwwww/........./bbbbbbbb/.bbbbb./....../..b.."
        }
        AbaloneLayout::AlienAttack => {
            "b.b.b/.bwwb./.bwbwb./...bb.../........./...ww.../.wbwbw./.wbbw./w.w.w"
        }
        AbaloneLayout::Snakes => {
            "bbbbb/b...../b....../b.wwwww./.b.....w./.bbbbb.w/......w/.....w/wwwww"
        }
        AbaloneLayout::Checkerboard => {
            "...../bwbwbw/......./wbwbwbwb/........./bwbwbwbw/......./wbwbwb/....."
        }
        AbaloneLayout::Duel => {
            ".w.b./wwwbbb/..w.b../b......w/bb.....ww/b......w/..w.b../wwwbbb/.w.b."
        }
        AbaloneLayout::Star => {
            "b...w/.w..b./w.b.w.b/...wb.../wbwb.wbwb/...wb.../w.b.w.b/.w..b./b...w"
        }
        AbaloneLayout::Clearing => {
            "bwbwb/w....w/.b..w.b/bw.....w/w.......b/b.....bw/w.b..w./b....b/wbwbw"
        }
        AbaloneLayout::Papillons => {
            ".b.ww/b.wb.w/.w...bb/wb.....w/w.......b/b.....wb/ww...b./b.wb.w/bb.w."
        }
    })
}
