//! Where the libraries of plugins lie in memory, for a handler of signals to ask whose code was at fault.

use std::{fs, ops::Range, path::Path, sync::OnceLock};

#[derive(Default)]
struct Mapped {
    code: Range<usize>,
    name: &'static str,
}

/// The most libraries that are known; faults of others have no name.
const LIBRARIES: usize = 1024;

/// Filled from the first on, and never changed: a handler of signals reads it.
static KNOWN: [OnceLock<Mapped>; LIBRARIES] = [const { OnceLock::new() }; LIBRARIES];

/// Notes where a library lies that was loaded, if the system says so.
pub(super) fn note(library: &Path) {
    let path = library
        .canonicalize()
        .unwrap_or_else(|_| library.to_owned());
    let (Some(path), Ok(maps)) = (path.to_str(), fs::read_to_string("/proc/self/maps")) else {
        return;
    };
    let name: &'static str = match path.rsplit_once('/') {
        Some((_, name)) => name.to_owned().leak(),
        None => path.to_owned().leak(),
    };
    for code in maps.lines().filter_map(|line| code_of(line, path)) {
        let mut mapped = Some(Mapped { code, name });
        for place in &KNOWN {
            // The first place that nobody else takes.
            place.get_or_init(|| mapped.take().unwrap_or_default());
            if mapped.is_none() {
                break;
            }
        }
    }
}

/// The addresses of code of a library in a line as `7f31c000-7f31d000 r-xp 00001000 fe:00 1234   /a/libb.so`.
fn code_of(line: &str, path: &str) -> Option<Range<usize>> {
    let mut words = line.strip_suffix(path)?.split_ascii_whitespace();
    let (range, rights) = (words.next()?, words.next()?);
    let (start, end) = range.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    let code = address(start)?..address(end)?;
    rights.contains('x').then_some(code)
}

/// The library that has code at an address. A handler of signals may ask.
pub(super) fn library_at(address: usize) -> Option<&'static str> {
    let all = KNOWN.iter().map_while(OnceLock::get);
    let mut there = all.filter(|own| own.code.contains(&address));
    there.next().map(|own| own.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_a_file_is_found_in_the_list_of_the_system() {
        let line = "7f31c000-7f31d000 r-xp 00001000 fe:00 1234                       /a b/libc.so";
        assert_eq!(
            code_of(line, "/a b/libc.so"),
            Some(0x7f31_c000..0x7f31_d000)
        );
        assert_eq!(code_of(line, "/a/libc.so"), None);
        assert_eq!(code_of(&line.replace("r-xp", "r--p"), "/a b/libc.so"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_address_of_this_program_is_its_own() {
        let program = std::env::current_exe().unwrap();
        note(&program);
        let own = program.file_name().unwrap().to_str();
        assert_eq!(library_at(code_of as *const () as usize), own);
        assert_eq!(library_at(0), None);
    }
}
