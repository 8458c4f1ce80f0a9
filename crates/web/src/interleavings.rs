//! Every order in which the steps of several clients can happen, for tests of their shared state.

use std::collections::BTreeSet;
use std::fmt::Debug;

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The step was made.
    Made,
    /// The client has to wait for another one; nothing changed.
    Waits,
    /// The client has no step left.
    Ended,
}

/// Walks through all orders, depth first: `step` makes the next step of a client, `end` sees every last state. Panics
/// if clients wait for each other. A state that several orders lead to is visited once. Returns the number of different
/// states.
pub fn walk<S: Clone + Debug>(
    state: &S,
    n_clients: usize,
    step: &impl Fn(&mut S, usize) -> Step,
    end: &mut impl FnMut(&S),
) -> usize {
    let mut seen = BTreeSet::new();
    go_on(state, n_clients, step, end, &mut seen);
    seen.len()
}

fn go_on<S: Clone + Debug>(
    state: &S,
    n_clients: usize,
    step: &impl Fn(&mut S, usize) -> Step,
    end: &mut impl FnMut(&S),
    seen: &mut BTreeSet<String>,
) {
    if !seen.insert(format!("{state:?}")) {
        return;
    }
    let (mut n_made, mut n_ended) = (0, 0);
    for client in 0..n_clients {
        let mut next = state.clone();
        match step(&mut next, client) {
            Step::Made => {
                n_made += 1;
                go_on(&next, n_clients, step, end, seen);
            }
            Step::Waits => {}
            Step::Ended => n_ended += 1,
        }
    }
    if n_ended == n_clients {
        end(state);
    } else {
        assert!(n_made > 0, "{} of {n_clients} clients wait for each other: {state:?}", n_clients - n_ended);
    }
}

#[test]
fn two_clients_of_two_steps_have_nine_states_and_end_together() {
    let step = |steps: &mut [usize; 2], client: usize| {
        if steps[client] == 2 {
            return Step::Ended;
        }
        steps[client] += 1;
        Step::Made
    };
    assert_eq!(walk(&[0, 0], 2, &step, &mut |steps| assert_eq!(*steps, [2, 2])), 9);
}

#[test]
#[should_panic(expected = "2 of 2 clients wait for each other")]
fn clients_that_wait_for_each_other_are_found() {
    // Each client takes its lock, then wants the other's.
    let step = |held: &mut [bool; 2], client: usize| {
        if held[client] {
            return if held[1 - client] { Step::Waits } else { Step::Ended };
        }
        held[client] = true;
        Step::Made
    };
    walk(&[false, false], 2, &step, &mut |_| {});
}
