//! What every store promises, as tests that you can run on your own store. Only with the feature `testing`.
//!
//! [`store_contract!`](crate::store_contract) makes one `#[test]` for each promise:
//!
//! ```
//! use elbowroom_store::testing::Bench;
//! use elbowroom_store::{Clock, Memory, store_contract};
//! use std::sync::Arc;
//!
//! fn bench() -> Bench {
//!     let clock = Clock::manual(1_700_000_000_000);
//!     let store = Arc::new(Memory::with_clock(clock.clone()));
//!     Bench::new(move || store.clone()).with_clock(clock)
//! }
//!
//! store_contract!(memory, bench());
//! ```
#![allow(missing_docs, reason = "the names of tests are sentences")]

pub mod contract;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use elbowroom::space::{Parameter, SearchSpace};
use elbowroom::study::{Event, InitialDesign, StudyConfig, TrialState};

use crate::{Clock, SharedStudy, Store};

/// One `#[test]` for each promise of a store, in a module of the given name. The second argument creates a [`Bench`]
/// with an empty store, or an `Option` of one: `None` skips the test.
#[macro_export]
macro_rules! store_contract {
    ($module:ident, $bench:expr) => {
        $crate::store_contract! { @each $module, $bench,
            studies_are_created_once_and_listed
            an_append_at_an_old_revision_is_refused_with_the_newer_one
            the_same_request_has_the_same_answer
            a_request_cannot_be_used_for_two_things
            workers_get_distinct_points_and_never_more_than_the_budget
            a_silent_worker_loses_its_trial_to_the_next_who_asks
            lost_trials_outside_what_is_asked_for_are_not_handed_out
            a_trial_that_is_lost_three_times_is_given_up_but_its_value_is_welcome
            a_late_value_is_kept_and_cancels_the_retry
            a_late_value_beside_a_retry_is_a_replicate
            a_failure_of_a_superseded_worker_says_nothing
            heartbeats_keep_a_trial_and_say_when_it_is_gone
            a_trial_given_back_is_handed_out_at_once_and_nothing_is_charged
            a_trial_whose_workers_are_known_to_be_dead_is_handed_out_three_times_in_all
            a_released_trial_no_longer_counts
            points_of_ones_own_are_added_once
            what_cannot_follow_is_refused_before_it_is_stored
            points_taken_meanwhile_are_avoided_without_another_fit
            failures_that_come_meanwhile_do_not_cost_a_choice_or_a_fit
            results_that_come_meanwhile_do_not_cost_a_choice
            a_worker_that_comes_back_just_in_time_keeps_its_trial
            the_queue_of_askers_has_an_order_and_forgets_the_dead
            a_pause_holds_for_all_who_ask_and_ends_with_whoever_made_it
            only_new_events_are_read
            reports_in_any_order_and_number_mean_the_same
            a_clock_that_is_stepped_by_a_day_costs_no_result_and_no_more_than_a_lease
            a_heartbeat_thread_keeps_a_trial
            a_copy_is_the_same_log
            a_configuration_that_cannot_be_opened_is_not_let_in
            a_budget_changes_for_everybody_and_never_falls_below_what_was_handed_out
            a_budget_that_moves_while_workers_ask_is_never_overshot
            many_events_are_appended_together_or_not_at_all
            places_are_remembered_by_everybody
            results_told_aside_leave_a_trial_with_its_worker
            results_told_aside_of_a_lost_trial_do_not_bring_it_back
            named_results_are_stored_once_and_copied_byte_by_byte
            results_told_aside_cost_no_choice_and_no_fit
        }
    };
    (@each $module:ident, $bench:expr, $($name:ident)*) => {
        mod $module {
            use super::*;
            $(
                #[test]
                fn $name() {
                    if let Some(bench) = Option::<$crate::testing::Bench>::from($bench) {
                        $crate::testing::contract::$name(&bench);
                    }
                }
            )*
        }
    };
}

/// A store under test: it can be opened any number of times, and its time can be made to pass.
pub struct Bench {
    open: Box<dyn Fn() -> Arc<dyn Store> + Send + Sync>,
    clock: Option<Clock>,
}

impl Bench {
    /// A store that `open` opens: each time the same one, and empty at first. It uses its own clock, which the tests
    /// wait for.
    pub fn new<S: Store + 'static>(open: impl Fn() -> Arc<S> + Send + Sync + 'static) -> Self {
        Self { open: Box::new(move || open()), clock: None }
    }

    /// Sets the clock that the store uses, which the tests step.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    pub fn open(&self) -> Arc<dyn Store> {
        (self.open)()
    }

    /// Lets the store's time pass.
    pub fn pass(&self, time: Duration) {
        match &self.clock {
            Some(clock) => clock.step(time.as_millis() as i64),
            None => std::thread::sleep(time),
        }
    }

    /// The clock, if it can be set.
    pub fn clock(&self) -> Option<&Clock> {
        self.clock.as_ref()
    }

    pub fn create(&self, config: StudyConfig) -> SharedStudy {
        SharedStudy::create(self.open(), "study", config).unwrap().worker("first")
    }

    /// Like [`create`](Self::create), with leases that run out soon.
    pub fn create_brief(&self, config: StudyConfig) -> SharedStudy {
        self.create(config).ttl(TTL)
    }

    pub fn join(&self) -> SharedStudy {
        SharedStudy::open(self.open(), "study").unwrap().worker("other")
    }
}

/// Short, since a database's clock cannot be stepped.
pub const TTL: Duration = Duration::from_millis(600);

/// Longer than a lease.
pub const LONG: Duration = Duration::from_millis(700);

/// A plane of 400 points.
pub fn grid() -> SearchSpace {
    SearchSpace::new(vec![Parameter::int("a", 0, 19), Parameter::int("b", 0, 19)]).unwrap()
}

/// Random points and no model, where the choice does not matter.
pub fn random(budget: usize) -> StudyConfig {
    StudyConfig::new(grid()).design(InitialDesign::Uniform).initial(10_000).budget(budget)
}

/// Pairs of trials at the same point, without those that were withdrawn.
pub fn twice(study: &SharedStudy) -> Vec<String> {
    let (mut points, mut twice) = (HashMap::new(), Vec::new());
    for trial in study.study().trials().iter().filter(|trial| trial.state != TrialState::Withdrawn) {
        if let Some(other) = points.insert(trial.point.to_string(), trial.id) {
            twice.push(format!("trials {other} and {} are both at {}", trial.id, trial.point));
        }
    }
    twice
}

/// Trials that count, beyond the budget.
pub fn overshoot(study: &SharedStudy) -> usize {
    let counted = study.study().trials().iter().filter(|trial| trial.state != TrialState::Withdrawn).count();
    counted.saturating_sub(study.study().config().budget.unwrap_or(usize::MAX))
}

/// Asserts the promises of a store: all trials have different points, the budget is kept, the log can be folded.
pub fn assert_sound(study: &SharedStudy) {
    let trials = study.study().trials();
    assert_eq!(twice(study), Vec::<String>::new());
    assert_eq!(overshoot(study), 0, "{} trials", trials.len());
    let handed: usize = study
        .study()
        .events()
        .iter()
        .map(|event| if let Event::Asked { trials, .. } = event { trials.len() } else { 0 })
        .sum();
    assert_eq!(handed, trials.len());
}
