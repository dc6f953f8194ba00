use super::*;

/// What arrives of something that plugins which are part of the program bring.
fn arrived<T: Offered>(spec: &str) -> (ResolvedMethod<T>, ResolvedMethod<T>) {
    let plugins = [passel_information::PLUGIN, passel_relief::PLUGIN];
    let plugins = Plugins::linked(&plugins).unwrap();
    let found = T::look_up(&plugins, spec).unwrap();
    let told = serde_json::to_string(&Told::of(T::look_up(&plugins, spec).unwrap())).unwrap();
    let told: Told = serde_json::from_str(&told).unwrap();
    (found, told.resolved().unwrap())
}

#[test]
fn what_arrives_is_what_was_told_of_but_for_its_functions() {
    for spec in ["jmi", "mifs:beta=0.25", "relieff:neighbours=3"] {
        let (found, here) = arrived::<MethodKind>(spec);
        assert_eq!(
            std::mem::discriminant(&found.value),
            std::mem::discriminant(&here.value)
        );
        assert_eq!(found.name, here.name);
        assert_eq!(found.parameters, here.parameters);
        assert_eq!(
            (found.plugin, found.version, found.library),
            (here.plugin, here.version, here.library)
        );
    }
    let (found, here) = arrived::<PairScore>("mi3");
    assert_eq!(found.name, here.name);
}

#[test]
fn families_keep_what_designs_ask_of_them_and_are_one_where_they_are_equal() {
    let told = |link: Result<&str, &str>, theta: f64| Told {
        name: "nb".to_owned(),
        parameters: vec![("theta".to_owned(), theta.into())],
        plugin: "own".to_owned(),
        version: "1".to_owned(),
        library: "libown.so".into(),
        sha256: None,
        files: Vec::new(),
        kind: Kind::Family {
            values: vec![("theta".to_owned(), theta)],
            responses: "counts".to_owned(),
            link: link.map(str::to_owned).map_err(str::to_owned),
            has_dispersion: true,
        },
    };
    let family = |told: &Told| Distribution::stand_in(told).unwrap();
    let own = family(&told(Ok("log"), 2.0));
    assert_eq!(own, family(&told(Ok("log"), 2.0)));
    assert_ne!(own, family(&told(Ok("log"), 3.0)));
    assert_eq!(own.links(), [Link::Log]);
    assert_eq!(own.plugin().unwrap().spec(), "own/nb:theta=2");
    let other = family(&told(Err("quartic"), 2.0));
    assert_eq!(other.links()[0].name(), "quartic");
    assert!(MethodKind::stand_in(&told(Ok("log"), 2.0)).is_none());
}
