//! Random formulas against the definitions of the operators on lists of sets of names.

use std::collections::BTreeSet;

use passel::formula::Formula;

use crate::random::Random;

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// A formula, and how tightly its operator binds.
enum Tree {
    Name(&'static str),
    Pair(&'static str, u8, Box<Tree>, Box<Tree>),
    Power(Box<Tree>, usize),
}

type Term = BTreeSet<&'static str>;

fn random_tree(random: &mut Random, depth: usize) -> Tree {
    if depth == 0 || random.below(5) == 0 {
        return Tree::Name(NAMES[random.below(NAMES.len())]);
    }
    if random.below(7) == 0 {
        let base = random_tree(random, depth - 1);
        return Tree::Power(Box::new(base), 1 + random.below(3));
    }
    let operators = [
        ("+", 1),
        ("-", 1),
        ("*", 2),
        ("/", 2),
        ("%in%", 3),
        (":", 4),
    ];
    let &(operator, precedence) = random.pick(&operators);
    let left = Box::new(random_tree(random, depth - 1));
    let right = Box::new(random_tree(random, depth - 1));
    Tree::Pair(operator, precedence, left, right)
}

/// The text, with parentheses only where precedence asks for them.
fn text(tree: &Tree, least: u8) -> String {
    let (text, own) = match tree {
        Tree::Name(name) => return (*name).to_owned(),
        Tree::Pair(operator, own, left, right) => {
            let (left, right) = (text(left, *own), text(right, own + 1));
            (format!("{left} {operator} {right}"), *own)
        }
        Tree::Power(base, exponent) => (format!("{}^{exponent}", text(base, 7)), 6),
    };
    match own < least {
        true => format!("({text})"),
        false => text,
    }
}

fn without_repeats(terms: Vec<Term>) -> Vec<Term> {
    let mut kept: Vec<Term> = Vec::new();
    for term in terms {
        if !kept.contains(&term) {
            kept.push(term);
        }
    }
    kept
}

fn cross(left: &[Term], right: &[Term]) -> Vec<Term> {
    let pairs = left
        .iter()
        .flat_map(|one| right.iter().map(move |other| one | other));
    without_repeats(pairs.collect())
}

fn join(terms: &[Term]) -> Term {
    terms.iter().flatten().copied().collect()
}

/// The terms by definition; none where something would interact with nothing.
fn terms(tree: &Tree) -> Option<Vec<Term>> {
    Some(match tree {
        Tree::Name(name) => vec![Term::from([*name])],
        Tree::Power(base, exponent) => {
            let base = terms(base)?;
            let mut power = base.clone();
            for _ in 1..*exponent {
                power = cross(&base, &power);
            }
            power
        }
        Tree::Pair(operator, _, left, right) => {
            let (left, right) = (terms(left)?, terms(right)?);
            let both = || left.iter().chain(&right).cloned();
            match *operator {
                "+" => without_repeats(both().collect()),
                "-" => left
                    .iter()
                    .filter(|term| !right.contains(term))
                    .cloned()
                    .collect(),
                "*" => without_repeats(both().chain(cross(&left, &right)).collect()),
                "/" => {
                    let within = cross(&right, &[join(&left)]);
                    without_repeats(left.iter().cloned().chain(within).collect())
                }
                _ if left.is_empty() || right.is_empty() => return None,
                ":" => cross(&left, &right),
                _ => cross(&left, &[join(&right)]),
            }
        }
    })
}

/// The names in the order of their first occurrence; those behind a minus do not count.
fn collect(tree: &Tree, names: &mut Vec<&'static str>) {
    match tree {
        Tree::Name(name) if !names.contains(name) => names.push(name),
        Tree::Name(_) => {}
        Tree::Power(base, _) => collect(base, names),
        Tree::Pair(operator, _, left, right) => {
            collect(left, names);
            if *operator != "-" {
                collect(right, names);
            }
        }
    }
}

#[test]
fn random_formulas_have_the_terms_of_the_definition() {
    let mut random = Random::new(1);
    let mut refused = 0;
    for _ in 0..5_000 {
        let tree = random_tree(&mut random, 4);
        let text = text(&tree, 0);
        let formula = Formula::parse(&format!("~ {text}")).unwrap();
        let again = Formula::parse(&formula.to_string()).unwrap();
        assert_eq!(again, formula, "{text}");
        let ours = formula.terms(&NAMES);
        let Some(mut expected) = terms(&tree) else {
            assert!(ours.is_err(), "{text}");
            refused += 1;
            continue;
        };
        expected.sort_by_key(|term| term.len());
        let mut order = Vec::new();
        collect(&tree, &mut order);
        let labels = expected.iter().map(|term| {
            let mut names: Vec<&str> = term.iter().copied().collect();
            names.sort_by_key(|name| order.iter().position(|other| other == name));
            names.join(":")
        });
        let expected: Vec<String> = labels.collect();
        let ours: Vec<String> = ours.unwrap().labels().collect();
        assert_eq!(ours, expected, "{text}");
    }
    assert!((1..2_500).contains(&refused), "{refused}");
}

#[test]
fn powers_of_sums_have_the_order_of_their_products() {
    let names = ["d", "a", "e", "c", "b", "f"];
    let base: Vec<Term> = names.iter().map(|name| Term::from([*name])).collect();
    let mut power = base.clone();
    for exponent in 2..9 {
        power = cross(&base, &power);
        // Another term in the product shows the order of all degrees.
        let expected = cross(&power, &[Term::from(["z"])]);
        let expected = cross(
            &expected,
            &[Term::from(["a", "b", "c", "d", "e"]), Term::from(["z"])],
        );
        let mut expected = expected;
        expected.sort_by_key(|term| term.len());
        let text = format!("~ (d + a + e + c + b + f)^{exponent}:z:(a:b:c:d:e + z)");
        let formula = Formula::parse(&text).unwrap();
        let mut all = names.to_vec();
        all.push("z");
        let terms = formula.terms(&all).unwrap();
        let ours: Vec<Term> = terms
            .labels()
            .map(|label| {
                let names = label.split(':');
                names
                    .map(|name| *all.iter().find(|own| **own == name).unwrap())
                    .collect()
            })
            .collect();
        assert_eq!(ours, expected, "{exponent}");
    }
}
