//! Archives of plugins: zip archives, wheels and `.tar.gz`.

use std::{
    env::consts::{ARCH, DLL_SUFFIX, OS},
    fs,
    io::Write,
};

use flate2::{Compression, write::GzEncoder};
use zip::{ZipWriter, write::SimpleFileOptions};

use super::{
    installed::{install, library, place, refuses, sha256, with_plugin},
    program::Folder,
};

/// Writes an archive with these entries, as its name says.
pub(super) fn archive(folder: &Folder, name: &str, entries: &[(&str, &[u8])]) {
    let file = fs::File::create(folder.path(name)).unwrap();
    if !name.to_lowercase().ends_with("gz") {
        let mut zip = ZipWriter::new(file);
        for (name, bytes) in entries {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap();
        return;
    }
    let mut tar = tar::Builder::new(GzEncoder::new(file, Compression::fast()));
    for (name, bytes) in entries {
        let mut header = tar::Header::new_gnu();
        // The crate itself would refuse some of these names.
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append(&header, *bytes).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap();
}

#[test]
fn archives_bring_the_plugins_that_they_hold() {
    let Some((folder, file)) = with_plugin(&[]) else {
        return;
    };
    let bytes = fs::read(folder.path(&file)).unwrap();
    let inside = format!("mine/lib/{file}");
    for name in ["a.zip", "a-1.2-py3-none-any.whl", "a.tar.gz", "a.TGZ"] {
        archive(&folder, name, &[("README", b"?"), (&inside, &bytes)]);
        let told = install(&folder, name, &["--force"]);
        assert_eq!(told.code, Some(0), "{name}: {}", told.stderr);
        assert!(told.stdout.starts_with("Installed plain 1.2 as "));
        assert_eq!(fs::read(place(&folder, &file)).unwrap(), bytes);
    }
}

#[test]
fn an_archive_with_a_library_that_is_no_plugin_is_refused_whole() {
    let Some((folder, file)) = with_plugin(&[]) else {
        return;
    };
    let bytes = fs::read(folder.path(&file)).unwrap();
    let other = &*format!("mine/{}", library("x"));
    for name in ["a.zip", "a.tar.gz"] {
        for entries in [
            [(&*file, &*bytes), (other, b"garbage")],
            [(other, b"garbage"), (&*file, &*bytes)],
        ] {
            archive(&folder, name, &entries);
            let start = format!("{name}, {other}: it is no plugin, ");
            refuses(&folder, name, &start, "; nothing was installed");
        }
    }
}

/// Hexadecimal digits in base 64 with the letters for addresses, without padding.
fn in_base_64(digits: &str) -> String {
    let letters: Vec<char> = ('A'..='Z')
        .chain('a'..='z')
        .chain('0'..='9')
        .chain(['-', '_'])
        .collect();
    let bits = digits
        .chars()
        .map(|digit| format!("{:04b}", digit.to_digit(16).unwrap()));
    let bits: Vec<char> = bits.collect::<String>().chars().collect();
    let six = |bits: &[char]| format!("{:0<6}", bits.iter().collect::<String>());
    let letter = |bits| letters[usize::from_str_radix(&six(bits), 2).unwrap()];
    bits.chunks(6).map(letter).collect()
}

#[test]
fn a_wheel_is_for_the_platform_of_its_name_and_holds_what_its_record_says() {
    let Some((folder, file)) = with_plugin(&[]) else {
        return;
    };
    let bytes = fs::read(folder.path(&file)).unwrap();
    let others = [
        "win32",
        "macosx_11_0_ppc64",
        "manylinux_2_17_s390x.manylinux2014_s390x",
    ];
    for tags in others {
        let name = &*format!("mine-1.2-py3-none-{tags}.whl");
        archive(&folder, name, &[(&file, &bytes)]);
        let reason = format!(
            "it is a wheel for {tags}, this passel for {ARCH} on {OS}; nothing was installed"
        );
        refuses(&folder, name, name, &reason);
    }
    let name = "mine-1.2-1-py3-none-any.whl";
    let inside = &*format!("mine/{file}");
    let with = |record: &str| {
        let entries = [
            (inside, &*bytes),
            ("mine-1.2.dist-info/RECORD", record.as_bytes()),
        ];
        archive(&folder, name, &entries);
    };
    let own = &*in_base_64(&sha256(&folder.path(&file)));
    let other = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";
    with(&format!(
        "mine/__init__.py,sha256={own},1\n{inside},sha256={other},0\n"
    ));
    let reason = format!(
        "it is damaged: its entry {inside} has another SHA-256, {}, than its RECORD says",
        sha256(&folder.path(&file))
    );
    refuses(&folder, name, name, &reason);
    let size = bytes.len();
    with(&format!(
        "mine/__init__.py,sha256={other},1\n\"{inside}\",sha256={own},{size}\nmine-1.2.dist-info/RECORD,,\n"
    ));
    let told = install(&folder, name, &[]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
}

#[test]
fn archives_that_are_broken_or_lead_elsewhere_are_refused_whole() {
    let Some((folder, file)) = with_plugin(&[]) else {
        return;
    };
    let bytes = fs::read(folder.path(&file)).unwrap();
    for end in ["zip", "tar.gz"] {
        let name = &*format!("a.{end}");
        let start = &*format!("{name}: ");
        for outside in [format!("../{file}"), format!("/tmp/{file}")] {
            archive(&folder, name, &[(&file, &bytes), (&outside, &bytes)]);
            let reason = format!("its entry {outside} leads out of the folder");
            refuses(&folder, name, start, &reason);
        }
        archive(&folder, name, &[("a", b""), ("b/plain.dll", b"")]);
        let reason = format!("whose names end with {DLL_SUFFIX}, but b/plain.dll;");
        refuses(&folder, name, start, &reason);
        archive(&folder, name, &[(&file, b"no plugin")]);
        let whole = &*format!("{name}, {file}: it is no plugin");
        refuses(&folder, name, whole, "passel_plugin_NAME");
        let twice = [(&*format!("a/{file}"), &*bytes), (&file, &bytes)];
        archive(&folder, name, &twice);
        let reason = &*format!("plugin `plain` is in {name}, a/{file} as well");
        refuses(&folder, name, start.trim_end_matches(": "), reason);
        let whole = fs::read(folder.path(name)).unwrap();
        for length in [0, 40, whole.len() / 2, whole.len() - 4] {
            fs::write(folder.path(name), &whole[..length]).unwrap();
            let told = install(&folder, name, &[]);
            assert_eq!(told.code, Some(2), "{name}, {length}: {}", told.stderr);
            let is_told = told.stderr.contains("archive that can be read");
            assert!(
                is_told || told.stderr.contains("cannot be unpacked"),
                "{length}: {}",
                told.stderr
            );
            assert!(!place(&folder, "").exists());
        }
    }
}
