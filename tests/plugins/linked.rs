//! Plugins that are part of the program.

use passel::plugin::Plugins;

mod one {
    use passel_sdk::{Score, Selector};

    pub const ONE: Selector = Selector {
        name: "one",
        title: "relevance",
        formula: "I(x;y)",
        source: "a test",
        parameters: &[],
        score: |_| Ok(Score::default()),
    };

    passel_sdk::plugin! { name: of_one, selectors: [ONE] }
}

mod another {
    passel_sdk::plugin! { name: of_another, selectors: [super::one::ONE] }
}

fn refused(plugins: &[(&str, passel_sdk::entry::Entry)]) -> String {
    Plugins::linked(plugins).unwrap_err().to_string()
}

#[test]
fn plugins_of_one_program_keep_their_own_entries() {
    let all = [passel_information::PLUGIN, one::PLUGIN, faulty::PLUGIN];
    let plugins = Plugins::linked(&all).unwrap();
    let names: Vec<&str> = plugins
        .plugins()
        .iter()
        .map(|plugin| &*plugin.name)
        .collect();
    assert_eq!(names, ["information", "of-one", "faulty"]);
    for (method, plugin) in [
        ("jmi", "information"),
        ("one", "of-one"),
        ("faulty", "faulty"),
    ] {
        assert_eq!(plugins.method(method).unwrap().plugin, plugin);
    }
    // Entered again, they are the same.
    assert!(Plugins::linked(&all).unwrap().method("one").is_ok());
}

#[test]
fn what_two_of_one_program_bring_is_refused() {
    assert_eq!(
        refused(&[one::PLUGIN, one::PLUGIN]),
        "linked/of-one: plugin `of-one` is there already, from linked/of-one"
    );
    let both = Plugins::linked(&[one::PLUGIN, another::PLUGIN]).unwrap();
    let plugin = |name: &str| both.method(name).unwrap().plugin;
    assert_eq!(
        (plugin("one"), plugin("of-another/one")),
        ("of-one".into(), "of-another".into())
    );
    assert_eq!(
        refused(&[("other", one::PLUGIN.1)]),
        "linked/other: the plugin: it calls itself `of-one`, its library `other`"
    );
}
