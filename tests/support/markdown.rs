// SPDX-License-Identifier: MIT

//! The parts of a Markdown page that tests read.

#![allow(dead_code)]

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A page, parsed.
#[derive(Default)]
pub(crate) struct Markdown {
    /// The targets of links and images.
    pub(crate) links: Vec<String>,
    /// The texts in backticks.
    pub(crate) spans: Vec<String>,
    /// The headings as anchors of URLs.
    pub(crate) anchors: Vec<String>,
    /// The code blocks, each with its language.
    pub(crate) blocks: Vec<(String, String)>,
}

impl Markdown {
    pub(crate) fn parse(text: &str) -> Markdown {
        let mut page = Markdown::default();
        let (mut heading, mut block) = (None, None);
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.to_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => page.anchors.extend(heading.take().map(|text| anchor(&text))),
                Event::Start(Tag::CodeBlock(kind)) => block = Some((language(&kind), String::new())),
                Event::End(TagEnd::CodeBlock) => page.blocks.extend(block.take()),
                Event::Text(text) | Event::Code(text) if heading.is_some() => {
                    heading.iter_mut().for_each(|it| *it += &text)
                }
                Event::Text(text) => block.iter_mut().for_each(|(_, code)| *code += &text),
                Event::Code(text) => page.spans.push(text.to_string()),
                _ => {}
            }
        }
        page
    }
}

fn language(kind: &CodeBlockKind<'_>) -> String {
    match kind {
        CodeBlockKind::Fenced(language) => language.to_string(),
        CodeBlockKind::Indented => String::new(),
    }
}

/// The anchor of a heading, by GitHub's rule.
fn anchor(heading: &str) -> String {
    let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading.to_lowercase().chars().filter(is_kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}
