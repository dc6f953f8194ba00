//! What a job of a file was made of, from which another process makes the same job.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{
    super::{
        JobDraft,
        path_text::{to_path, to_text},
        task::Command,
    },
    PlannedJob,
};
use crate::job::OptionError;

/// A job, as another process is told of it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct JobRecipe {
    id: String,
    command: String,
    /// The folder of the job file, and the data, as texts of paths.
    folder: String,
    data: String,
    options: Vec<(String, Vec<String>)>,
    own: Vec<String>,
}

impl JobRecipe {
    /// Of a job of a file in this folder.
    pub(crate) fn of(job: &PlannedJob, folder: &Path) -> Self {
        let options = job.options.iter();
        let own = job.own.iter().copied();
        let data = &job.task.job().data;
        // The folder comes before it again.
        let data = data.strip_prefix(folder).unwrap_or(data);
        Self {
            id: job.id.clone(),
            command: job.task.command().name().to_owned(),
            folder: to_text(folder.as_os_str()),
            data: to_text(data.as_os_str()),
            options: options
                .map(|(name, texts)| ((*name).to_owned(), texts.clone()))
                .collect(),
            own: own.map(str::to_owned).collect(),
        }
    }

    /// The job. Of the libraries that job files name only those are loaded that it names itself.
    ///
    /// # Errors
    /// What has changed since its file was read: a library, for example.
    pub(crate) fn planned(&self) -> Result<PlannedJob, Vec<OptionError>> {
        let command = Command::named(&self.command).unwrap_or(Command::Select);
        let mut draft = JobDraft::new(to_path(&self.data)).of(command);
        draft.folder = to_path(&self.folder);
        let is_preset = |(name, _): &&(String, Vec<String>)| name == "preset";
        let presets = self.options.iter().filter(is_preset);
        let others = self.options.iter().filter(|option| !is_preset(option));
        for (name, texts) in presets.chain(others) {
            draft.set(name, texts).map_err(|error| vec![error])?;
        }
        draft.mark_defaults(|name| !self.own.iter().any(|own| own == name));
        draft.insert_id(&self.id);
        let own = draft.explicit.clone();
        let task = draft.task()?;
        let options = self.options.iter();
        let options = options.filter_map(|(name, texts)| {
            let mut known = command.options();
            let option = known.find(|option| option.name == *name)?;
            Some((option.name, texts.clone()))
        });
        Ok(PlannedJob {
            id: self.id.clone(),
            options: options.collect(),
            task,
            own,
            unchecked: None,
        })
    }
}
