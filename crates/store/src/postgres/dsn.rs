//! The address of a database, which never shows its password.

use std::fmt;
use std::time::Duration;

use postgres::Config;
use postgres::config::{Host, SslMode};

use crate::error::{Error, Result};

/// The address of a PostgreSQL database: `postgres://user:password@host:port/database`, or `key=value` words as libpq
/// takes them. Printed in any way, it shows no password.
///
/// ```
/// use elbowroom_store::Dsn;
/// let dsn = Dsn::new("postgres://ada:secret@localhost:5433/lab")?;
/// assert_eq!(dsn.to_string(), "postgres://ada@localhost:5433/lab");
/// assert!(!format!("{dsn:?}").contains("secret"));
/// # Ok::<(), elbowroom_store::Error>(())
/// ```
#[derive(Clone)]
pub struct Dsn {
    pub(super) config: Config,
}

impl Dsn {
    /// Reads an address.
    ///
    /// This build speaks no TLS, so that a database on another machine is refused unless the address says
    /// `sslmode=disable`: then a password, and all results, cross the network as they are.
    pub fn new(address: &str) -> Result<Self> {
        // The parser's own message is left out, as it may quote the address.
        let mut config: Config = address.parse().map_err(|_| {
            let hint = "write it as postgres://user:password@host:port/database, with %XX for special signs";
            Error::refused("the address of the database cannot be read", hint)
        })?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(10));
        }
        if config.get_application_name().is_none() {
            config.application_name("elbowroom");
        }
        let dsn = Self { config };
        let remote = dsn.config.get_hosts().iter().any(|host| !is_local(host));
        if remote && dsn.config.get_ssl_mode() != SslMode::Disable {
            return Err(Error::refused(
                format!("{dsn} is on another machine, and this build speaks no TLS"),
                "go through an encrypted tunnel to localhost, or add ?sslmode=disable if the network can be trusted",
            ));
        }
        Ok(dsn)
    }

    /// Reads an address from an environment variable, where `ps` does not show it.
    pub fn from_env(variable: &str) -> Result<Self> {
        let address = std::env::var(variable).map_err(|_| {
            let what = format!("the environment variable {variable} is not set, or not text");
            Error::refused(what, "set it to postgres://user:password@host:port/database")
        })?;
        Self::new(&address)
    }
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback()),
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

impl fmt::Display for Dsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "postgres://")?;
        if let Some(user) = self.config.get_user() {
            write!(f, "{user}@")?;
        }
        match self.config.get_hosts().first() {
            Some(Host::Tcp(name)) => write!(f, "{name}")?,
            #[cfg(unix)]
            Some(Host::Unix(path)) => write!(f, "{}", path.display())?,
            None => {}
        }
        if let Some(port) = self.config.get_ports().first() {
            write!(f, ":{port}")?;
        }
        write!(f, "/{}", self.config.get_dbname().unwrap_or_default())
    }
}

impl fmt::Debug for Dsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dsn({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_never_show() {
        for address in ["postgres://ada:s3cret@localhost/lab", "host=/tmp user=ada password=s3cret dbname=lab"] {
            let dsn = Dsn::new(address).unwrap();
            assert!(!format!("{dsn} {dsn:?}").contains("s3cret"));
        }
        for bad in ["postgres://ada:s3cret@localhost:port/lab", "password=s3cret port=x"] {
            assert!(!Dsn::new(bad).unwrap_err().to_string().contains("s3cret"));
        }
    }

    #[test]
    fn an_open_connection_to_another_machine_must_be_wanted() {
        let refusal = Dsn::new("postgres://ada:s3cret@db.example.org/lab").unwrap_err().to_string();
        assert!(refusal.contains("no TLS") && !refusal.contains("s3cret"), "{refusal}");
        Dsn::new("postgres://ada:s3cret@db.example.org/lab?sslmode=disable").unwrap();
        Dsn::new("postgres://ada@127.0.0.1/lab").unwrap();
    }
}
