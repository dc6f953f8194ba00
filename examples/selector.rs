//! Variables ranked by the selector JMI of a plugin, from columns in memory.

use passel::{Job, Plugins, Table};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let column = |by: i32| (0..200).map(|i| i * i % by % 4).collect::<Vec<i32>>();
    let (a, b, c) = (column(11), column(13), column(17));
    let class: Vec<i32> = a.iter().zip(&c).map(|(a, c)| (a + c) % 3).collect();
    let columns = [("a", a), ("b", b), ("c", c), ("class", class)];
    let columns = columns.map(|(name, codes)| (name, codes.into()));

    let mut job = Job::from_table(Table::from_columns(columns)?);
    job.response = Some("class".to_owned());
    job.selector = Some(Plugins::find(&[])?.method("jmi")?);
    job.stop.top = Some(2);
    for chosen in passel::rank(&job)?.selected {
        println!("{:>4}  {:.4} nats", chosen.name, chosen.choice.score);
    }
    Ok(())
}
