//! `elbow serve`: studies in the browser, and over HTTP.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use elbowroom_view::report::in_address;
use elbowroom_web::{Server, Settings, Token};
use serde_json::json;

use crate::address::Address;
use crate::args::{Serve, Where};
use crate::differ::{with_differences, words_of};
use crate::error::cli_error;
use crate::signals::{ENDS, listen};

/// The environment variable for a token.
const TOKEN: &str = "ELBOW_TOKEN";

/// Serves until it is told to stop.
pub fn serve(args: &Serve, json: bool) -> Result<()> {
    let place = Address::find(&Where::of(&args.place))?;
    // A study that has not started is awaited, in the store file where it will be.
    let store = if place.file.is_some() { place.store_or_create()? } else { place.store()? };
    // Other studies of the store may be served nevertheless.
    let differ = place.open().map_or_else(|_| Vec::new(), |study| place.disagreement(&study));
    let token = token(args)?;
    let settings =
        Settings { address: (args.listen, args.port).into(), hosts: args.host.clone(), write: args.write, token };
    let server = Server::bind(store.clone(), settings).map_err(|error| anyhow::anyhow!(error))?;
    let mut out = std::io::stdout().lock();
    if json {
        writeln!(
            out,
            "{}",
            with_differences(
                json!({ "url": server.url(), "address": server.address().to_string(), "write": args.write }),
                &differ
            )
        )?;
    } else {
        let how = if args.write { "changes allowed" } else { "read-only; --write allows changes" };
        write!(out, "{}", crate::format::safe(&words_of(&differ)))?;
        let to_study = place.study().map_or_else(String::new, |name| format!("#/s/{}", in_address(name)));
        writeln!(out, "serving {} ({how})\nopen {}{to_study}\npress Ctrl-C to stop", store.label(), server.url())?;
    }
    out.flush()?;
    drop(out);
    let stop = server.stopper();
    listen(ENDS, move |_| stop())?;
    Ok(server.run()?)
}

/// A token that the user chose: from a file, or from the environment. On a command line everybody could see it.
fn token(args: &Serve) -> Result<Option<Token>> {
    let text = match &args.token_file {
        Some(path) => Some(private(path)?),
        None => std::env::var(TOKEN).ok(),
    };
    let text = text.filter(|text| !text.trim().is_empty());
    text.map(|text| {
        Token::given(&text).map_err(|error| cli_error(error, "use a long random one: openssl rand -hex 32 prints one"))
    })
    .transpose()
}

fn private(path: &Path) -> Result<String> {
    let shown = path.display();
    let read = |error| cli_error(format!("{shown} cannot be read: {error}"), "name a file with the token in it");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).map_err(read)?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(cli_error(format!("others can read {shown}"), format!("run chmod 600 {shown}")));
        }
    }
    std::fs::read_to_string(path).map_err(read)
}
