//! Serves studies over HTTP: a dashboard for people, an API for programs.
//!
//! Everything that listens is a door. This one stands on the loopback address unless told otherwise, opens to a token
//! only, lets nothing change unless it was started so, and shows its contents to no other page of a browser. One layer
//! around every route sees to that (`guard`); the routes know nothing of it.

mod actions;
mod desk;
mod document;
mod fault;
mod guard;
mod limits;
mod live;
mod lobby;
mod looks;
mod pause;
mod remote;
mod routes;
mod serve;
mod studies;
mod token;

pub use desk::scene;
pub use document::document;
pub use serve::{Server, Settings};
pub use token::Token;
