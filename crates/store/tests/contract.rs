//! The promises of every store, checked for each of them.

use elbowroom_store::{Dsn, Postgres, Store, store_contract};

use crate::common;

store_contract!(memory, common::memory());
store_contract!(postgres, common::postgres());
store_contract!(sqlite, common::sqlite());

#[test]
fn many_may_open_a_new_database_at_once() {
    for _ in 0..5 {
        let Some(dsn) = common::cluster::new_database() else { return };
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    let store = Postgres::connect(&Dsn::new(&dsn).unwrap()).unwrap();
                    assert!(store.studies().unwrap().is_empty());
                });
            }
        });
    }
}
