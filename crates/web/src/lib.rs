//! Serves studies over HTTP: a dashboard for people, an API for programs.
//!
//! Everything that listens is a door. This one stands on the loopback address unless told otherwise, opens to a token
//! only, lets nothing change unless it was started so, and shows its contents to no other page of a browser. One layer
//! around every route sees to that (`guard`); the routes know nothing of it.

mod ask_broker;
mod changes;
mod error;
mod guard;
mod idempotency;
#[cfg(test)]
mod interleavings;
mod limits;
mod live_study;
mod lobby;
mod news;
mod openapi;
mod pause;
mod picture_cache;
mod queries;
mod ranked;
mod routes;
mod serve;
mod store_api;
mod studies;
mod token;

pub use openapi::document;
pub use serve::{Server, Settings};
pub use token::Token;
