//! The kernels that a model chooses from, as configurations and logs name them.

use serde::de::value::MapAccessDeserializer;
use serde::de::{IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

use crate::error::Result;
use crate::gp::{AnyKernel, KernelKind};
use crate::part_id::{PartId, PartSettings};

/// A kernel by name: one of ours, or a user's part.
///
/// ```
/// use elbowroom::{gp::KernelKind, study::{KernelConfig, PartId}};
/// let kernels: Vec<KernelConfig> = serde_json::from_str(r#"["rbf", {"part": {"name": "acme/rq", "version": "1"}}]"#)?;
/// assert_eq!(kernels[0], KernelKind::Rbf.into());
/// assert_eq!(kernels[1], KernelConfig::foreign(PartId::new("acme/rq", "1").unwrap()));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum KernelConfig {
    /// One of ours.
    Ours(KernelKind),
    /// A user's part, to be given together with the study: see
    /// [`Parts::with_kernel`](crate::study::Parts::with_kernel).
    Foreign {
        /// Its name and version.
        part: PartId,
        /// Its settings.
        #[serde(skip_serializing_if = "PartSettings::is_empty")]
        settings: PartSettings,
    },
}

impl KernelConfig {
    /// A user's part, without settings.
    pub fn foreign(part: PartId) -> Self {
        KernelConfig::Foreign { part, settings: PartSettings::new() }
    }

    /// The user's part, if it is one.
    pub fn part(&self) -> Option<&PartId> {
        match self {
            KernelConfig::Ours(_) => None,
            KernelConfig::Foreign { part, .. } => Some(part),
        }
    }

    /// Whether both name the same kernel with the same settings, in any version.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (
                KernelConfig::Foreign { part: a, settings },
                KernelConfig::Foreign { part: b, settings: other_settings },
            ) => a.name() == b.name() && settings == other_settings,
            _ => self == other,
        }
    }

    pub(super) fn validate(&self) -> Result<()> {
        match self {
            KernelConfig::Ours(_) => Ok(()),
            KernelConfig::Foreign { part, .. } => part.check().map_err(|error| error.within("model.kernels")),
        }
    }
}

impl From<KernelKind> for KernelConfig {
    fn from(kind: KernelKind) -> Self {
        KernelConfig::Ours(kind)
    }
}

/// A word or a table. Written by hand, because an untagged enum would not say which word is unknown.
impl<'de> Deserialize<'de> for KernelConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Foreign {
            part: PartId,
            #[serde(default)]
            settings: PartSettings,
        }
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = KernelConfig;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a kernel, or a table with its `part`")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> std::result::Result<Self::Value, E> {
                KernelKind::deserialize(name.into_deserializer()).map(KernelConfig::Ours)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<Self::Value, A::Error> {
                let Foreign { part, settings } = Foreign::deserialize(MapAccessDeserializer::new(map))?;
                Ok(KernelConfig::Foreign { part, settings })
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// A kernel in a contest, and its name in a log.
#[derive(Debug, Clone)]
pub(crate) struct Contestant {
    pub name: KernelConfig,
    pub kernel: AnyKernel,
}

impl From<KernelKind> for Contestant {
    fn from(kind: KernelKind) -> Self {
        Self { name: kind.into(), kernel: kind.into() }
    }
}

impl Contestant {
    /// A start for this kernel from the θ of another: the kernel's own parameters get typical values, the rest is kept.
    pub fn start_from(&self, theta: &[f64], other: &Contestant) -> Vec<f64> {
        if self.name.is_same(&other.name) {
            return theta.to_vec();
        }
        let kept = theta.len().saturating_sub(other.kernel.values().len());
        let own = self.kernel.values().iter().map(|value| value.ln());
        theta[..kept].iter().copied().chain(own).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gp::Idle;

    fn idle(name: &str) -> Contestant {
        let part = PartId::new(name, "1").unwrap();
        Contestant { name: KernelConfig::foreign(part), kernel: AnyKernel::own(name, Idle).unwrap() }
    }

    #[test]
    fn a_start_from_another_kernel_keeps_all_but_that_kernels_own_parameters() {
        let (one, other, ours) = (idle("acme/one"), idle("acme/other"), Contestant::from(KernelKind::Rbf));
        let theta = [-1.0, 0.0, -9.0, 0.7];
        assert_eq!(one.start_from(&theta, &one), theta);
        let moved = other.start_from(&theta, &one);
        assert_eq!(moved[..3], theta[..3]);
        assert!((moved[3] - 0.2).abs() < 1e-15, "{moved:?}");
        assert_eq!(ours.start_from(&theta, &one), theta[..3]);
        assert_eq!(one.start_from(&theta[..3], &ours), moved);
    }
}
