//! Asks through a store file, beside the core's own.

use std::path::Path;

use elbowroom::study::Study;
use elbowroom_store::{SharedStudy, open};

use crate::clocks::{Timing, timed};
use crate::history::{config, objective};

/// Results that the model is made from, at first.
pub const N: usize = 200;

/// Medians over the asks.
pub struct Pairs {
    pub core: Timing,
    pub stored: Timing,
    pub difference: Timing,
}

/// The same study twice, in memory and in a file: asks both in turn, and tells both the same.
pub fn beside_core(path: &Path, n_asks: usize) -> Pairs {
    let config = config().initial(N);
    let mut core = Study::new(config.clone()).unwrap();
    let mut shared = SharedStudy::create(open(&path.display().to_string()).unwrap(), "small", config).unwrap();
    let firsts = shared.ask(N).unwrap().trials;
    for (ours, theirs) in core.ask(N).unwrap().trials.iter().zip(&firsts) {
        assert_eq!(&ours.point, theirs.point());
        core.tell(ours.id, objective(&ours.point)).unwrap();
        shared.tell(theirs, objective(theirs.point())).unwrap();
    }
    let (mut cores, mut stored, mut differences) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..n_asks {
        let (a, asked) = timed(|| core.ask(1).unwrap());
        let (b, handed) = timed(|| shared.ask(1).unwrap());
        let (ours, theirs) = (&asked.trials[0], &handed.trials[0]);
        assert_eq!(&ours.point, theirs.point());
        core.tell(ours.id, objective(&ours.point)).unwrap();
        shared.tell(theirs, objective(theirs.point())).unwrap();
        cores.push(a);
        stored.push(b);
        differences.push(Timing { cpu: b.cpu - a.cpu, wall: b.wall - a.wall });
    }
    Pairs { core: Timing::median(cores), stored: Timing::median(stored), difference: Timing::median(differences) }
}

/// One more trial; the time of the ask alone.
pub fn ask_and_tell(study: &mut SharedStudy) -> Timing {
    let (timing, handed) = timed(|| study.ask(1).unwrap());
    study.tell(&handed.trials[0], objective(handed.trials[0].point())).unwrap();
    timing
}
