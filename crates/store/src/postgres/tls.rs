//! Encrypted connections to a server, and the proof that it is the right one.

use std::error::Error as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{CertificateError, ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::error::RowError;
use crate::error::{Error, Result};

/// What an address says about encryption, in the words of libpq: the parser of addresses does not know all of them.
#[derive(Default)]
pub(super) struct Wish {
    mode: Option<String>,
    root: Option<String>,
}

/// Who may vouch for a server.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Roots {
    Platform,
    File(PathBuf),
}

impl Wish {
    /// Takes `sslmode` and `sslrootcert` out of an address, and returns the rest.
    pub fn take(address: &str) -> (Self, String) {
        let mut wish = Self::default();
        let rest = match address.contains("://") {
            true => wish.take_from_url(address),
            false => wish.take_from_words(address),
        };
        (wish, rest)
    }

    /// Who must vouch for the server; `None` for a connection that is not encrypted.
    pub fn roots(self, remote: bool) -> Result<Option<Roots>> {
        let encrypted = match self.mode.as_deref() {
            Some("disable") => false,
            None | Some("allow" | "prefer") => remote,
            Some("require" | "verify-ca" | "verify-full") => true,
            Some(_) => {
                let hint = "leave it out, or write disable, prefer, require, verify-ca or verify-full";
                return Err(Error::refused("the address of the database has an unknown sslmode", hint));
            }
        };
        Ok(encrypted.then(|| match self.root {
            None => Roots::Platform,
            Some(word) if word == "system" => Roots::Platform,
            Some(path) => Roots::File(path.into()),
        }))
    }

    /// Whether a key of an address is one of these two; if so, keeps its value.
    fn keep(&mut self, key: &str, value: String) -> bool {
        match key {
            "sslmode" => self.mode = Some(value),
            "sslrootcert" => self.root = Some(value),
            _ => return false,
        }
        true
    }

    fn take_from_url(&mut self, url: &str) -> String {
        // A password may contain a question mark.
        let host = url.find('@').unwrap_or(0);
        let Some(query) = url[host..].find('?').map(|at| host + at + 1) else { return url.to_owned() };
        let is_other = |pair: &&str| match pair.split_once('=') {
            Some((key, value)) => {
                let value = percent_encoding::percent_decode_str(value).decode_utf8_lossy().into_owned();
                !self.keep(key, value)
            }
            None => true,
        };
        let others: Vec<&str> = url[query..].split('&').filter(is_other).collect();
        format!("{}{}", &url[..query], others.join("&"))
    }

    fn take_from_words(&mut self, text: &str) -> String {
        let (mut others, mut rest) = (String::new(), text);
        while let Some((key, after)) = rest.split_once('=') {
            let after = after.trim_start();
            let (value, end) = value(after);
            if !self.keep(key.trim(), value) {
                others += &rest[..rest.len() - after.len() + end];
            }
            rest = &after[end..];
        }
        others + rest
    }
}

/// The value at the start of a text, in libpq's notation of quotes and backslashes, and where it ends.
fn value(text: &str) -> (String, usize) {
    let (quoted, mut value) = (text.starts_with('\''), String::new());
    let mut signs = text.char_indices().skip(usize::from(quoted));
    while let Some((at, sign)) = signs.next() {
        match sign {
            '\\' => value.extend(signs.next().map(|(_, sign)| sign)),
            '\'' if quoted => return (value, at + 1),
            _ if !quoted && sign.is_whitespace() => return (value, at),
            _ => value.push(sign),
        }
    }
    (value, text.len())
}

/// Encrypts connections: TLS 1.2 or 1.3 to a server whose certificate is valid, from one of the roots, and for the name
/// by which it was addressed.
pub(super) fn connector(roots: &Roots) -> Result<MakeRustlsConnect> {
    let trusted = match roots {
        Roots::Platform => platform_roots()?,
        Roots::File(path) => roots_in(path)?,
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::refused(format!("TLS cannot be set up: {error}"), "report this as a bug"))?
        .with_root_certificates(trusted)
        .with_no_client_auth();
    // Servers ask for it where the address says sslnegotiation=direct.
    config.alpn_protocols = vec![b"postgresql".to_vec()];
    Ok(MakeRustlsConnect::new(config))
}

