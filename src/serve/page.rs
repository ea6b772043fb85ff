//! The page for people: what the fleet sees of this host.

use bytes::Bytes;
use zinspect_exporters::{HtmlPage, select, write_html};

use crate::view::report::Device;
use crate::view::{fields, summary};

const COLUMNS: &str =
    "kname,kind,size_bytes,verdict.zeroing,verdict.max_bytes,mode,verdict.because";

/// Makes it of the devices that the metrics are made of.
pub(super) fn render(devices: &[Device], kernel: &str) -> Bytes {
    let page = HtmlPage {
        title: "zinspect: zeroing on this host".to_owned(),
        summary: summary::lines(devices, kernel),
        ..HtmlPage::default()
    };
    let columns = select(&fields::ALL, COLUMNS, &[]).unwrap_or_default();
    let mut html = Vec::new();
    // Writing to memory does not fail.
    let _ = write_html(&mut html, &page, &columns, devices);
    Bytes::from(html)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_columns_are_there() {
        let columns = zinspect_exporters::select(&crate::view::fields::ALL, super::COLUMNS, &[]);
        assert_eq!(columns.map(|columns| columns.len()), Ok(7));
    }
}
