//! From an address to a store.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::store::Store;

/// Opens the store at an address, and makes it if there is none: `postgres://…` is a database, `memory:` a store of this
/// process alone, anything else the path of a store file.
///
/// ```
/// use elbowroom_store::open;
/// assert_eq!(open("memory:")?.place(), "memory");
/// # Ok::<(), elbowroom_store::Error>(())
/// ```
pub fn open(address: &str) -> Result<Arc<dyn Store>> {
    match address {
        "" => Err(Error::request("the address of the store is empty", "give a path or postgres://…")),
        "memory:" => Ok(Arc::new(Memory::new())),
        _ if is_postgres(address) => open_postgres(address),
        path => open_sqlite(path.strip_prefix("sqlite:").unwrap_or(path)),
    }
}

fn is_postgres(address: &str) -> bool {
    address.starts_with("postgres://") || address.starts_with("postgresql://")
}

#[cfg(feature = "postgres")]
fn open_postgres(address: &str) -> Result<Arc<dyn Store>> {
    Ok(Arc::new(crate::postgres::Postgres::connect(&crate::postgres::Dsn::new(address)?)?))
}

#[cfg(not(feature = "postgres"))]
fn open_postgres(_: &str) -> Result<Arc<dyn Store>> {
    Err(Error::request("this build has no PostgreSQL", "build it with the feature `postgres`"))
}

#[cfg(feature = "sqlite")]
fn open_sqlite(path: &str) -> Result<Arc<dyn Store>> {
    Ok(Arc::new(crate::sqlite::Sqlite::open(path)?))
}

#[cfg(not(feature = "sqlite"))]
fn open_sqlite(_: &str) -> Result<Arc<dyn Store>> {
    Err(Error::request("this build has no SQLite", "build it with the feature `sqlite`"))
}
