//! stand-in
#[derive(Debug, Clone, PartialEq)]
pub struct Table { pub source: String, pub columns: Vec<Column>, pub rows: usize, pub response: Option<usize> }
#[derive(Debug, Clone, PartialEq)]
pub struct Column { pub name: String, pub values: Values }
#[derive(Debug, Clone, PartialEq)]
pub enum Values { Numbers(Vec<f64>), Factor { levels: Vec<String>, codes: Vec<u32> } }
#[derive(Debug, Clone, Copy)]
pub enum Missing { Refuse, DropRows }
#[derive(Debug, thiserror::Error)]
pub enum TableError { #[error("x")] X }
impl Table {
    pub fn handle_missing(&mut self, _p: Missing) -> Result<usize, TableError> { Ok(0) }
    pub fn position(&self, name: &str) -> Option<usize> { self.columns.iter().position(|c| c.name == name) }
}
pub fn nearest<'a>(_n: &str, _c: impl Iterator<Item=&'a str>) -> Option<&'a str> { None }
