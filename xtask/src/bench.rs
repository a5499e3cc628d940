//! Measurements, as ratios within one run.

use anyhow::Result;

pub fn bench() -> Result<()> {
    Ok(())
}
