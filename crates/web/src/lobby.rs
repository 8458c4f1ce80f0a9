//! The connections: guests, which have not shown the token yet, and those that have.
//!
//! A connection that has shown the token keeps its place until it closes. Guests have a few separate places: when there
//! is no room for one more, the oldest guest is disconnected. So however many connections stay silent, those with a
//! token never wait for them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;

/// Counts connections.
#[derive(Debug)]
pub struct Lobby {
    guests: Mutex<Guests>,
    most_guests: usize,
    places: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct Guests {
    n_seen: u64,
    /// The waiting guests, in the order in which they came, with the handle that ends their connection.
    waiting: BTreeMap<u64, Option<AbortHandle>>,
}

/// One connection. It leaves when it is dropped.
#[derive(Debug)]
pub struct Visitor {
    lobby: Arc<Lobby>,
    number: u64,
    place: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Lobby {
    /// A lobby with room for this many guests, and for this many connections that have shown the token.
    pub fn new(most_guests: usize, most_known: usize) -> Arc<Self> {
        let places = Arc::new(Semaphore::new(most_known));
        Arc::new(Self { guests: Mutex::default(), most_guests, places })
    }

    /// Lets a connection in, if necessary in place of the oldest guest.
    pub fn enter(self: &Arc<Self>) -> Arc<Visitor> {
        let mut guests = self.lock();
        while guests.waiting.len() >= self.most_guests.max(1) {
            if let Some((_, Some(connection))) = guests.waiting.pop_first() {
                connection.abort();
            }
        }
        let number = guests.n_seen;
        guests.n_seen += 1;
        guests.waiting.insert(number, None);
        Arc::new(Visitor { lobby: self.clone(), number, place: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Guests> {
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Visitor {
    /// Sets the handle that ends the connection.
    pub fn runs(&self, connection: AbortHandle) {
        if let Some(own) = self.lobby.lock().waiting.get_mut(&self.number) {
            *own = Some(connection);
        }
    }

    /// The visitor has shown the token: waits for a permanent place, unless it has one.
    pub async fn known(&self) {
        if self.lobby.lock().waiting.remove(&self.number).is_none() {
            return;
        }
        // The semaphore is never closed.
        let place = self.lobby.places.clone().acquire_owned().await.ok();
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        self.lobby.lock().waiting.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_guest_who_came_first_makes_room_and_the_known_stay() {
        let lobby = Lobby::new(2, 8);
        let enter = || {
            let visitor = lobby.enter();
            let connection = tokio::spawn(std::future::pending::<()>());
            visitor.runs(connection.abort_handle());
            (visitor, connection)
        };
        let (known, first) = enter();
        known.known().await;
        let ((_second, second), (_third, third)) = (enter(), enter());
        let (_fourth, fourth) = enter();
        assert!(second.await.unwrap_err().is_cancelled());
        tokio::task::yield_now().await;
        assert!(!first.is_finished() && !third.is_finished() && !fourth.is_finished());
        assert_eq!(lobby.places.available_permits(), 7);
        drop(known);
        assert_eq!(lobby.places.available_permits(), 8);
    }
}
