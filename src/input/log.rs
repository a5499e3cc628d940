//! Log prefixes: `[rank3]: `, timestamps, levels. They are blanked, so every place stays true.

/// A text without its log prefixes, byte for byte as long as the original, and the rank that each
/// prefixed line names.
pub(super) struct Unprefixed {
    pub text: String,
    /// `(where the line starts, rank)`, in order.
    ranks: Vec<(usize, i64)>,
}

impl Unprefixed {
    /// The rank named by the last prefix at or before this place.
    pub fn rank_at(&self, at: usize) -> Option<i64> {
        let after = self.ranks.partition_point(|&(start, _)| start <= at);
        self.ranks[..after].last().map(|&(_, rank)| rank)
    }
}

/// Blanks the prefixes of every line.
pub(super) fn blank_prefixes(text: &str) -> Unprefixed {
    let mut out = String::with_capacity(text.len());
    let mut ranks = Vec::new();
    for line in text.split_inclusive('\n') {
        let (length, rank) = prefix(line);
        if let Some(rank) = rank {
            ranks.push((out.len(), rank));
        }
        out.extend(std::iter::repeat_n(' ', length));
        out.push_str(&line[length..]);
    }
    Unprefixed { text: out, ranks }
}

/// How many bytes of the line are log prefix, and the rank it names.
fn prefix(line: &str) -> (usize, Option<i64>) {
    let (mut at, mut rank) = (0, None);
    loop {
        let rest = &line[at..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let rest = &rest[blanks..];
        let Some((length, named)) = one_prefix(rest) else { return (at, rank) };
        at += blanks + length;
        rank = named.or(rank);
    }
}

fn one_prefix(rest: &str) -> Option<(usize, Option<i64>)> {
    // `[rank3]:`, `[INFO]`, `[2026-08-01 12:00:00]`, `(Worker pid=12)`; a list of numbers is none.
    for (open, close) in [('[', ']'), ('(', ')')] {
        if let Some(inner) = rest.strip_prefix(open)
            && let Some(end) = inner.find(close)
        {
            let inside = &inner[..end];
            let rank = named_rank(inside);
            let label = inside.starts_with(|c: char| c.is_ascii_alphabetic())
                && !inside.contains(['(', '[', '{', '=', ','])
                || inside.contains("pid=")
                || timestamp(inside) == inside.len() && inside.contains([':', '-']);
            if !rank.is_some_and(|_| true) && !label {
                return None;
            }
            let mut length = end + 2;
            length += usize::from(rest[length..].starts_with(':'));
            return Some((length, rank));
        }
    }
    let time = timestamp(rest);
    if time > 0 {
        return Some((time, None));
    }
    for level in ["DEBUG", "INFO", "WARNING", "ERROR"] {
        if let Some(after) = rest.strip_prefix(level)
            && after.starts_with([' ', ':'])
        {
            return Some((level.len() + 1, None));
        }
    }
    // `rank 3: …`, `Rank3 - …`, and `srun -l`'s `3: …`.
    let word = rest.to_ascii_lowercase();
    let digits = word
        .strip_prefix("rank")
        .map_or(word.as_str(), |w| w.trim_start_matches([' ', '=', '_', ':']));
    let number = digits.bytes().take_while(u8::is_ascii_digit).count();
    let after = &digits[number..];
    let bare = digits.len() == word.len();
    if number > 0
        && number < 8
        && (after.starts_with(": ") || !bare && after.starts_with([' ', ':', ']']))
    {
        let rank = digits[..number].parse().ok();
        return Some((rest.len() - after.len() + usize::from(!after.starts_with(' ')), rank));
    }
    None
}

fn named_rank(inside: &str) -> Option<i64> {
    let word = inside.to_ascii_lowercase();
    let at = word.find("rank")?;
    let digits = word[at + 4..].trim_start_matches([' ', '=', '_', ':', '-']);
    let number: String = digits.chars().take_while(char::is_ascii_digit).collect();
    number.parse().ok().filter(|&rank: &i64| rank <= i64::from(i32::MAX))
}

/// How many bytes at the start are a date or a time of day.
fn timestamp(rest: &str) -> usize {
    let length = rest
        .bytes()
        .take_while(|b| {
            b.is_ascii_digit() || matches!(b, b'-' | b':' | b'.' | b',' | b'T' | b'Z' | b'/' | b'+')
        })
        .count();
    let written = &rest[..length];
    let date = written.len() >= 10 && written.matches('-').count() == 2
        || written.matches('/').count() == 2;
    let time = written.matches(':').count() == 2;
    if !(date || time) || !written.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    written.trim_end_matches(',').len()
}
