//! The order string: which axis varies fastest.

use super::TopologyError;

/// One axis of parallelism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    Tp,
    Cp,
    Ep,
    Dp,
    Pp,
    GtpRemat,
}

impl Axis {
    /// Upstream's token in the order string.
    ///
    /// ```
    /// assert_eq!(packscope::Axis::GtpRemat.name(), "gtp_remat");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Axis::Tp => "tp",
            Axis::Cp => "cp",
            Axis::Ep => "ep",
            Axis::Dp => "dp",
            Axis::Pp => "pp",
            Axis::GtpRemat => "gtp_remat",
        }
    }

    fn of_name(name: &str) -> Option<Axis> {
        [Axis::Tp, Axis::Cp, Axis::Ep, Axis::Dp, Axis::Pp, Axis::GtpRemat]
            .into_iter()
            .find(|axis| axis.name() == name)
    }
}

/// The axes of an order string, fastest first, any case.
///
/// # Errors
/// An unknown or a repeated axis, by name.
///
/// ```
/// use packscope::{Axis, topology::parse_order};
/// assert_eq!(parse_order("tp-PP"), Ok(vec![Axis::Tp, Axis::Pp]));
/// assert!(parse_order("tp-tp").is_err());
/// ```
pub fn parse_order(order: &str) -> Result<Vec<Axis>, TopologyError> {
    let mut axes = Vec::new();
    for name in order.to_ascii_lowercase().split('-') {
        let axis =
            Axis::of_name(name).ok_or_else(|| TopologyError::UnknownAxis(name.to_owned()))?;
        if axes.contains(&axis) {
            return Err(TopologyError::RepeatedAxis(axis));
        }
        axes.push(axis);
    }
    Ok(axes)
}

/// Puts `gtp_remat` behind `after`, as both generators do before they are built.
///
/// Source: Megatron-Core `parallel_state._inject_gtp_remat_axis`.
pub(super) fn with_gtp_remat(order: &[Axis], after: Axis) -> Vec<Axis> {
    let mut axes = order.to_vec();
    if !axes.contains(&Axis::GtpRemat)
        && let Some(at) = axes.iter().position(|&axis| axis == after)
    {
        axes.insert(at + 1, Axis::GtpRemat);
    }
    axes
}
