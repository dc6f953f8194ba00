//! What a model says of the rows of a table.

/// Predictions by row of a table; NaN, or none, where a row misses a value that the model needs.
///
/// *Shapes:* n values in each part.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Predictions {
    /// Rows.
    pub rows: usize,
    /// Means on the scale that was asked for; empty of a response of levels, but for the linear predictors of ordered ones.
    pub fit: Vec<f64>,
    /// Standard errors of these, by the delta method; empty where no intervals were asked for.
    pub std_error: Vec<f64>,
    /// Both ends of the confidence intervals of means; empty likewise.
    pub mean: Vec<[f64; 2]>,
    /// Both ends of the intervals of new observations; empty likewise.
    pub observation: Vec<[f64; 2]>,
    /// Of survival times the survival at each of the times that were asked for.
    pub survival: Vec<SurvivalAt>,
    /// Of a response of levels the probability of each.
    pub levels: Vec<LevelProbabilities>,
    /// Of levels without order, where the scale is that of the link, the linear predictor of each beside the baseline.
    pub predictors: Vec<LevelProbabilities>,
    /// Of a response of levels the place of the most probable one in each row; none where a row has no prediction.
    pub most_probable: Vec<Option<usize>>,
    /// The rows that have no prediction, counted from 0.
    pub missing: Vec<usize>,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// What a model says of one level of the response.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LevelProbabilities {
    /// The level.
    pub level: String,
    /// Its probability, or its linear predictor beside that of the baseline.
    pub values: Vec<f64>,
}

/// The probability to have had no event until a time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SurvivalAt {
    /// The time.
    pub time: f64,
    /// The probability; NaN beyond the last time of the fit.
    pub values: Vec<f64>,
    /// Its standard error; empty where no intervals were asked for.
    pub std_error: Vec<f64>,
    /// Both ends of its confidence interval, which is that of its logarithm; empty likewise.
    pub ends: Vec<[f64; 2]>,
}

/// A column of predictions, for a table.
#[derive(Debug, Clone, PartialEq)]
pub enum PredictedColumn {
    /// Numbers, NaN where there is none.
    Numbers(Vec<f64>),
    /// Texts.
    Texts(Vec<Option<String>>),
}

impl Predictions {
    /// All parts as named columns.
    pub fn columns(&self) -> Vec<(String, PredictedColumn)> {
        let mut all = Vec::new();
        let mut push = |name: &str, values: Vec<f64>| {
            if !values.is_empty() {
                all.push((name.to_owned(), PredictedColumn::Numbers(values)));
            }
        };
        let ends = |of: &[[f64; 2]], at: usize| of.iter().map(|ends| ends[at]).collect();
        push("fit", self.fit.clone());
        push("std_error", self.std_error.clone());
        push("lower", ends(&self.mean, 0));
        push("upper", ends(&self.mean, 1));
        push("observation_lower", ends(&self.observation, 0));
        push("observation_upper", ends(&self.observation, 1));
        for own in &self.survival {
            let time = own.time;
            push(&format!("survival[{time}]"), own.values.clone());
            push(
                &format!("survival_std_error[{time}]"),
                own.std_error.clone(),
            );
            push(&format!("survival_lower[{time}]"), ends(&own.ends, 0));
            push(&format!("survival_upper[{time}]"), ends(&own.ends, 1));
        }
        for own in &self.predictors {
            push(&format!("predictor[{}]", own.level), own.values.clone());
        }
        for own in &self.levels {
            push(&format!("p[{}]", own.level), own.values.clone());
        }
        if !self.most_probable.is_empty() {
            let level = |at: &Option<usize>| Some(self.levels.get((*at)?)?.level.clone());
            let texts = self.most_probable.iter().map(level).collect();
            all.push(("level".to_owned(), PredictedColumn::Texts(texts)));
        }
        all
    }
}
