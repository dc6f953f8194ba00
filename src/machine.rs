//! What the operating system knows of this process: the machine's name, the date, CPU time, memory and
//! priority.

#[cfg(feature = "program")]
use std::{ffi::OsString, process::Command, sync::OnceLock};
use std::{
    fs::{self, File, OpenOptions},
    io,
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

const DAY: u64 = 86_400;

/// The command that starts this program, and the arguments behind it, where the program is a part of another.
#[cfg(feature = "program")]
static STARTED_AS: OnceLock<(Vec<OsString>, Vec<OsString>)> = OnceLock::new();

/// Notes how this program was started, where it is a part of another; a second time nothing.
#[cfg(feature = "program")]
pub(crate) fn started_as(command: Vec<OsString>, arguments: Vec<OsString>) {
    // Whoever was first was the start.
    let _ = STARTED_AS.set((command, arguments));
}

/// The arguments of this program, without its name.
#[cfg(feature = "program")]
pub(crate) fn arguments() -> impl Iterator<Item = OsString> {
    let given = STARTED_AS.get().map(|(_, arguments)| arguments.clone());
    given
        .unwrap_or_else(|| std::env::args_os().skip(1).collect())
        .into_iter()
}

/// What starts this program once more.
///
/// # Errors
/// The system does not say which file it is.
#[cfg(feature = "program")]
pub(crate) fn this_program() -> io::Result<Command> {
    match STARTED_AS.get().map(|(command, _)| command.as_slice()) {
        Some([program, arguments @ ..]) => {
            let mut command = Command::new(program);
            command.args(arguments);
            Ok(command)
        }
        _ => std::env::current_exe().map(Command::new),
    }
}

/// The name of this machine in its network; empty if the system does not say.
pub(crate) fn host() -> String {
    #[cfg(all(unix, feature = "program"))]
    {
        rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned()
    }
    #[cfg(not(all(unix, feature = "program")))]
    {
        let name = fs::read_to_string("/proc/sys/kernel/hostname");
        let name = name.or_else(|_| std::env::var("COMPUTERNAME"));
        name.unwrap_or_default().trim().to_owned()
    }
}

/// What the system says of this process in a line of `/proc/self/status`; `None` if it does not say.
pub(crate) fn process_status(field: &str) -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let mut lines = status.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = lines.find(|(name, _)| *name == field)?;
    Some(value.trim().to_owned())
}

/// A number of bytes as files of the system have it: `16 kB`.
pub(crate) fn kibibytes(text: &str) -> Option<u64> {
    let number: u64 = text.strip_suffix("kB")?.trim_end().parse().ok()?;
    number.checked_mul(1024)
}

/// The CPU time of the calling thread since it was started; `None` if the system does not say.
pub(crate) fn thread_cpu_time() -> Option<Duration> {
    #[cfg(all(unix, feature = "program"))]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        time.try_into().ok()
    }
    #[cfg(not(all(unix, feature = "program")))]
    None
}

