//! How a database on another machine must prove its identity, shown with a PostgreSQL server and authorities made here.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use crate::common::cluster::{Cluster, PASSWORD};
use crate::common::random;
use elbowroom_store::{Dsn, Error, Postgres, SharedStudy, Store, open};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

/// The server's name in its certificate. It is not a name of this machine: such a server would be on another machine,
/// except that `hostaddr` says where to find it.
const NAME: &str = "db.example.org";

struct Scene {
    cluster: Cluster,
    folder: tempfile::TempDir,
}

impl Scene {
    /// A server whose certificate is signed by the authority in `right.pem`, not by the one in `wrong.pem`, nor by the
    /// one with the same name in `impostor.pem`; `None` if there is no PostgreSQL.
    fn get() -> Option<&'static Self> {
        static SCENE: OnceLock<Option<Scene>> = OnceLock::new();
        SCENE.get_or_init(Self::make).as_ref()
    }

    fn make() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let right = authority("Laboratory");
        std::fs::write(folder.path().join("right.pem"), right.pem()).unwrap();
        std::fs::write(folder.path().join("wrong.pem"), authority("Another").pem()).unwrap();
        std::fs::write(folder.path().join("impostor.pem"), authority("Laboratory").pem()).unwrap();
        let key = KeyPair::generate().unwrap();
        let names = CertificateParams::new(vec![NAME.to_owned()]).unwrap();
        let certificate = names.signed_by(&key, &right).unwrap();
        let cluster = Cluster::start_encrypted(&certificate.pem(), &key.serialize_pem())?;
        Some(Self { cluster, folder })
    }

    fn root(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The address of the server under a given name, with more keywords.
    fn address(&self, name: &str, words: &str) -> String {
        let (user, port) = self.cluster.user_and_port();
        let login = format!("user={user} password={PASSWORD}");
        format!("host={name} hostaddr=127.0.0.1 port={port} dbname=postgres {login} {words}")
    }

    fn with_root(&self, name: &str, root: &str, words: &str) -> String {
        self.address(name, &format!("sslrootcert='{}' {words}", self.root(root).display()))
    }

    /// Whether the server says that the connection of an application is encrypted.
    fn is_encrypted(&self, application: &str) -> bool {
        let sql = "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = $1";
        self.cluster.client().unwrap().query_one(sql, &[&application]).unwrap().get(0)
    }
}

fn authority(name: &str) -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

fn refusal(address: &str) -> String {
    let error = open(address).err().expect("refused");
    assert!(matches!(error, Error::Refused { .. }), "not refused, but: {error}");
    assert!(!error.to_string().contains(PASSWORD), "{error}");
    error.to_string()
}

#[test]
fn a_server_with_the_right_name_and_authority_is_reached_encrypted() {
    let Some(scene) = Scene::get() else { return };
    for (number, mode) in ["", "sslmode=prefer", "sslmode=require", "sslmode=verify-full"].into_iter().enumerate() {
        let application = format!("right{number}");
        let words = format!("application_name={application} {mode}");
        let dsn = Dsn::new(&scene.with_root(NAME, "right.pem", &words)).unwrap();
        let store = Postgres::connect(&dsn).unwrap();
        store.studies().unwrap();
        assert!(scene.is_encrypted(&application), "{mode}");
    }
}

#[test]
fn an_address_as_a_url_may_name_the_authority_too() {
    let Some(scene) = Scene::get() else { return };
    let (user, port) = scene.cluster.user_and_port();
    let root = scene.root("right.pem").display().to_string().replace('/', "%2F");
    let address = format!("postgres://{user}:{PASSWORD}@{NAME}:{port}/postgres?hostaddr=127.0.0.1&sslrootcert={root}");
    let store = open(&address).unwrap();
    store.studies().unwrap();
}

