//! All pairs of variables, by the information that two have on the response together.

use passel::{Job, PairsJob, Plugins, Table};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let column = |by: i32| (0..200).map(|i| i * i % by % 2).collect::<Vec<i32>>();
    let (a, b, c) = (column(11), column(13), column(17));
    // Neither of its two says much alone.
    let class: Vec<i32> = a.iter().zip(&c).map(|(a, c)| a ^ c).collect();
    let columns = [("a", a), ("b", b), ("c", c), ("class", class)];
    let columns = columns.map(|(name, codes)| (name, codes.into()));

    let mut job = Job::from_table(Table::from_columns(columns)?);
    job.response = Some("class".to_owned());
    let score = Plugins::find(&[])?.pair_score("mi3")?;
    for pair in passel::rank_pairs(&PairsJob::new(job, score))?.pairs {
        println!("{} and {}: {:.4} nats", pair.a, pair.b, pair.score);
    }
    Ok(())
}
