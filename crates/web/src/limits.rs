//! How much one request may ask for.

use std::time::Duration;

/// Bytes of a request's body.
pub const MAX_BODY: usize = 1 << 20;
/// Brackets within brackets in JSON.
pub const MAX_DEPTH: usize = 32;
/// Bytes of one text in JSON.
pub const MAX_TEXT: usize = 10_000;
/// Points of one ask.
pub const MAX_ASK: usize = 200;
/// Trials of one heartbeat.
pub const MAX_ATTEMPTS: usize = 1000;
/// Events of one page of the log.
pub const MAX_EVENTS: usize = 1000;
/// Simultaneous connections that have not shown the token yet; if there are more, the oldest is ended.
pub const MAX_GUESTS: usize = 256;
/// Simultaneous connections that have shown the token; a dashboard keeps one open for its news.
pub const MAX_CONNECTIONS: usize = 512;
/// How long an answer may take.
pub const MAX_TIME: Duration = Duration::from_secs(120);
/// How long a client may take to send its headers.
pub const MAX_HEADER_TIME: Duration = Duration::from_secs(10);

/// Refuses JSON that is nested too deeply or contains too long a text, before anything is built from it.
pub fn check_json(bytes: &[u8]) -> Result<(), String> {
    let (mut depth, mut text) = (0usize, None::<usize>);
    let mut escaped = false;
    for (i, byte) in bytes.iter().enumerate() {
        match (text, byte) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(start), b'"') => {
                if i - start > MAX_TEXT {
                    return Err(format!("a text has more than {MAX_TEXT} bytes"));
                }
                text = None;
            }
            (Some(_), _) => {}
            (None, b'"') => text = Some(i),
            (None, b'[' | b'{') => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(format!("more than {MAX_DEPTH} brackets are nested"));
                }
            }
            (None, b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_counted_outside_of_texts_only() {
        let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(check_json(deep(MAX_DEPTH).as_bytes()).is_ok());
        assert!(check_json(deep(MAX_DEPTH + 1).as_bytes()).is_err());
        assert!(check_json(format!("{:?}", deep(100)).as_bytes()).is_ok());
        assert!(check_json(br#"["\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["]"#).is_ok());
        assert!(check_json(format!("{:?}", "x".repeat(MAX_TEXT + 2)).as_bytes()).is_err());
    }
}
