//! Cards with a part of the columns, numbered as all columns are.

use std::cmp::Reverse;

use super::{
    super::{DeviceError, Unscored},
    Anchor, Best, Counter, Facts, Step,
};

/// Cards that have some of the columns, which they number from 0 on.
pub(super) struct Behind<'a> {
    pub(super) cards: Box<dyn Counter + 'a>,
    pub(super) first: u32,
    pub(super) count: u32,
}

impl Behind<'_> {
    fn shifted(&self, best: Option<Best>) -> Option<Best> {
        best.map(|it| Best {
            column: Reverse(it.column.0 + self.first),
            ..it
        })
    }

    /// What the cards say, of columns as all number them.
    fn told<T>(&self, told: Result<T, DeviceError>) -> Result<T, DeviceError> {
        told.map_err(|error| match error {
            DeviceError::Unscored(it) => DeviceError::Unscored(Unscored {
                column: it.column + self.first,
                ..it
            }),
            other => other,
        })
    }

    /// A column as the cards number it, if it is theirs.
    fn own(&self, column: u32) -> Option<u32> {
        let own = column.checked_sub(self.first);
        own.filter(|it| *it < self.count)
    }
}

impl Counter for Behind<'_> {
    fn names(&self) -> Vec<String> {
        self.cards.names()
    }

    fn sweep(&mut self, step: &Step) -> Result<(), DeviceError> {
        let column = step.column.and_then(|it| self.own(it));
        let swept = self.cards.sweep(&step.numbered(column));
        self.told(swept)
    }

    fn expect(&mut self, picks: usize) {
        self.cards.expect(picks);
    }

    fn forget(&mut self) {
        self.cards.forget();
    }

    fn best(&mut self) -> Result<Option<Best>, DeviceError> {
        let best = self.cards.best();
        self.told(best).map(|it| self.shifted(it))
    }

    fn first(&mut self, least: i128) -> Result<Option<Best>, DeviceError> {
        let first = self.cards.first(least);
        self.told(first).map(|it| self.shifted(it))
    }

    fn facts(&mut self, column: u32) -> Result<Option<Facts>, DeviceError> {
        match self.own(column) {
            Some(own) => self.cards.facts(own),
            None => Ok(None),
        }
    }

    fn take(&mut self, column: u32) {
        if let Some(own) = self.own(column) {
            self.cards.take(own);
        }
    }

    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError> {
        self.cards.relevance()
    }

    fn permuted(
        &mut self,
        orders: &[Vec<u32>],
        swept: &[&Anchor],
    ) -> Option<Result<Vec<Option<Best>>, DeviceError>> {
        let all = self.cards.permuted(orders, swept)?;
        let shifted = |all: Vec<_>| all.into_iter().map(|it| self.shifted(it)).collect();
        Some(self.told(all).map(shifted))
    }
}