/// Adds to the niceness of this thread and of those that it starts, and so lowers their priority.
///
/// # Errors
/// The system refuses, or has no such priorities.
pub(crate) fn add_niceness(steps: i32) -> io::Result<()> {
    #[cfg(all(unix, feature = "program"))]
    {
        Ok(rustix::process::nice(steps).map(drop)?)
    }
    #[cfg(not(all(unix, feature = "program")))]
    {
        let _ = steps;
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// How long what reads a pipe is waited for: a shell starts both at once.
#[cfg(all(unix, feature = "program"))]
const READER: Duration = Duration::from_secs(2);

/// Opens a device or a pipe to write to it.
///
/// # Errors
/// The system refuses, or nobody reads the pipe, which the system would wait for, for ever.
pub(crate) fn open_special(path: &Path) -> io::Result<File> {
    let mut open = OpenOptions::new();
    open.write(true);
    #[cfg(all(unix, feature = "program"))]
    {
        use std::{os::unix::fs::OpenOptionsExt, thread, time::Instant};

        use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
        open.custom_flags(OFlags::NONBLOCK.bits() as i32);
        let nobody = rustix::io::Errno::NXIO.raw_os_error();
        let until = Instant::now() + READER;
        let file = loop {
            match open.open(path) {
                Err(error) if error.raw_os_error() == Some(nobody) => {
                    if Instant::now() >= until {
                        let reason = "nobody reads this pipe; start what reads it first";
                        return Err(io::Error::new(error.kind(), reason));
                    }
                    thread::sleep(Duration::from_millis(10));
                }
                opened => break opened?,
            }
        };
        fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
        Ok(file)
    }
    #[cfg(not(all(unix, feature = "program")))]
    open.open(path)
}

/// The present date and time in UTC, as ISO 8601 has it: `2026-11-23T16:33:04Z`.
pub(crate) fn now() -> String {
    utc(SystemTime::now())
}

/// A date and time in UTC, as ISO 8601 has it. What lies before 1970 is 1970.
pub(crate) fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = seconds.as_secs();
    let (year, month, day) = civil(seconds / DAY);
    let (hour, minute, second) = (seconds % DAY / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of the Gregorian calendar, of a day counted from 1970-01-01.
fn civil(day: u64) -> (u64, u64, u64) {
    // Eras of 400 years that begin on March 1, so that the leap day is the last of its year.
    let day = day + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

/// Takes standard input for passel alone: whoever reads it from now on, such as a plugin, finds its end.
///
/// # Errors
/// It is closed, or the system refuses.
#[cfg(feature = "program")]
pub(crate) fn take_standard_input() -> io::Result<File> {
    #[cfg(unix)]
    {
        // Above the standard handles, and not for programs that this one starts.
        let taken = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
        rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
        Ok(taken.into())
    }
    #[cfg(not(unix))]
    Err(io::ErrorKind::Unsupported.into())
}

/// Has the system end this process with the one that started it.
#[cfg(feature = "program")]
pub(crate) fn end_with_parent() {
    #[cfg(target_os = "linux")]
    {
        let kill = Some(rustix::process::Signal::KILL);
        // Elsewhere, and where it is refused, the end of standard input tells.
        let _ = rustix::process::set_parent_process_death_signal(kill);
    }
}

/// Where reports go once standard error stands in the place of standard output.
#[cfg(all(unix, feature = "program"))]
static STANDARD_OUTPUT: std::sync::OnceLock<Option<std::fs::File>> = std::sync::OnceLock::new();

/// Lets standard error stand in the place of standard output from now on, of which a handle is kept.
#[cfg(all(unix, feature = "program"))]
pub(crate) fn keep_standard_output() {
    STANDARD_OUTPUT.get_or_init(|| {
        // Above the standard handles, and not for programs that this one starts.
        let taken = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3).ok()?;
        rustix::stdio::dup2_stdout(rustix::stdio::stderr()).ok()?;
        Some(taken.into())
    });
}

/// Here standard output stays as it is.
#[cfg(not(all(unix, feature = "program")))]
pub(crate) fn keep_standard_output() {}

/// Standard output, if another stands in its place.
#[cfg(feature = "program")]
pub(crate) fn standard_output() -> Option<&'static std::fs::File> {
    #[cfg(unix)]
    return STANDARD_OUTPUT.get()?.as_ref();
    #[cfg(not(unix))]
    None
}

/// The path of a file to write, where it names standard output and another stands in its place.
pub(crate) fn kept_path(path: &Path) -> std::borrow::Cow<'_, Path> {
    #[cfg(all(unix, feature = "program"))]
    if let Some(kept) = standard_output() {
        use std::os::fd::AsRawFd;
        let names = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
        if names.iter().any(|name| path == Path::new(name)) {
            return std::path::PathBuf::from(format!("/dev/fd/{}", kept.as_raw_fd())).into();
        }
    }
    path.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_eight_hundred_years_follows_the_one_before() {
        let is_leap = |year| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for number in 0..292_194 {
            assert_eq!(civil(number), (year, month, day), "day {number}");
            let length = match month {
                2 => 28 + u64::from(is_leap(year)),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            day += 1;
            if day > length {
                (day, month) = (1, month + 1);
            }
            if month > 12 {
                (month, year) = (1, year + 1);
            }
        }
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        let at = |seconds| utc(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(at(1_763_915_584), "2025-11-23T16:33:04Z");
        assert_eq!(utc(UNIX_EPOCH - Duration::from_secs(9)), at(0));
    }

    #[cfg(all(target_os = "linux", feature = "program"))]
    #[test]
    fn the_system_says_what_this_process_took() {
        let mut sum = 0_u64;
        while thread_cpu_time().unwrap() < Duration::from_millis(2) {
            sum = sum.wrapping_mul(3).wrapping_add(1);
        }
        assert!(sum > 0);
        assert!(!host().is_empty());
    }
}
