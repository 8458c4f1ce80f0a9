//! The address of a database, which is never shown with its password.

use std::fmt;
use std::time::Duration;

use postgres::Config;
use postgres::config::{Host, SslMode};

use super::tls::{Roots, Wish};
use crate::error::{Error, Result};

/// The address of a PostgreSQL database: `postgres://user:password@host:port/database`, or `key=value` words as libpq
/// accepts them. However it is printed, it does not show the password.
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
    /// Who must vouch for the server; `None` for a connection that is not encrypted.
    pub(super) roots: Option<Roots>,
}

impl Dsn {
    /// Reads an address.
    ///
    /// A connection to another machine is encrypted (TLS 1.2 or 1.3), and the server must prove its identity: its
    /// certificate must be valid for the host of the address, and signed by an authority that this machine trusts or
    /// that is in the PEM file `sslrootcert=FILE`. There is no mode between that and no encryption:
    ///
    /// | `sslmode` | another machine | loopback |
    /// |---|---|---|
    /// | `disable` | not encrypted: a password, and all results, cross the network as they are | not encrypted |
    /// | none, `allow`, `prefer` | encrypted and verified, or refused | not encrypted |
    /// | `require`, `verify-ca`, `verify-full` | encrypted and verified, or refused | the same |
    ///
    /// A socket of this machine (a host that starts with `/`) is never encrypted: PostgreSQL has no TLS there.
    ///
    /// ```
    /// use elbowroom_store::Dsn;
    /// Dsn::new("postgres://ada:secret@db.example.org/lab")?;
    /// Dsn::new("host=db.example.org dbname=lab sslrootcert=/etc/lab/authority.pem")?;
    /// # Ok::<(), elbowroom_store::Error>(())
    /// ```
    pub fn new(address: &str) -> Result<Self> {
        let (wish, address) = Wish::take(address);
        // The parser's own message is left out, as it may quote the address.
        let mut config: Config = address.parse().map_err(|_| {
            let hint = "write it as postgres://user:password@host:port/database, with %XX for special characters";
            Error::refused("the address of the database cannot be read", hint)
        })?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(10));
        }
        if config.get_application_name().is_none() {
            config.application_name("elbowroom");
        }
        let remote = config.get_hosts().iter().any(|host| !is_local(host))
            || config.get_hostaddrs().iter().any(|address| !address.is_loopback());
        // A mixture of sockets and other hosts is treated like other hosts.
        let only_sockets = config.get_hostaddrs().is_empty() && config.get_hosts().iter().all(is_socket);
        let roots = wish.roots(remote)?.filter(|_| !only_sockets);
        config.ssl_mode(if roots.is_some() { SslMode::Require } else { SslMode::Disable });
        Ok(Self { config, roots })
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

fn is_socket(host: &Host) -> bool {
    !matches!(host, Host::Tcp(_))
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
        let is_encrypted = |address: &str| {
            let dsn = Dsn::new(address).unwrap();
            assert_eq!(dsn.roots.is_some(), dsn.config.get_ssl_mode() == SslMode::Require);
            assert_eq!(dsn.roots.is_none(), dsn.config.get_ssl_mode() == SslMode::Disable);
            dsn.roots.is_some()
        };
        for address in [
            "postgres://ada:s3cret@db.example.org/lab",
            "postgres://ada@db.example.org/lab?sslmode=prefer",
            "postgres://ada@localhost,db.example.org/lab",
            "host=localhost hostaddr=192.0.2.7",
            "hostaddr=192.0.2.7 user=ada",
            "host=db.example.org hostaddr=127.0.0.1",
            "host=localhost sslmode=verify-full",
        ] {
            assert!(is_encrypted(address), "{address}");
        }
        for address in [
            "postgres://ada:s3cret@db.example.org/lab?sslmode=disable",
            "postgres://ada@127.0.0.1/lab",
            "postgres://ada@[::1]/lab",
            "host=/run/postgresql sslmode=require",
        ] {
            assert!(!is_encrypted(address), "{address}");
        }
    }
}
