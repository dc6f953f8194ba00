//! How long code that cannot be stopped may go on after its end was wanted.

use std::{env, sync::LazyLock, time::Duration};

/// The variable with the seconds of [`grace`], for those who cannot wait, such as tests.
const SECONDS: &str = "PASSEL_GRACE";

/// How long the code of a plugin may go on after the first request to end, or after its time limit, before it is left behind or
/// ends the process: a batch system would soon kill that.
pub(crate) fn grace() -> Duration {
    static GRACE: LazyLock<Duration> = LazyLock::new(|| {
        let chosen = env::var(SECONDS).ok().and_then(|text| text.parse().ok());
        let chosen = chosen.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        chosen.unwrap_or(Duration::from_secs(10))
    });
    *GRACE
}
