//! Requests that are carried out once, however often and however close together they are sent.
//!
//! Most changes to a study leave their request's name in the log. This is for the rest, and remembers names as long as
//! the process lives.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Condvar, Mutex};

use crate::ranked::{Rank, Ranked};

/// How many names are remembered; beyond that, the oldest are forgotten.
const MOST_REMEMBERED: usize = 10_000;

/// The requests of one study.
pub struct Idempotency {
    requests: Ranked<Mutex<Requests>>,
    left: Condvar,
}

impl Default for Idempotency {
    fn default() -> Self {
        Self { requests: Ranked::<Mutex<_>>::new(Rank::Leaf, Requests::default()), left: Condvar::new() }
    }
}

impl Idempotency {
    /// Does the work once for all requests of a name: a request that comes during the work waits, and works only if
    /// that failed. Without a name every request works.
    pub fn run<E>(&self, request: Option<&str>, work: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let Some(name) = request else { return work() };
        let mut requests = self.requests.lock();
        loop {
            match requests.enter(name) {
                Entry::Work => break,
                Entry::Wait => requests = requests.wait(&self.left),
                Entry::Done => return Ok(()),
            }
        }
        drop(requests);
        let mut under_way = UnderWay { all: self, name, is_done: false };
        work()?;
        under_way.is_done = true;
        Ok(())
    }
}

/// Takes a name off the list of those under way, even if the work panics.
struct UnderWay<'a> {
    all: &'a Idempotency,
    name: &'a str,
    is_done: bool,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.all.requests.lock().leave(self.name, self.is_done);
        self.all.left.notify_all();
    }
}

/// What a request should do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    /// It is the first of its name.
    Work,
    /// Another of its name is working.
    Wait,
    /// Another of its name has worked.
    Done,
}

/// The names under way and done. Each method is one step under the lock.
#[derive(Debug, Clone, Default)]
struct Requests {
    under_way: BTreeSet<String>,
    done: BTreeSet<String>,
    /// The names that are done, the oldest first.
    order: VecDeque<String>,
}

impl Requests {
    fn enter(&mut self, name: &str) -> Entry {
        if self.done.contains(name) {
            Entry::Done
        } else if self.under_way.insert(name.to_owned()) {
            Entry::Work
        } else {
            Entry::Wait
        }
    }

    fn leave(&mut self, name: &str, is_done: bool) {
        self.under_way.remove(name);
        if !is_done || !self.done.insert(name.to_owned()) {
            return;
        }
        self.order.push_back(name.to_owned());
        if self.order.len() > MOST_REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.done.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interleavings::{Step, walk};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Barrier, mpsc};
    use std::time::Duration;

    #[derive(Debug, Clone)]
    struct World {
        requests: Requests,
        /// What each client does next: enter, work, leave, nothing.
        at: [usize; 3],
        fails: [bool; 3],
        worked: Vec<&'static str>,
    }

    #[test]
    fn in_every_order_each_name_is_worked_on_once_and_again_only_after_a_failure() {
        // Two requests of one name, and another one; the first client's work fails in the second round.
        const NAMES: [&str; 3] = ["a", "a", "b"];
        for fails in [[false; 3], [true, false, false]] {
            let world = World { requests: Requests::default(), at: [0; 3], fails, worked: Vec::new() };
            let step = |world: &mut World, client: usize| {
                let name = NAMES[client];
                match world.at[client] {
                    0 => match world.requests.enter(name) {
                        Entry::Work => {}
                        Entry::Wait => return Step::Waits,
                        Entry::Done => world.at[client] = 2,
                    },
                    1 => {
                        if !world.fails[client] {
                            world.worked.push(name);
                        }
                    }
                    2 => world.requests.leave(name, !world.fails[client]),
                    _ => return Step::Ended,
                }
                world.at[client] += 1;
                Step::Made
            };
            let n_states = walk(&world, 3, &step, &mut |world| {
                let mut worked = world.worked.clone();
                worked.sort_unstable();
                assert_eq!(worked, ["a", "b"]);
                assert!(world.requests.under_way.is_empty());
            });
            assert!(n_states > 10, "{n_states}");
        }
    }

    #[test]
    fn two_equal_requests_at_the_same_time_work_once() {
        let (once, n_worked, begun) = (Idempotency::default(), AtomicUsize::new(0), Barrier::new(2));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    begun.wait();
                    once.run(Some("back"), || {
                        n_worked.fetch_add(1, Ordering::SeqCst);
                        std::thread::sleep(Duration::from_millis(20));
                        Ok::<(), ()>(())
                    })
                });
            }
        });
        assert_eq!(n_worked.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_request_does_not_wait_for_one_of_another_name() {
        let once = &Idempotency::default();
        let (heard, other) = mpsc::channel();
        std::thread::scope(|scope| {
            let first = scope.spawn(move || {
                // Continues once the other one is done; the minute allows for a very busy machine.
                once.run(Some("a"), || other.recv_timeout(Duration::from_secs(60)))
            });
            while once.requests.lock().under_way.is_empty() {
                std::thread::yield_now();
            }
            once.run(Some("b"), || heard.send(())).unwrap();
            assert_eq!(first.join().unwrap(), Ok(()));
        });
    }

    #[test]
    fn a_request_whose_work_panicked_can_be_sent_again() {
        let once = Idempotency::default();
        let panics = std::panic::AssertUnwindSafe(|| once.run::<()>(Some("a"), || panic!("on purpose")));
        assert!(std::panic::catch_unwind(panics).is_err());
        let mut worked = false;
        once.run::<()>(Some("a"), || {
            worked = true;
            Ok(())
        })
        .unwrap();
        assert!(worked);
    }

    #[test]
    fn the_oldest_names_are_forgotten_and_no_others() {
        let once = Idempotency::default();
        let mut worked = Vec::new();
        for i in (0..=MOST_REMEMBERED).chain([MOST_REMEMBERED, 1, 0]) {
            once.run::<()>(Some(&i.to_string()), || {
                worked.push(i);
                Ok(())
            })
            .unwrap();
        }
        assert_eq!(worked[MOST_REMEMBERED..], [MOST_REMEMBERED, 0]);
    }
}
