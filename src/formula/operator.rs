//! Operators, and their precedences as in R.

/// An operator of formulas or of arithmetic within them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Not,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Times,
    Divide,
    In,
    Remainder,
    WholeQuotient,
    Colon,
    Power,
}

/// How tightly operators bind, from the loosest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Precedence {
    Or,
    And,
    Not,
    Comparison,
    Sum,
    Product,
    Percent,
    Colon,
    Sign,
    Power,
}

impl Precedence {
    /// The next tighter one.
    pub(super) fn tighter(self) -> Self {
        match self {
            Self::Or => Self::And,
            Self::And => Self::Not,
            Self::Not => Self::Comparison,
            Self::Comparison => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product => Self::Percent,
            Self::Percent => Self::Colon,
            Self::Colon => Self::Sign,
            Self::Sign | Self::Power => Self::Power,
        }
    }
}

impl Operator {
    /// Its precedence between two operands.
    pub(super) fn precedence(self) -> Precedence {
        match self {
            Self::Or => Precedence::Or,
            Self::And => Precedence::And,
            Self::Not => Precedence::Not,
            Self::Equal
            | Self::NotEqual
            | Self::Less
            | Self::LessOrEqual
            | Self::Greater
            | Self::GreaterOrEqual => Precedence::Comparison,
            Self::Plus | Self::Minus => Precedence::Sum,
            Self::Times | Self::Divide => Precedence::Product,
            Self::In | Self::Remainder | Self::WholeQuotient => Precedence::Percent,
            Self::Colon => Precedence::Colon,
            Self::Power => Precedence::Power,
        }
    }

    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Or => "|",
            Self::And => "&",
            Self::Not => "!",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
            Self::Divide => "/",
            Self::In => "%in%",
            Self::Remainder => "%%",
            Self::WholeQuotient => "%/%",
            Self::Colon => ":",
            Self::Power => "^",
        }
    }

    /// Whether R writes spaces around it.
    pub(super) fn has_spaces(self) -> bool {
        !matches!(
            self,
            Self::Divide | Self::Remainder | Self::WholeQuotient | Self::Colon | Self::Power
        )
    }
}
