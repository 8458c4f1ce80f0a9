//! Listens, and serves each connection within limits.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use elbowroom_store::Store;
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::guard::Guard;
use crate::limits::{MAX_CONNECTIONS, MAX_GUESTS, MAX_HEADER_TIME};
use crate::lobby::Lobby;
use crate::routes::router;
use crate::studies::Studies;
use crate::token::{Lock, Token};

/// How to serve.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where to listen.
    pub address: SocketAddr,
    /// Further host names that the server answers to.
    pub hosts: Vec<String>,
    /// Whether studies may be changed.
    pub write: bool,
    /// The token; a new one is created if none is given.
    pub token: Option<Token>,
}

/// A server that is listening, and serves once it is run.
pub struct Server {
    listener: std::net::TcpListener,
    address: SocketAddr,
    /// The host and port by which it is opened.
    called: String,
    token: Token,
    app: Router,
    studies: Arc<Studies>,
    stop: watch::Sender<bool>,
}

impl Server {
    /// Binds to the address. Any address other than loopback requires a token that the user provides: opening a study
    /// to others should be deliberate.
    ///
    /// ```
    /// use elbowroom_store::Memory;
    /// use elbowroom_web::{Server, Settings};
    /// use std::sync::Arc;
    ///
    /// let open = Settings { address: ([0, 0, 0, 0], 0).into(), hosts: vec![], write: false, token: None };
    /// assert!(Server::bind(Arc::new(Memory::new()), open).err().unwrap().contains("token"));
    /// ```
    pub fn bind(store: Arc<dyn Store>, settings: Settings) -> Result<Self, String> {
        let Settings { address, hosts, write, token } = settings;
        let token = match token {
            Some(token) => token,
            None if address.ip().is_loopback() => Token::fresh()?,
            None => {
                let what = format!("{address} can be reached from other machines, and no token was given");
                return Err(format!("{what}\n  try: set ELBOW_TOKEN or --token-file, or listen on 127.0.0.1"));
            }
        };
        let taken = |error| format!("cannot listen on {address}: {error}\n  try: use another --port");
        let listener = std::net::TcpListener::bind(address).map_err(taken)?;
        listener.set_nonblocking(true).map_err(taken)?;
        let address = listener.local_addr().map_err(taken)?;
        let door = Guard::new(Lock::of(&token), address, &hosts, write);
        let studies = Arc::new(Studies::new(store, write));
        let app = router(studies.clone(), Arc::new(door));
        let called = match hosts.first() {
            Some(host) => format!("{host}:{}", address.port()),
            // An unspecified address cannot be opened in a browser; on this machine, localhost can.
            None if address.ip().is_unspecified() => format!("localhost:{}", address.port()),
            None => address.to_string(),
        };
        Ok(Self { listener, address, called, token, app, studies, stop: watch::channel(false).0 })
    }

    /// The address on which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address to open in a browser, including the token. Show it once.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.called, self.token.reveal())
    }

    /// A function that stops the server from another thread.
    pub fn stopper(&self) -> impl Fn() + Send + Sync + 'static {
        let stop = self.stop.clone();
        move || {
            stop.send_replace(true);
        }
    }

    /// Serves until it is stopped.
    pub fn run(self) -> std::io::Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let served = runtime.block_on(serve(self.listener, self.app, self.stop));
        self.studies.resume();
        runtime.shutdown_background();
        served
    }
}

async fn serve(listener: std::net::TcpListener, app: Router, stop: watch::Sender<bool>) -> std::io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let lobby = Lobby::new(MAX_GUESTS, MAX_CONNECTIONS);
    let mut stopped = stop.subscribe();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // For example, too many open files: existing connections are served in the meantime.
                Err(_) => {
                    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                    continue;
                }
            },
            _ = stopped.wait_for(|stopped| *stopped) => return Ok(()),
        };
        let _ = stream.set_nodelay(true);
        let visitor = lobby.enter();
        let (app, guest) = (app.clone(), visitor.clone());
        let connection = tokio::spawn(async move {
            let app = TowerToHyperService::new(app);
            let service = service_fn(move |mut request: Request<Incoming>| {
                // This tells the guard which connection the request belongs to.
                request.extensions_mut().insert(guest.clone());
                app.call(request)
            });
            let mut http = hyper::server::conn::http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(MAX_HEADER_TIME).max_buf_size(64 * 1024);
            // A broken connection only concerns its client.
            let _ = http.serve_connection(TokioIo::new(stream), service).await;
        });
        visitor.runs(connection.abort_handle());
    }
}
