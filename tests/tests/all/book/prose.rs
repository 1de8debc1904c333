//! How pages read: words of a sentence, long sentences, sentences that begin with a vague word.

use super::markdown;
use std::fmt;

/// Words with which a sentence says late what it is about.
const VAGUE: [&str; 4] = ["What", "Where", "Whether", "Of"];

/// Counts over sentences of three and more words.
#[derive(Default)]
pub(super) struct Figures {
    sentences: usize,
    words: usize,
    long: usize,
    vague: usize,
}

impl Figures {
    /// Words of a sentence.
    pub(super) fn mean(&self) -> f64 {
        self.words as f64 / self.sentences as f64
    }

    /// Sentences of more than 30 words.
    pub(super) fn long_share(&self) -> f64 {
        self.long as f64 / self.sentences as f64
    }

    /// Sentences that begin with a word of [`VAGUE`].
    pub(super) fn vague_share(&self) -> f64 {
        self.vague as f64 / self.sentences as f64
    }

    fn add(&mut self, sentence: &str) {
        let is_word = |word: &&str| word.contains(|c: char| c.is_ascii_alphanumeric());
        let words = sentence.split_whitespace().filter(is_word).count();
        if words < 3 {
            return;
        }
        self.sentences += 1;
        self.words += words;
        self.long += usize::from(words > 30);
        self.vague += usize::from(VAGUE.contains(&sentence.split_whitespace().next().unwrap_or_default()));
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mean, long, vague) = (self.mean(), 100.0 * self.long_share(), 100.0 * self.vague_share());
        write!(
            f,
            "{} sentences of {mean:.1} words (at most 20), {long:.1} % of more than 30 (at most 10), {vague:.1} % that begin with \
             {} (at most 2)",
            self.sentences,
            VAGUE.join(", ")
        )
    }
}

/// A paragraph's sentences: they end in a stop before a space and a capital, a code or a bracket.
fn sentences(paragraph: &str, figures: &mut Figures) {
    let text: Vec<char> = paragraph.chars().collect();
    let mut start = 0;
    for at in 0..text.len().saturating_sub(2) {
        let next = text[at + 2];
        let begins = next.is_ascii_uppercase() || matches!(next, '`' | '[' | '(');
        if matches!(text[at], '.' | '!' | '?') && text[at + 1] == ' ' && begins {
            figures.add(&text[start..=at].iter().collect::<String>());
            start = at + 2;
        }
    }
    figures.add(&text[start..].iter().collect::<String>());
}

/// The figures of pages. Tables, headings and code do not count, nor do pages that tools write.
pub(super) fn figures<'a>(pages: impl Iterator<Item = (&'a str, &'a str)>) -> Figures {
    let mut figures = Figures::default();
    for (path, text) in pages {
        if path == "docs/results/data/cts.md" {
            continue;
        }
        let mut paragraph = String::new();
        let mut last = 0;
        for (number, line) in markdown::lines(text) {
            let apart = line.trim().is_empty() || line.starts_with(['|', '#', '-']) || number != last + 1;
            if apart {
                sentences(&std::mem::take(&mut paragraph), &mut figures);
            }
            last = number;
            if !line.starts_with(['|', '#']) {
                paragraph += line.trim_start_matches(['-', '*', '>', ' ']);
                paragraph.push(' ');
            }
        }
        sentences(&paragraph, &mut figures);
    }
    figures
}
