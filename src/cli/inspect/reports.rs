//! Reports for people who would rather look than read: Markdown, HTML, SVG, DOT.

use std::io::Write;

use zinspect_exporters::{
    HtmlPage, Page, svg_parts, write_dot, write_html, write_markdown, write_svg,
};

use super::{Format, Run, RunError, files};
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
                let pages = match self.explains {
                    true => self.sections(judge, &reports),
                    false => Vec::new(),
                };
                match self.only_files() {
                    true => {
                        let answers = self.named.file_answers(judge);
                        write_markdown(out, &self.file_columns, &answers, &pages)?;
                    }
                    false => write_markdown(out, &self.columns, &reports, &pages)?,
                }
            }
            _ => {
                let picture = svg_parts(&graph::graph(self.topology, &reports, true));
                let page = HtmlPage {
                    title: "zinspect: zeroing on this host".to_owned(),
                    summary: summary::lines(&reports, &collector.kernel.release),
                    picture: (!reports.is_empty()).then_some(picture),
                    picture_says: SAYS,
                    sections: self.sections(judge, &reports),
                    filter: true,
                };
                write_html(out, &page, &self.columns, &reports)?;
            }
        }
        Ok(())
    }

    /// Whether the table is one of files.
    fn only_files(&self) -> bool {
        self.named.devices.is_empty() && !self.named.files.is_empty()
    }

    /// A page for each report, in the same order, then one for each file.
    fn sections(&self, judge: &Judge, reports: &[Device]) -> Vec<Page> {
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
        let mut pages: Vec<Page> = reports.iter().map(page).collect();
        pages.extend(files::pages(judge, self.named));
        pages
    }
}
