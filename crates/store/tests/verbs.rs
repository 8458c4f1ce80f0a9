//! A study in memory and a study in a store have the same methods for asking and telling.

use std::sync::Arc;

use elbowroom::Goal;
use elbowroom::space::{Parameter, Point, SearchSpace};
use elbowroom::study::{Ask, Study, StudyConfig, Tell, Told, TrialId};
use elbowroom_store::{Memory, SharedStudy};

fn config() -> StudyConfig {
    let space = SearchSpace::new(vec![Parameter::float("x", 0.0, 1.0), Parameter::int("n", 1, 9)]).unwrap();
    StudyConfig::new(space).goal(Goal::Maximize).initial(4)
}

/// The same lines for either kind of study. They are a macro, so that the calls are certainly the same.
macro_rules! search {
    ($study:ident) => {{
        let point = Point::new().with("x", 0.25).with("n", 3);
        assert_eq!($study.ask(4).unwrap().trials.len(), 4);
        assert_eq!($study.tell(TrialId(0), 0.5).unwrap(), Told::Recorded);
        assert_eq!($study.tell(TrialId(1), [("value", 1.5), ("minutes", 12.0)]).unwrap(), Told::Recorded);
        let noisy = Tell::new(2.5).noise(0.25).request("row 3").comment("by hand");
        assert_eq!($study.tell(TrialId(1), noisy.clone()).unwrap(), Told::Replicate);
        assert_eq!($study.tell(TrialId(1), noisy).unwrap(), Told::Repeated);
        assert_eq!($study.tell(TrialId(0), Tell::new(0.75).correction()).unwrap(), Told::Correction);
        $study.fail(TrialId(2), "broke").unwrap();
        $study.infeasible(TrialId(3), "does not dissolve").unwrap();
        assert_eq!($study.add(&point, Tell::new(3.0).noise(0.5)).unwrap().id, TrialId(4));
        assert_eq!($study.ask(Ask::new(2).fix("n", 7).named("first")).unwrap().trials.len(), 2);
        $study.withdraw(TrialId(5)).unwrap();
        assert!($study.set_budget(Some(20)).unwrap());
    }};
}

#[test]
fn the_same_lines_do_the_same_in_memory_and_in_a_store() {
    let mut alone = Study::new(config()).unwrap();
    let mut shared = SharedStudy::create(Arc::new(Memory::new()), "plate", config()).unwrap();
    search!(alone);
    search!(shared);
    assert_eq!(alone.trials(), shared.study().trials());
    assert_eq!(alone.best(), shared.study().best());
    assert_eq!(alone.budget_left(), shared.study().budget_left());
}
