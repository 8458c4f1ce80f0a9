//! Serves studies over HTTP: a dashboard for people, an API for programs.
//!
//! A server is an open door. This one listens on the loopback address unless told otherwise, requires a token, is
//! read-only unless started otherwise, and hides its contents from other pages in the browser. One layer around all
//! routes ensures that (`guard`); the routes know nothing about it.

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
