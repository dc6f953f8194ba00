//! Scores by a function of whole tables, on GPUs.

use super::{super::functions, joint_codes::JointCodes, plugin_values::TableEvaluator};
use crate::{
    binning::BinnedColumn,
    device::{
        DeviceError,
        counting::{Categorical, ConditioningVariable, TableScorer, TableValue, table_cells},
        split_range,
    },
    score::ScoreFunction,
};

/// GPUs that share the columns and evaluate a function, in CUDA C, of each one's contingency table.
pub(crate) struct CudaTableScorer<'a> {
    columns: &'a [BinnedColumn],
    gpus: Vec<TableEvaluator>,
}

impl<'a> CudaTableScorer<'a> {
    /// The columns on the GPUs of these ordinals, laid out for this response; each takes so
    /// many bytes for them at most.
    pub(crate) fn new(
        columns: &'a [BinnedColumn],
        response: &Categorical,
        coded: &ScoreFunction,
        ordinals: &[usize],
        limit: Option<u64>,
    ) -> Result<Self, DeviceError> {
        let function = &coded.0;
        let name = function.name();
        // Jobs refuse such a function before they begin.
        let text = function.cuda().ok_or_else(|| DeviceError::Failed {
            device: "cuda".to_owned(),
            during: format!("making a kernel of {name}"),
            reason: "its function is not there in CUDA C".to_owned(),
        })?;
        let kernel = functions::kernel(name, text);
        let by = (&kernel, function.values());
        let ranges = split_range(columns.len(), ordinals.len());
        let gpu = |(&ordinal, range): (&usize, std::ops::Range<usize>)| {
            let own = (&columns[range.clone()], range.start);
            let gpu = TableEvaluator::new(ordinal, own, response, by, limit);
            gpu.map_err(|error| functions::attribute(name, error))
        };
        let gpus = ordinals
            .iter()
            .zip(ranges)
            .map(gpu)
            .collect::<Result<_, _>>()?;
        Ok(Self { columns, gpus })
    }
}

impl TableScorer for CudaTableScorer<'_> {
    fn names(&self) -> Vec<String> {
        self.gpus.iter().map(|own| own.gpu.name.clone()).collect()
    }

    fn values(
        &mut self,
        (conditioning, step): (&ConditioningVariable, usize),
        response: &Categorical,
        wanted: &[bool],
    ) -> Result<Vec<TableValue>, DeviceError> {
        let anchor = conditioning.codes();
        let cells =
            |column: &BinnedColumn| table_cells(column.levels, anchor.levels, response.levels);
        let columns = self.columns.iter().zip(wanted);
        // Where there are no cells no observation is in one.
        let counted: Vec<bool> = columns
            .map(|(column, wanted)| *wanted && matches!(cells(column), Ok(1..)))
            .collect();
        let against = JointCodes::new(anchor, response);
        for gpu in &mut self.gpus {
            let numbers = gpu.packs.layout.numbers.iter();
            let excluded = numbers.map(|number| u8::from(!counted[*number as usize]));
            let excluded: Vec<u8> = excluded.collect();
            gpu.evaluate(&against, &excluded, step)?;
        }
        let none = |column: &BinnedColumn| cells(column).map(|_| None);
        let mut all: Vec<TableValue> = self.columns.iter().map(none).collect();
        for gpu in &self.gpus {
            for (&number, value) in gpu.packs.layout.numbers.iter().zip(gpu.values()?) {
                if counted[number as usize] {
                    all[number as usize] = Ok(value);
                }
            }
        }
        Ok(all)
    }

    fn permutes(&self) -> bool {
        true
    }
}
