//! A page taken apart, and what holds for every page.

const VOID: [&str; 4] = ["meta", "link", "br", "input"];

/// A page taken apart.
pub struct Page {
    pub text: String,
    /// Of each figure and table its title and its data.
    pub data: Vec<(String, Vec<Vec<String>>)>,
}

impl Page {
    pub fn of(text: String) -> Self {
        assert!(text.starts_with("<!doctype html>\n"), "{text:.80}");
        assert_balanced(&text);
        assert_alone(&text);
        let parts = text.split("<h3>").skip(1);
        let parts = parts.filter(|part| part.contains("data:text/csv"));
        let data = parts.map(|part| {
            let title = part.split("</h3>").next().unwrap().to_owned();
            let (_, link) = part.split_once("data:text/csv;charset=utf-8,").unwrap();
            (title, rows(link.split('"').next().unwrap()))
        });
        let data = data.collect();
        Self { text, data }
    }

    /// The data under a title; the names are the first row.
    pub fn rows(&self, title: &str) -> &[Vec<String>] {
        let found = self.data.iter().find(|table| table.0 == title);
        let titles = || self.data.iter().map(|table| table.0.as_str());
        &found
            .unwrap_or_else(|| panic!("{title} of {:?}", titles().collect::<Vec<_>>()))
            .1
    }

    pub fn has(&self, part: &str) {
        assert!(self.text.contains(part), "{part}");
    }
}

/// The rows of a link of data.
fn rows(link: &str) -> Vec<Vec<String>> {
    let mut bytes = Vec::new();
    let mut rest = link.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first == b'%' {
            let digits = std::str::from_utf8(&after[..2]).unwrap();
            bytes.push(u8::from_str_radix(digits, 16).unwrap());
            rest = &after[2..];
        } else {
            bytes.push(*first);
        }
    }
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.has_headers(false).from_reader(&bytes[..]);
    let rows = reader.records();
    rows.map(|row| row.unwrap().iter().map(str::to_owned).collect())
        .collect()
}

/// Every element is closed in its turn, every attribute is in quotes.
fn assert_balanced(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = &page["<!doctype html>\n".len()..];
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        if rest.starts_with("<!--") {
            rest = &rest[rest.find("-->").unwrap() + 3..];
            continue;
        }
        let end = rest.find('>').unwrap();
        let inside = &rest[1..end];
        rest = &rest[end + 1..];
        if let Some(name) = inside.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{rest:.120}");
            continue;
        }
        assert_eq!(inside.matches('"').count() % 2, 0, "{inside}");
        assert!(
            !inside.contains("NaN") && !inside.contains("inf"),
            "{inside}"
        );
        let name = inside.split([' ', '/', '\n']).next().unwrap();
        if !inside.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
        if ["script", "style"].contains(&name) {
            rest = &rest[rest.find(&format!("</{name}>")).unwrap()..];
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

/// Nothing is fetched from anywhere, every figure has a text in its place, no two elements have
/// one name.
fn assert_alone(page: &str) {
    let bare = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    for word in [
        "http:", "https:", "//cdn", "@import", "<img", "<iframe", " src=",
    ] {
        assert!(!bare.contains(word), "{word}");
    }
    assert!(
        page.contains("default-src 'none'"),
        "a policy that lets nothing be loaded"
    );
    for svg in page.split("<svg ").skip(1) {
        let (_, told) = svg.split_once("role=\"img\" aria-label=\"").unwrap();
        assert!(told.split('"').next().unwrap().len() > 20, "{told:.40}");
        assert!(svg.contains("viewBox=\"0 0 "), "{svg:.200}");
    }
    let ids: Vec<&str> = page.split(" id=\"").skip(1).collect();
    let mut names: Vec<&str> = ids.iter().map(|id| id.split('"').next().unwrap()).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}
