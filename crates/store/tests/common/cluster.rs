//! A private PostgreSQL server for one test program: its files are in a temporary folder, and it is reached through a
//! socket there and, if a test needs that, on a port of 127.0.0.1 with TLS. It ends with the test program, however that
//! ends.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A server and what keeps it alive: when the pipe to it closes, it stops and its folder is removed.
pub struct Cluster {
    folder: PathBuf,
    programs: PathBuf,
    owner: Option<(String, u32, u32)>,
    user: String,
    port: u16,
    listening: String,
    _guard: Child,
}

/// The password of a server over the network.
pub const PASSWORD: &str = "s3cret";

/// The address of a new database on this program's own server; `None`, with a message, if there is no PostgreSQL.
pub fn new_database() -> Option<String> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    CLUSTER.get_or_init(Cluster::start).as_ref().map(Cluster::database)
}

impl Cluster {
    /// Starts a server.
    pub fn start() -> Option<Self> {
        Self::start_with(None)
    }

    /// Starts a server that also listens on a port of 127.0.0.1, with this certificate and this key, and requires a
    /// password there.
    pub fn start_encrypted(certificate: &str, key: &str) -> Option<Self> {
        let cluster = Self::start_with(Some([("server.crt", certificate), ("server.key", key)]))?;
        let sql = format!("ALTER ROLE {} PASSWORD '{PASSWORD}'", cluster.user);
        cluster.client().unwrap().batch_execute(&sql).unwrap();
        Some(cluster)
    }

    fn start_with(certificate: Option<[(&str, &str); 2]>) -> Option<Self> {
        let Some(programs) = programs() else {
            eprintln!("skipped: PostgreSQL is not installed; install it with: apt-get install -y postgresql");
            return None;
        };
        let folder = tempfile::Builder::new().prefix("elbowroom-pg").tempdir_in("/tmp").unwrap().keep();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        let owner = owner();
        let user = owner.as_ref().map_or_else(|| "tester".to_owned(), |(name, ..)| name.clone());
        if let Some((_, uid, gid)) = &owner {
            std::os::unix::fs::chown(&folder, Some(*uid), Some(*gid)).unwrap();
        }
        let run = |program: &str, arguments: &[&str]| {
            let mut command = Command::new(programs.join(program));
            command.args(arguments).current_dir(&folder).stdout(Stdio::null());
            if let Some((_, uid, gid)) = &owner {
                command.uid(*uid).gid(*gid);
            }
            command
        };
        let data = folder.join("data").display().to_string();
        let auth = ["--auth-local=trust", "--auth-host=scram-sha-256"];
        let made =
            run("initdb", &["-D", &data, "-U", &user, auth[0], auth[1], "--no-sync", "-E", "UTF8", "--locale=C"]);
        assert!({ made }.status().unwrap().success(), "initdb failed");
        for (name, text) in certificate.iter().flatten() {
            let file = folder.join("data").join(name);
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
            if let Some((_, uid, gid)) = &owner {
                std::os::unix::fs::chown(&file, Some(*uid), Some(*gid)).unwrap();
            }
        }
        let (port, listening) = match certificate {
            None => (5432, "-c listen_addresses=".to_owned()),
            Some(_) => {
                let port = free_port();
                (port, format!("-c ssl=on -c listen_addresses=127.0.0.1 -c port={port}"))
            }
        };
        // The shell stops the server when its standard input closes, which is when this process ends.
        let script = format!(
            "{programs}/postgres -D {data} -k {folder} {listening} -c max_connections=120 >{folder}/log 2>&1 & \
             cat >/dev/null; {programs}/pg_ctl -D {data} -m immediate stop; rm -rf {folder}",
            programs = programs.display(),
            folder = folder.display()
        );
        let mut guard = Command::new("sh");
        guard.args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        guard.current_dir("/tmp").process_group(0);
        if let Some((_, uid, gid)) = &owner {
            guard.uid(*uid).gid(*gid);
        }
        let cluster = Self { _guard: guard.spawn().unwrap(), folder, programs, owner, user, port, listening };
        cluster.wait();
        Some(cluster)
    }

    /// The address of a new database.
    pub fn database(&self) -> String {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("test{}", COUNT.fetch_add(1, Ordering::SeqCst));
        self.client().unwrap().batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
        self.address(&name)
    }

    /// A direct connection to the server's own database, without the store.
    pub fn client(&self) -> Result<postgres::Client, postgres::Error> {
        postgres::Client::connect(&self.address("postgres"), postgres::NoTls)
    }

    fn address(&self, name: &str) -> String {
        format!("postgres:///{name}?host={}&user={}&port={}", self.folder.display(), self.user, self.port)
    }

    /// The parts of an address over the network.
    pub fn user_and_port(&self) -> (&str, u16) {
        (&self.user, self.port)
    }

    /// Stops the server, with all its connections, and starts it again.
    pub fn restart(&self) {
        let options = format!("-k {} {} -c max_connections=120", self.folder.display(), self.listening);
        let mut restart = Command::new(self.programs.join("pg_ctl"));
        restart.arg("-D").arg(self.folder.join("data")).args(["-m", "fast", "-w", "restart", "-o", &options]);
        restart.arg("-l").arg(self.folder.join("log")).current_dir("/tmp").stdout(Stdio::null());
        if let Some((_, uid, gid)) = &self.owner {
            restart.uid(*uid).gid(*gid);
        }
        assert!(restart.status().unwrap().success());
    }

    /// Waits until the server answers.
    pub fn wait(&self) {
        for _ in 0..600 {
            if self.client().is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the server did not start: {}", fs::read_to_string(self.folder.join("log")).unwrap_or_default());
    }
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The folder with the server's programs.
fn programs() -> Option<PathBuf> {
    let has_server = |folder: &PathBuf| folder.join("postgres").exists() && folder.join("initdb").exists();
    let path = std::env::var_os("PATH").unwrap_or_default();
    // If it is only a link, its other files are not in that folder.
    let real = |folder: PathBuf| Some(fs::canonicalize(folder.join("postgres")).ok()?.parent()?.to_owned());
    let mut packaged: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .map(|versions| versions.flatten().map(|version| version.path().join("bin")).collect())
        .unwrap_or_default();
    packaged.sort();
    std::env::split_paths(&path).filter_map(real).chain(packaged.into_iter().rev()).find(has_server)
}

/// The user to run it: PostgreSQL refuses to run as root.
fn owner() -> Option<(String, u32, u32)> {
    use std::os::unix::fs::MetadataExt;
    if fs::metadata("/proc/self").ok()?.uid() != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let entry = |wanted: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(wanted))?;
        let fields: Vec<&str> = line.split(':').collect();
        Some((wanted.to_owned(), fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
    };
    entry("postgres").or_else(|| entry("nobody"))
}
