//! Reports for people who would rather look than read: Markdown, HTML, SVG, DOT.

use std::io::Write;

use zinspect_exporters::{
    HtmlPage, Page, svg_parts, write_dot, write_html, write_markdown, write_svg,
};

use super::{Format, Run, RunError};
use crate::facts::collect::Collector;
use crate::model::device::BlockDevice;
use crate::verdict::Judge;
use crate::view::graph::{self, SAYS};
use crate::view::report::Device;
use crate::view::{detail, summary};

impl Run<'_> {
    pub(super) fn report(
        &self,
        out: &mut dyn Write,
        collector: &Collector,
        judge: &Judge,
        shown: &[&BlockDevice],
    ) -> Result<(), RunError> {
        let reports = self.reports(judge, shown);
        match self.format {
            Format::Dot => write_dot(out, &graph::graph(self.topology, &reports, false))?,
            Format::Svg => write_svg(out, &graph::graph(self.topology, &reports, false), SAYS)?,
            Format::Markdown => {
                let pages: Vec<Page> = match self.explains {
                    true => self.sections(&reports),
                    false => Vec::new(),
                };
                write_markdown(out, &self.columns, &reports, &pages)?;
            }
            _ => {
                let picture = svg_parts(&graph::graph(self.topology, &reports, true));
                let page = HtmlPage {
                    title: "zinspect: zeroing on this host".to_owned(),
                    summary: summary::lines(&reports, &collector.kernel.release),
                    picture: (!reports.is_empty()).then_some(picture),
                    picture_says: SAYS,
                    sections: self.sections(&reports),
                    filter: true,
                };
                write_html(out, &page, &self.columns, &reports)?;
            }
        }
        Ok(())
    }

    /// A page for each report, in the same order.
    fn sections(&self, reports: &[Device]) -> Vec<Page> {
        let raw = self.args.raw;
        let page = |report: &Device| {
            let device = self
                .topology
                .iter()
                .find(|d| d.kname.as_str() == report.kname);
            device.map_or_else(Page::default, |device| {
                detail::page(report, device, detail::Detail { raw })
            })
        };
        reports.iter().map(page).collect()
    }
}
