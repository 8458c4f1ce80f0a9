//! Opens stores by their addresses.

use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::store::Store;

/// Opens the store at an address, and creates it if it does not exist: `postgres://…` (or libpq's `host=… dbname=…`) is
/// a database, `http://…` an address that `elbow serve` printed, `memory:` a store in this process alone; anything else
/// is the path of a store file.
///
/// Connections to a database on another machine use TLS, and its certificate is verified, unless the address says
/// `sslmode=disable`; `sslrootcert=FILE` names your own certificate authority. `http://…` is not encrypted.
///
/// ```
/// use elbowroom_store::open;
/// assert_eq!(open("memory:")?.label(), "memory");
/// let error = open("mysql://ada:secret@localhost/lab").err().unwrap().to_string();
/// assert!(error.starts_with("`mysql` is not a kind of store"));
/// # Ok::<(), elbowroom_store::Error>(())
/// ```
pub fn open(address: &str) -> Result<Arc<dyn Store>> {
    match address {
        "" => Err(Error::request("the address of the store is empty", "give a path or postgres://…")),
        "memory:" => Ok(Arc::new(Memory::new())),
        _ if is_postgres(address) => open_postgres(address),
        _ if address.starts_with("http://") => open_http(address),
        _ if address.starts_with("https://") => Err(Error::request(
            "a store cannot be reached over https",
            "use a tunnel (ssh -L 8642:localhost:8642 HOST) and give http://localhost:8642/?token=…",
        )),
        _ if address.contains("://") => {
            // Only the scheme is repeated: the rest may contain a password.
            let scheme = address.split("://").next().unwrap_or_default();
            Err(Error::request(format!("`{scheme}` is not a kind of store"), "give a path, postgres://… or http://…"))
        }
        path => open_sqlite(path.strip_prefix("sqlite:").unwrap_or(path)),
    }
}

/// Like [`open`], for reading only: a store file that does not exist is not created.
///
/// ```
/// use elbowroom_store::open_existing;
/// let error = open_existing("/nowhere/lab.elbow").err().unwrap();
/// assert_eq!(error.what(), "there is no store at /nowhere/lab.elbow");
/// ```
pub fn open_existing(address: &str) -> Result<Arc<dyn Store>> {
    let is_file = address != "memory:" && !address.is_empty() && !address.contains("://") && !is_postgres(address);
    let path = address.strip_prefix("sqlite:").unwrap_or(address);
    if is_file && !Path::new(path).exists() {
        // What follows may be a token, if `http://` was forgotten.
        let shown = path.split(['?', '@']).next().unwrap_or_default();
        return Err(Error::request(format!("there is no store at {shown}"), "check the address"));
    }
    open(address)
}

#[cfg(feature = "http")]
fn open_http(address: &str) -> Result<Arc<dyn Store>> {
    Ok(Arc::new(crate::http::Http::open(address)?))
}

#[cfg(not(feature = "http"))]
fn open_http(_: &str) -> Result<Arc<dyn Store>> {
    Err(Error::request("this build does not support HTTP", "build it with the feature `http`"))
}

fn is_postgres(address: &str) -> bool {
    let is_word = |word: &str| ["host=", "dbname=", "password="].iter().any(|key| word.starts_with(key));
    address.starts_with("postgres://")
        || address.starts_with("postgresql://")
        || address.split_whitespace().any(is_word)
}

#[cfg(feature = "postgres")]
fn open_postgres(address: &str) -> Result<Arc<dyn Store>> {
    Ok(Arc::new(crate::postgres::Postgres::connect(&crate::postgres::Dsn::new(address)?)?))
}

#[cfg(not(feature = "postgres"))]
fn open_postgres(_: &str) -> Result<Arc<dyn Store>> {
    Err(Error::request("this build does not support PostgreSQL", "build it with the feature `postgres`"))
}

#[cfg(feature = "sqlite")]
fn open_sqlite(path: &str) -> Result<Arc<dyn Store>> {
    Ok(Arc::new(crate::sqlite::Sqlite::open(path)?))
}

#[cfg(not(feature = "sqlite"))]
fn open_sqlite(_: &str) -> Result<Arc<dyn Store>> {
    Err(Error::request("this build does not support SQLite", "build it with the feature `sqlite`"))
}