#[test]
fn authorities_that_the_machine_trusts_are_trusted_and_a_study_is_worked_on() {
    let Some(scene) = Scene::get() else { return };
    let store = open(&scene.with_root(NAME, "right.pem", "")).unwrap();
    let mut study = SharedStudy::create(store, "study", random(3)).unwrap();
    let mut worker = Command::new(env!("CARGO_BIN_EXE_elbowroom-store-worker"));
    worker.args([&scene.address(NAME, ""), "3"]).env("SSL_CERT_FILE", scene.root("right.pem"));
    let done = worker.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    study.refresh().unwrap();
    assert_eq!(study.counts().complete, 3);
}

#[test]
fn a_server_of_another_authority_is_refused() {
    let Some(scene) = Scene::get() else { return };
    for (root, words, why) in [
        ("wrong.pem", "", "UnknownIssuer"),
        ("wrong.pem", "sslmode=require", "UnknownIssuer"),
        ("impostor.pem", "", "BadSignature"),
    ] {
        let refusal = refusal(&scene.with_root(NAME, root, words));
        assert!(refusal.contains(NAME) && refusal.contains(why), "{refusal}");
        assert!(refusal.contains("\n  try: add sslrootcert=FILE"), "{refusal}");
    }
    // The machine's own authorities do not know it either, if there are any.
    let refusal = refusal(&scene.address(NAME, ""));
    assert!(refusal.contains("UnknownIssuer") || refusal.contains("no root certificates"), "{refusal}");
}

#[test]
fn a_server_of_another_name_is_refused() {
    let Some(scene) = Scene::get() else { return };
    // verify-ca of libpq would accept it. On loopback it is verified if encryption is requested.
    for (name, words) in
        [("other.example.org", ""), ("other.example.org", "sslmode=verify-ca"), ("localhost", "sslmode=require")]
    {
        let refusal = refusal(&scene.with_root(name, "right.pem", words));
        assert!(refusal.contains("not valid for name") && refusal.contains(name), "{refusal}");
        assert!(refusal.contains("\n  try: address the server by a name"), "{refusal}");
    }
}

#[test]
fn without_encryption_only_where_it_is_disabled_or_on_loopback() {
    let Some(scene) = Scene::get() else { return };
    let addresses = [
        scene.address(NAME, "sslmode=disable application_name=plain0"),
        scene.address("localhost", "application_name=plain1"),
    ];
    for (number, address) in addresses.iter().enumerate() {
        let store = open(address).unwrap();
        store.studies().unwrap();
        assert!(!scene.is_encrypted(&format!("plain{number}")));
    }
}

#[test]
fn a_file_without_certificates_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("empty.pem"), "").unwrap();
    for file in ["empty.pem", "missing.pem"] {
        let path = folder.path().join(file).display().to_string();
        let refusal = refusal(&format!("host={NAME} hostaddr=127.0.0.1 sslrootcert='{path}'"));
        assert!(refusal.contains(&path) && refusal.contains("PEM"), "{refusal}");
    }
}

#[test]
fn a_server_without_tls_learns_no_password() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root.pem");
    std::fs::write(&root, authority("Laboratory").pem()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (mut asked, mut more) = ([0; 8], [0; 1]);
        stream.read_exact(&mut asked).unwrap();
        stream.write_all(b"N").unwrap();
        (asked, stream.read(&mut more).unwrap())
    });
    let words = format!("port={port} user=ada password={PASSWORD} sslmode=prefer sslrootcert='{}'", root.display());
    let refusal = refusal(&format!("host={NAME} hostaddr=127.0.0.1 dbname=lab {words}"));
    assert!(refusal.contains("does not support TLS") && refusal.contains("sslmode=disable"), "{refusal}");
    let (asked, n_more) = server.join().unwrap();
    // The protocol's request for TLS: its length, and 80877103.
    assert_eq!(asked, [0, 0, 0, 8, 4, 210, 22, 47]);
    assert_eq!(n_more, 0);
}
