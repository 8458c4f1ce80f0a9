//! Hands out points. One client asks at a time, because choosing may take a fit. If several wait, one prepares points
//! for all of them and each then takes its share: a batch is chosen once, and each trial is stored under its taker's
//! name and request as usual.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use elbowroom::study::Ask;
use elbowroom_store::{Assignments, Attempt, Error, SharedStudy};

use crate::error::HttpError;
use crate::limits::MAX_ASK;
use crate::live_study::LiveStudy;
use crate::pause::{Pause, is_paused};
use crate::ranked::{Rank, Ranked};

/// The name under which points are prepared for waiting clients.
const PREPARED: &str = "elbow serve";

/// The askers of one study.
pub struct AskBroker {
    /// The study that asks; `None` before it is opened, and after it was found to have been replaced.
    turn: Ranked<Mutex<Option<SharedStudy>>>,
    state: Ranked<Mutex<BrokerState>>,
    pub pause: Arc<Pause>,
}

impl Default for AskBroker {
    fn default() -> Self {
        Self {
            turn: Ranked::<Mutex<_>>::new(Rank::Turn, None),
            state: Ranked::<Mutex<_>>::new(Rank::Leaf, BrokerState::default()),
            pause: Arc::default(),
        }
    }
}

impl AskBroker {
    /// Takes points. For a client that asks for a part of the space, points are chosen separately.
    pub fn ask(&self, live: &LiveStudy, ask: Ask, worker: &str, ttl: Duration) -> Result<Assignments, HttpError> {
        let client = self.enter(ask.request.as_deref());
        let is_answered = |name| live.look_shared(|shared| shared.study().answered(name).is_some());
        if client.is_first && ask.narrowing.is_empty() && !ask.request.as_deref().map_or(Ok(false), is_answered)? {
            self.state.lock().want(&client.key, ask.n);
        }
        self.ask_in_turn(live, ask, &client.key, worker, ttl)
    }

    fn enter(&self, name: Option<&str>) -> Client<'_> {
        let (key, is_first) = self.state.lock().enter(name);
        Client { broker: self, key, is_first }
    }

    fn ask_in_turn(
        &self,
        live: &LiveStudy,
        ask: Ask,
        key: &Key,
        worker: &str,
        ttl: Duration,
    ) -> Result<Assignments, HttpError> {
        let mut turn = self.turn.lock();
        let mut study = match turn.take() {
            Some(study) => study,
            None => SharedStudy::open(live.store().clone(), live.name())?,
        };
        if self.pause.is_on() {
            *turn = Some(study);
            return Err(is_paused());
        }
        let n_to_prepare = self.state.lock().to_prepare(key);
        if let Some(n) = n_to_prepare {
            let mut preparing = study.worker(PREPARED).ttl(ttl);
            let n_prepared = prepare(&mut preparing, n)?;
            study = preparing;
            self.state.lock().prepared = n_prepared;
        }
        study = study.worker(worker).ttl(ttl);
        let handed = study.ask_unless_paused(ask);
        // A study that was replaced is opened again.
        *turn = Some(study).filter(|_| !matches!(handed, Err(Error::Damaged { .. })));
        self.state.lock().take(key);
        // A client can read a trial as soon as it is handed out, and a repeated request finds its answer.
        live.outdate();
        // Another server of the same store may have paused the study.
        handed?.ok_or_else(is_paused)
    }
}

/// Chooses points and hands them back, so that the next askers take them. Returns their number.
fn prepare(study: &mut SharedStudy, n: usize) -> Result<usize, Error> {
    let handed = study.ask_unless_paused(n)?.unwrap_or_default();
    let attempts: Vec<Attempt> = handed.trials.iter().map(|trial| trial.attempt).collect();
    study.stored().requeue(&attempts)?;
    Ok(attempts.len())
}

/// A client that asks. It leaves when it is dropped, even if its ask fails or panics.
struct Client<'a> {
    broker: &'a AskBroker,
    key: Key,
    is_first: bool,
}

impl Drop for Client<'_> {
    fn drop(&mut self) {
        if self.is_first {
            self.broker.state.lock().leave(&self.key);
        }
    }
}

/// How a client is identified: by its request's name, which others may share, or by a number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Named(String),
    Numbered(u64),
}

/// Which clients wait, and how many points are prepared for them. Each method is one step under the lock.
#[derive(Debug, Clone, Default)]
struct BrokerState {
    /// How many points each client wants, `None` once they are taken: a request that is sent twice wants its points
    /// once.
    wanted: BTreeMap<Key, Option<usize>>,
    /// How many points are prepared.
    prepared: usize,
    n_clients: u64,
}

impl BrokerState {
    /// Adds a client. Returns whether it is the first of its name: until that one leaves, no other is.
    fn enter(&mut self, name: Option<&str>) -> (Key, bool) {
        self.n_clients += 1;
        let key = name.map_or(Key::Numbered(self.n_clients), |name| Key::Named(name.to_owned()));
        let is_first = !self.wanted.contains_key(&key);
        self.wanted.entry(key.clone()).or_insert(Some(0));
        (key, is_first)
    }

