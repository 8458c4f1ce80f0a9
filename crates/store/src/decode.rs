//! Reads the entries of a long log on several threads.
//!
//! An entry is checked against the digest of the one before it and then parsed, which needs no other entry. Only
//! folding the events has to happen in order.

use std::num::NonZero;
use std::thread;

use elbowroom::study::Event;

use crate::error::Result;
use crate::log::{Digest, Entry};

/// The number of entries that is worth a thread.
const SHARE: usize = 4096;

/// More threads than this would only wait for memory.
const MOST_THREADS: usize = 8;

/// The events of consecutive entries, the first of which has this number and follows this digest. An entry that cannot
/// be read gives an error at its position.
pub(crate) fn open_all(entries: &[Entry], number: usize, before: Digest) -> Vec<Result<Event>> {
    let open = |i: usize| entries[i].open(number + i, if i == 0 { before } else { entries[i - 1].digest });
    let n_threads = if entries.len() < 2 * SHARE { 1 } else { thread::available_parallelism().map_or(1, NonZero::get) };
    let n_threads = n_threads.min(entries.len() / SHARE).clamp(1, MOST_THREADS);
    if n_threads == 1 {
        return (0..entries.len()).map(open).collect();
    }
    let share = entries.len().div_ceil(n_threads);
    let open_share = |t: usize| (t * share..entries.len().min((t + 1) * share)).map(open).collect::<Vec<_>>();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads).map(|t| scope.spawn(move || open_share(t))).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().flat_map(join).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Time;
    use elbowroom::study::TrialId;

    #[test]
    fn a_long_log_is_read_in_order_and_says_which_entry_was_changed() {
        let (mut entries, mut digest) = (Vec::new(), Digest::EMPTY);
        for i in 0..5 * SHARE as u64 + 7 {
            let entry =
                Entry::of(&Event::Withdrawn { trial: TrialId(i), request: None }, Time(i as i64), digest).unwrap();
            digest = entry.digest;
            entries.push(entry);
        }
        for (i, event) in open_all(&entries, 0, Digest::EMPTY).into_iter().enumerate() {
            assert_eq!(event.unwrap(), Event::Withdrawn { trial: TrialId(i as u64), request: None });
        }
        let changed = 3 * SHARE + 1;
        entries[changed].text.push(' ');
        let wrong: Vec<usize> = open_all(&entries, 0, Digest::EMPTY)
            .iter()
            .enumerate()
            .filter_map(|(i, event)| event.is_err().then_some(i))
            .collect();
        assert_eq!(wrong, [changed]);
    }
}
