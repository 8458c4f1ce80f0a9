//! Pictures and tables, as pure functions: plain data in, SVG and PNG out.

pub mod plot;
