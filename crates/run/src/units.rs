//! Durations and amounts of memory as people write them.

use std::time::Duration;

use crate::error::{Error, Result};

/// The longest time that is accepted: a hundred years.
const MAX_SECONDS: f64 = 100.0 * 365.25 * 86400.0;

/// Reads a duration: a number with `ms`, `s`, `m`, `h` or `d`, or several of these; a bare number is seconds.
///
/// ```
/// use elbowroom_run::parse_duration;
/// use std::time::Duration;
/// assert_eq!(parse_duration("1h30m")?, Duration::from_secs(5400));
/// assert_eq!(parse_duration("0.5")?, Duration::from_millis(500));
/// assert!(parse_duration("soon").is_err());
/// # Ok::<(), elbowroom_run::Error>(())
/// ```
pub fn parse_duration(text: &str) -> Result<Duration> {
    let wrong = || Error::quantity(format!("{text:?} is not a duration"), "write it like 90s, 15m, 1h30m or 2d");
    let mut seconds = 0.0;
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(wrong());
    }
    while !rest.is_empty() {
        let (number, after) = split_number(rest);
        let n: f64 = number.parse().map_err(|_| wrong())?;
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        seconds += n * match unit {
            "ms" => 1e-3,
            "s" | "sec" => 1.0,
            "" if after.trim().is_empty() => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return Err(wrong()),
        };
        rest = after.trim_start();
    }
    if !(0.0..=MAX_SECONDS).contains(&seconds) {
        return Err(wrong());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Reads an amount of memory: a number of bytes, or with `k`, `M`, `G` or `T` a multiple of 1024, 1024² … bytes, with
/// or without `B`.
///
/// ```
/// use elbowroom_run::parse_bytes;
/// assert_eq!(parse_bytes("1.5GB")?, 3 << 29);
/// assert_eq!(parse_bytes("512")?, 512);
/// assert!(parse_bytes("much").is_err());
/// # Ok::<(), elbowroom_run::Error>(())
/// ```
pub fn parse_bytes(text: &str) -> Result<u64> {
    let wrong = || Error::quantity(format!("{text:?} is not an amount of memory"), "write it like 512M or 2GB");
    let (number, unit) = split_number(text.trim());
    let n: f64 = number.parse().map_err(|_| wrong())?;
    let unit = unit.trim().to_ascii_lowercase();
    let unit = unit.strip_suffix("ib").or_else(|| unit.strip_suffix('b')).unwrap_or(&unit);
    let power = match unit {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return Err(wrong()),
    };
    let bytes = n * 1024f64.powi(power);
    if !(1.0..9e15).contains(&bytes) {
        return Err(wrong());
    }
    Ok(bytes as u64)
}

fn split_number(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len()))
}

/// Writes a duration in its two largest units.
///
/// ```
/// use elbowroom_run::format_duration;
/// use std::time::Duration;
/// assert_eq!(format_duration(Duration::from_secs(5400)), "1h 30m");
/// assert_eq!(format_duration(Duration::from_millis(4250)), "4.3 s");
/// assert_eq!(format_duration(Duration::from_millis(7)), "7 ms");
/// ```
pub fn format_duration(time: Duration) -> String {
    let s = time.as_secs();
    match s {
        0 if time.as_millis() < 100 => format!("{} ms", time.as_millis()),
        // Two digits are enough, and a limit of one second is "1 s".
        0 => format!("{} s", (time.as_secs_f64() * 100.0).round() / 100.0),
        1..10 => format!("{} s", (time.as_secs_f64() * 10.0).round() / 10.0),
        10..60 => format!("{s} s"),
        60..3600 => format!("{}m {:02}s", s / 60, s % 60),
        3600..86400 => format!("{}h {:02}m", s / 3600, s / 60 % 60),
        _ => format!("{}d {:02}h", s / 86400, s / 3600 % 24),
    }
}

/// Writes an amount of memory in the units that [`parse_bytes`] reads.
///
/// ```
/// use elbowroom_run::format_bytes;
/// assert_eq!(format_bytes(3 << 29), "1.5 GB");
/// assert_eq!(format_bytes(200 << 20), "200 MB");
/// assert_eq!(format_bytes((200 << 20) + 300_000), "200.3 MB");
/// assert_eq!(format_bytes(512), "512 B");
/// ```
pub fn format_bytes(bytes: u64) -> String {
    let (mut amount, mut units) = (bytes as f64, ["B", "kB", "MB", "GB", "TB"].iter());
    let mut unit = units.next();
    while amount >= 1024.0 && units.len() > 0 {
        amount /= 1024.0;
        unit = units.next();
    }
    let digits = 3 - (amount.max(1.0).log10() as usize).min(3);
    let number = format!("{amount:.digits$}");
    let number = if digits > 0 { number.trim_end_matches('0').trim_end_matches('.') } else { &number };
    format!("{number} {}", unit.unwrap_or(&"B"))
}
