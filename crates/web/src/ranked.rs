//! Locks that are taken in one order. A thread that holds one takes only those of a higher rank, so that two threads
//! never wait for each other. In debug builds, and so in every test, a thread that takes one out of order panics.

use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The order in which locks are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// The turn of an asker; held during a fit.
    Turn,
    /// Reasons being computed; held during a fit.
    Reasoning,
    /// Which frozen study is shown.
    Slot,
    /// The pictures of the frozen study; held while one is drawn.
    Drawn,
    /// When the store was last read; held while it is read.
    Refreshed,
    /// The study that is shown.
    Shown,
    /// Held while the store is told about a pause.
    Pausing,
    /// Held briefly, and never during a call to anything else here.
    Leaf,
}

/// A lock with a rank.
pub struct Ranked<L> {
    rank: Rank,
    lock: L,
}

/// The guarded value, while the lock is held.
pub struct Guard<G> {
    guard: G,
    held: Held,
}

impl<T> Ranked<Mutex<T>> {
    pub fn new(rank: Rank, value: T) -> Self {
        Self { rank, lock: Mutex::new(value) }
    }

    pub fn lock(&self) -> Guard<MutexGuard<'_, T>> {
        let held = Held::new(self.rank);
        Guard { guard: self.lock.lock().unwrap_or_else(PoisonError::into_inner), held }
    }
}

impl<T> Ranked<RwLock<T>> {
    pub fn shared(rank: Rank, value: T) -> Self {
        Self { rank, lock: RwLock::new(value) }
    }

    pub fn read(&self) -> Guard<RwLockReadGuard<'_, T>> {
        let held = Held::new(self.rank);
        Guard { guard: self.lock.read().unwrap_or_else(PoisonError::into_inner), held }
    }

    pub fn write(&self) -> Guard<RwLockWriteGuard<'_, T>> {
        let held = Held::new(self.rank);
        Guard { guard: self.lock.write().unwrap_or_else(PoisonError::into_inner), held }
    }
}

impl<'a, T> Guard<MutexGuard<'a, T>> {
    /// Releases the lock until a change is signalled.
    pub fn wait(self, changed: &Condvar) -> Self {
        let Self { guard, held } = self;
        Self { guard: changed.wait(guard).unwrap_or_else(PoisonError::into_inner), held }
    }
}

impl<G: Deref> Deref for Guard<G> {
    type Target = G::Target;

    fn deref(&self) -> &G::Target {
        &self.guard
    }
}

impl<G: DerefMut> DerefMut for Guard<G> {
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.guard
    }
}

#[cfg(debug_assertions)]
thread_local! {
    static RANKS: std::cell::RefCell<Vec<Rank>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// Records that this thread holds a lock.
struct Held {
    #[cfg(debug_assertions)]
    rank: Rank,
}

impl Held {
    #[cfg(debug_assertions)]
    fn new(rank: Rank) -> Self {
        RANKS.with_borrow_mut(|ranks| {
            let highest = ranks.iter().max();
            assert!(highest.is_none_or(|held| *held < rank), "{rank:?} is locked by a thread that holds {ranks:?}");
            ranks.push(rank);
        });
        Self { rank }
    }

    #[cfg(not(debug_assertions))]
    fn new(_rank: Rank) -> Self {
        Self {}
    }
}

#[cfg(debug_assertions)]
impl Drop for Held {
    fn drop(&mut self) {
        RANKS.with_borrow_mut(|ranks| {
            if let Some(last) = ranks.iter().rposition(|rank| *rank == self.rank) {
                ranks.remove(last);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_are_taken_upwards_and_let_go_in_any_order() {
        let (low, high) = (Ranked::<Mutex<u8>>::new(Rank::Turn, 1), Ranked::shared(Rank::Shown, 2));
        let (first, second) = (low.lock(), high.read());
        drop(first);
        drop(second);
        *high.write() += 1;
        assert_eq!((*low.lock(), *high.read()), (1, 3));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "Turn is locked by a thread that holds [Shown]")]
    fn a_lock_out_of_order_panics_where_debug_assertions_are_on() {
        let (low, high) = (Ranked::<Mutex<u8>>::new(Rank::Turn, 1), Ranked::shared(Rank::Shown, 2));
        let _high = high.read();
        let _low = low.lock();
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "Leaf is locked by a thread that holds [Leaf]")]
    fn a_leaf_is_held_alone() {
        let (one, other) = (Ranked::<Mutex<u8>>::new(Rank::Leaf, 1), Ranked::<Mutex<u8>>::new(Rank::Leaf, 2));
        let _one = one.lock();
        let _other = other.lock();
    }
}