fn platform_roots() -> Result<RootCertStore> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    // Old certificates that cannot be read are skipped; the others still count.
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err(Error::refused(
            "this machine has no root certificates, so no server can prove its identity",
            "install them (the package ca-certificates), or add sslrootcert=FILE to the address",
        ));
    }
    Ok(roots)
}

fn roots_in(path: &Path) -> Result<RootCertStore> {
    let wrong = |what: String| {
        let hint = "give the certificate, in PEM format, of the authority that signed the server's";
        Error::refused(format!("sslrootcert {} cannot be used: {what}", path.display()), hint)
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.to_string()))? {
        let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
        roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(wrong("there is no certificate in it".to_owned()));
    }
    Ok(roots)
}

/// The error of a connection that was not made. A server that did not prove who it is will not do so a moment later,
/// unlike one that does not answer.
pub(super) fn row_error(error: postgres::Error, place: &str) -> RowError {
    let is_handshake = error.to_string() == "error performing TLS handshake";
    let Some(cause) = error.source().filter(|_| is_handshake) else { return error.into() };
    let (said, hint) = match cause.downcast_ref::<io::Error>() {
        Some(broken) => match broken.get_ref() {
            Some(inner) => (inner.to_string(), hint(inner.downcast_ref())),
            // The connection was cut.
            None => return error.into(),
        },
        // The server does not have TLS, or no name to check was given.
        None => (
            cause.to_string(),
            "switch TLS on (ssl = on in postgresql.conf) and give the server's name as host, or add sslmode=disable to \
             the address if the network can be trusted",
        ),
    };
    Error::refused(format!("no secure connection to {place}: {said}"), hint).into()
}

fn hint(error: Option<&rustls::Error>) -> &'static str {
    match error {
        Some(rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature)) => {
            "add sslrootcert=FILE to the address, with the certificate of the authority that signed the server's"
        }
        Some(rustls::Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        )) => {
            "address the server by a name that its certificate lists as a subjectAltName; to go through a tunnel, keep \
             host=NAME and add hostaddr=IP"
        }
        _ => {
            "ask whoever runs the server for a valid certificate: not expired, signed by an authority, and with the \
             server's name"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(address: &str) -> (Option<String>, Option<String>, String) {
        let (Wish { mode, root }, rest) = Wish::take(address);
        (mode, root, rest)
    }

    #[test]
    fn what_is_said_of_encryption_is_taken_out_of_an_address_and_nothing_else() {
        let some = |text: &str| Some(text.to_owned());
        let cases = [
            ("postgres://ada@lab/db", None, None, "postgres://ada@lab/db"),
            ("postgres://lab/db?sslmode=require", some("require"), None, "postgres://lab/db?"),
            (
                "postgres://a:?sslmode=x@lab/db?user=b&sslrootcert=%2Fmy%20ca.pem&port=7",
                None,
                some("/my ca.pem"),
                "postgres://a:?sslmode=x@lab/db?user=b&port=7",
            ),
            ("host=lab sslmode=disable port=7", some("disable"), None, "host=lab port=7"),
            ("sslrootcert = '/my \\'ca\\'.pem' host=lab", None, some("/my 'ca'.pem"), " host=lab"),
            ("password='x sslmode=disable' host=lab", None, None, "password='x sslmode=disable' host=lab"),
            ("password=a\\ sslmode=disable host=lab", None, None, "password=a\\ sslmode=disable host=lab"),
            ("sslmode=disable host=lab sslmode=require", some("require"), None, " host=lab"),
        ];
        for (address, mode, root, rest) in cases {
            assert_eq!(taken(address), (mode, root, rest.to_owned()), "{address}");
        }
    }

    #[test]
    fn another_machine_must_prove_who_it_is_unless_that_is_disabled() {
        let roots = |mode: Option<&str>, remote| Wish { mode: mode.map(str::to_owned), root: None }.roots(remote);
        for mode in [None, Some("prefer"), Some("require"), Some("verify-ca"), Some("verify-full")] {
            assert_eq!(roots(mode, true).unwrap(), Some(Roots::Platform), "{mode:?}");
        }
        for (mode, remote) in
            [(Some("disable"), true), (Some("disable"), false), (None, false), (Some("prefer"), false)]
        {
            assert_eq!(roots(mode, remote).unwrap(), None, "{mode:?}");
        }
        assert_eq!(roots(Some("require"), false).unwrap(), Some(Roots::Platform));
        assert!(roots(Some("disabled"), true).unwrap_err().to_string().contains("sslmode"));
    }
}