    /// The first client of a key waits for n points, unless another of its name has taken them in the meantime.
    fn want(&mut self, key: &Key, n: usize) {
        if let Some(Some(wanted)) = self.wanted.get_mut(key) {
            *wanted = n;
        }
    }

    /// How many points the client whose turn it is prepares: as many as all want, if others wait and too few are
    /// prepared.
    fn to_prepare(&self, key: &Key) -> Option<usize> {
        let own = self.wanted.get(key).copied().flatten().unwrap_or_default();
        let waiting: usize = self.wanted.values().flatten().sum();
        (waiting > own && self.prepared < own).then(|| waiting.min(MAX_ASK))
    }

    /// The client whose turn it is takes the points of its key: from now on no client prepares any for it.
    fn take(&mut self, key: &Key) {
        let own = self.wanted.get_mut(key).and_then(Option::take).unwrap_or_default();
        self.prepared = self.prepared.saturating_sub(own);
    }

    /// The first client of a key leaves.
    fn leave(&mut self, key: &Key) {
        self.wanted.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interleavings::{Step, walk};

    /// Clients by name and number of points; a store as a counter of new points and a queue of those handed back.
    #[derive(Debug, Clone)]
    struct World {
        state: BrokerState,
        clients: Vec<(&'static str, usize)>,
        at: Vec<usize>,
        is_first: Vec<bool>,
        wants: Vec<bool>,
        is_turn_taken: bool,
        n_chosen: usize,
        queue: Vec<usize>,
        /// The points that each name was handed: a repeated name gets the same answer.
        answers: BTreeMap<&'static str, Vec<usize>>,
        /// How often points were chosen.
        n_batches: usize,
    }

    impl World {
        fn new(clients: &[(&'static str, usize)]) -> Self {
            let n = clients.len();
            Self {
                state: BrokerState::default(),
                clients: clients.to_vec(),
                at: vec![0; n],
                is_first: vec![false; n],
                wants: vec![false; n],
                is_turn_taken: false,
                n_chosen: 0,
                queue: Vec::new(),
                answers: BTreeMap::new(),
                n_batches: 0,
            }
        }

        /// Points of the queue first, then new ones, as a store hands them out.
        fn ask(&mut self, n: usize) -> Vec<usize> {
            let from_queue: Vec<usize> = self.queue.drain(..n.min(self.queue.len())).collect();
            let n_new = n - from_queue.len();
            self.n_batches += usize::from(n_new > 0);
            let new = self.n_chosen..self.n_chosen + n_new;
            self.n_chosen = new.end;
            from_queue.into_iter().chain(new).collect()
        }

        fn step(&mut self, client: usize) -> Step {
            let (name, n) = self.clients[client];
            let key = Key::Named(name.to_owned());
            match self.at[client] {
                0 => self.is_first[client] = self.state.enter(Some(name)).1,
                1 => self.wants[client] = self.is_first[client] && !self.answers.contains_key(name),
                2 => {
                    if self.wants[client] {
                        self.state.want(&key, n);
                    }
                }
                3 if self.is_turn_taken => return Step::Waits,
                3 => {
                    self.is_turn_taken = true;
                    if let Some(wanted) = self.state.to_prepare(&key) {
                        let prepared = self.ask(wanted);
                        self.state.prepared = prepared.len();
                        self.queue.splice(0..0, prepared);
                    }
                }
                4 => {
                    if !self.answers.contains_key(name) {
                        let points = self.ask(n);
                        self.answers.insert(name, points);
                    }
                    self.state.take(&key);
                    self.is_turn_taken = false;
                }
                5 if self.is_first[client] => self.state.leave(&key),
                5 => {}
                _ => return Step::Ended,
            }
            self.at[client] += 1;
            assert!(self.state.prepared <= self.queue.len(), "more is said to be prepared than there is");
            Step::Made
        }
    }

    #[test]
    fn in_every_order_each_name_is_answered_once_and_no_point_is_handed_out_twice() {
        for clients in [[("a", 1), ("b", 1), ("c", 1)], [("a", 2), ("b", 1), ("a", 2)], [("a", 1), ("a", 1), ("a", 1)]]
        {
            let n_states = walk(&World::new(&clients), 3, &World::step, &mut |world| {
                for (name, n) in &world.clients {
                    assert_eq!(world.answers[name].len(), *n, "{name}");
                }
                let mut points: Vec<usize> = world.answers.values().flatten().copied().collect();
                points.sort_unstable();
                points.dedup();
                assert_eq!(points.len(), world.answers.values().map(Vec::len).sum::<usize>());
                assert_eq!(world.queue, [0; 0], "nothing is prepared that nobody wanted");
                assert_eq!((world.state.wanted.len(), world.state.prepared), (0, 0));
            });
            assert!(n_states > 100, "{n_states}");
        }
    }

    #[test]
    fn clients_that_wait_together_have_their_points_chosen_once() {
        let mut world = World::new(&[("a", 1), ("b", 2), ("c", 1)]);
        for client in [0, 1, 2, 0, 1, 2, 0, 1, 2] {
            world.step(client);
        }
        for client in 0..3 {
            while world.step(client) == Step::Made {}
        }
        assert_eq!((world.n_batches, world.n_chosen), (1, 4));
    }
}
