//! The token that grants access: 256 random bits, of which only a hash is kept.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// A token in plain text, to be shown once.
#[derive(Clone)]
pub struct Token(String);

/// The minimum length of a token that a user chose.
const LEAST: usize = 32;

impl Token {
    /// Creates a token of 256 random bits. Fails if the system cannot provide randomness.
    pub fn fresh() -> Result<Self, String> {
        let mut bits = [0u8; 32];
        getrandom::fill(&mut bits)
            .map_err(|error| format!("the operating system provides no random numbers: {error}"))?;
        Ok(Self(bits.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Uses a token that the user provides, if it is long enough and valid in a header.
    ///
    /// ```
    /// use elbowroom_web::Token;
    /// assert!(Token::given("secret").is_err());
    /// assert!(Token::given(&"5f".repeat(32)).is_ok());
    /// ```
    pub fn given(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        if text.len() < LEAST || text.len() > 200 || !plain {
            return Err(format!("a token has {LEAST} to 200 letters, digits, `-` and `_`"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The token's text.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// The hash that is kept of a token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lock([u8; 32]);

impl Lock {
    pub fn of(token: &Token) -> Self {
        Self(Sha256::digest(token.0.as_bytes()).into())
    }

    /// Whether a text is the token, in constant time.
    pub fn opens(&self, text: &str) -> bool {
        let given: [u8; 32] = Sha256::digest(text.as_bytes()).into();
        self.0.ct_eq(&given).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_opens_its_lock() {
        let (one, other) = (Token::fresh().unwrap(), Token::fresh().unwrap());
        assert_eq!(one.reveal().len(), 64);
        assert!(Lock::of(&one).opens(one.reveal()));
        assert!(!Lock::of(&one).opens(other.reveal()) && !Lock::of(&one).opens(""));
        assert_eq!(format!("{one:?}"), "Token(…)");
    }
}
