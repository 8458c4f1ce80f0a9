//! From what a person names (a study.toml, or a store) to a study.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use elbowroom::space::nearest;
use elbowroom_store::{Error as StoreError, ErrorKind, SharedStudy, Store, open, worker_name};

use crate::args::Where;
use crate::differ::{Difference, differences, in_words};
use crate::error::{cli_error, fault_of};
use crate::study_file::StudyFile;

/// A study that was named.
pub struct Address {
    /// The study.toml, if one was named, and its folder.
    pub file: Option<(StudyFile, PathBuf)>,
    /// The store's address.
    pub address: String,
    name: Option<String>,
}

impl Address {
    /// Reads what was named.
    pub fn find(named: &Where) -> Result<Self> {
        let Where { place, also, name } = named;
        let place = also.as_ref().unwrap_or(place);
        if !place.ends_with(".toml") {
            return Ok(Self { file: None, address: from_environment(place)?, name: name.clone() });
        }
        let path = Path::new(place);
        let file = StudyFile::read(path)?;
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let address = match &file.store {
            Some(store) => next_to(folder, &from_environment(store)?),
            None => next_to(folder, &format!("{}.elbow", file.name.replace(['/', '\\'], "_"))),
        };
        let name = Some(name.clone().unwrap_or_else(|| file.name.clone()));
        Ok(Self { file: Some((file, folder.to_owned())), address, name })
    }

    /// Opens an existing study; creates neither study nor store.
    pub fn open(&self) -> Result<SharedStudy> {
        let store = self.store()?;
        let name = self.study_name(&*store)?;
        match SharedStudy::open(store.clone(), &name) {
            Err(error) if error.kind() == ErrorKind::NoStudy => {
                Err(fault_of(error.kind().as_str(), error.what(), self.hint_to_another(&*store, &name)))
            }
            other => Ok(other?.worker(worker_name())),
        }
    }

    /// What to try if the store has no study of this name: its other studies, unless this one has not started yet.
    fn hint_to_another(&self, store: &dyn Store, name: &str) -> String {
        let there: Vec<String> = store.studies().unwrap_or_default().into_iter().map(|study| study.name).collect();
        let is_its_own = self.file.as_ref().is_some_and(|(file, _)| file.name == name);
        match nearest(name, there.iter().map(String::as_str)) {
            _ if is_its_own || there.is_empty() => self.hint_to_begin().to_owned(),
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("use one of {}", there.join(", ")),
        }
    }

    /// Like [`open`](Self::open); `None` if the study does not exist yet and a study.toml describes it.
    pub fn open_if_there(&self) -> Result<Option<SharedStudy>> {
        let Some((file, _)) = &self.file else { return self.open().map(Some) };
        if is_file(&self.address) && !path_of(&self.address).exists() {
            return Ok(None);
        }
        match SharedStudy::open(open(&self.address)?, self.name.as_deref().unwrap_or(&file.name)) {
            Err(StoreError::NoStudy { .. }) => Ok(None),
            other => Ok(Some(other?.worker(worker_name()))),
        }
    }

    /// Opens a study, or creates it if a study.toml describes it.
    pub fn open_or_create(&self) -> Result<SharedStudy> {
        let Some((file, _)) = &self.file else { return self.open() };
        let store = open(&self.address)?;
        let name = self.name.as_deref().unwrap_or(&file.name);
        match SharedStudy::create(store.clone(), name, file.config.clone()) {
            Err(StoreError::Exists { .. }) => {}
            other => return Ok(other?.worker(worker_name())),
        }
        let mut study = SharedStudy::open(store, name)?;
        let differ = self.differences(&study);
        refuse_another(&differ, name, &study.stored().store().label())?;
        if differ.iter().any(|one| one.setting == BUDGET) {
            set_budget(&mut study, file.config.budget)?;
        }
        Ok(study.worker(worker_name()))
    }

    /// A warning to show first: how the study differs from its study.toml. A study with another name is not the one
    /// that the study.toml describes.
    pub fn disagreement(&self, study: &SharedStudy) -> Vec<Difference> {
        let is_its_own = self.file.as_ref().is_some_and(|(file, _)| file.name == study.name());
        if is_its_own { self.differences(study) } else { Vec::new() }
    }

    /// How the study differs from the study.toml, if one was named.
    fn differences(&self, study: &SharedStudy) -> Vec<Difference> {
        let Some((file, _)) = &self.file else { return Vec::new() };
        let here = file.config.clone();
        let begun = study.study().config();
        let here = if file.says_failures { here.with_defaults_of(begun) } else { study.as_recorded(here) };
        differences(&here, study.study().config())
    }

    /// The store, which must exist.
    pub fn store(&self) -> Result<Arc<dyn Store>> {
        if is_file(&self.address) && !path_of(&self.address).exists() {
            let hint = self.hint_to_begin();
            // The rest may be a token, if `http://` was forgotten.
            let shown = self.address.split(['?', '@']).next().unwrap_or_default();
            let begins = if self.file.is_some() { "the study has not started: " } else { "" };
            return Err(cli_error(format!("{begins}there is no store at {shown}"), hint));
        }
        Ok(open(&self.address)?)
    }

    /// The store, which is created if it does not exist.
    pub fn store_or_create(&self) -> Result<Arc<dyn Store>> {
        Ok(open(&self.address)?)
    }

    /// The study that was named, if any: by its study.toml or directly.
    pub fn study(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn study_name(&self, store: &dyn Store) -> Result<String> {
        if let Some(name) = &self.name {
            return Ok(name.clone());
        }
        let studies = store.studies()?;
        match studies.as_slice() {
            [one] => Ok(one.name.clone()),
            [] => Err(cli_error(format!("there is no study in {}", store.label()), self.hint_to_begin())),
            several => {
                let names: Vec<&str> = several.iter().map(|study| study.name.as_str()).collect();
                let what = format!("{} holds {} studies", store.label(), several.len());
                Err(cli_error(what, format!("say which with --name: {}", names.join(", "))))
            }
        }
    }

    fn hint_to_begin(&self) -> &'static str {
        match self.file {
            Some(_) => "start the study with `elbow run`, `elbow ask` or `elbow sheet`",
            None => "check the address, or name a study.toml",
        }
    }
}

/// The only setting that may change.
const BUDGET: &str = "budget.trials";

/// Adopts the study.toml's budget and says so: whoever wrote a different number wants it.
fn set_budget(study: &mut SharedStudy, trials: Option<usize>) -> Result<()> {
    let shown = |trials: Option<usize>| trials.map_or_else(|| "no limit".to_owned(), |n| format!("{n} trials"));
    let before = shown(study.study().config().budget);
    study.set_budget(trials)?;
    say!("the budget is now {}; it was {before}", shown(trials));
    Ok(())
}

/// Whether an address is the path of a store file.
pub fn is_file(address: &str) -> bool {
    // As in the store: a URL, or the keywords of a database's address.
    let is_word = |word: &str| ["host=", "dbname=", "password="].iter().any(|key| word.starts_with(key));
    address != "memory:" && !address.contains("://") && !address.split_whitespace().any(is_word)
}

/// The path in an address.
pub fn path_of(address: &str) -> &Path {
    Path::new(address.strip_prefix("sqlite:").unwrap_or(address))
}

/// A path is relative to the study.toml's folder.
fn next_to(folder: &Path, address: &str) -> String {
    if !is_file(address) || folder == Path::new(".") {
        return address.to_owned();
    }
    folder.join(path_of(address)).display().to_string()
}

/// An address that should not be written down, such as one with a password, may be in the environment: `$NAME`.
fn from_environment(address: &str) -> Result<String> {
    let Some(variable) = address.strip_prefix('$') else { return Ok(address.to_owned()) };
    std::env::var(variable).map_err(|_| {
        cli_error(format!("the store's address should be in ${variable}, which is not set"), "set the variable")
    })
}

/// A study that was created with different settings is not the one that the study.toml describes. Only the budget may
/// change.
fn refuse_another(differ: &[Difference], name: &str, place: &str) -> Result<()> {
    let others: Vec<&Difference> = differ.iter().filter(|one| one.setting != BUDGET).collect();
    if others.is_empty() {
        return Ok(());
    }
    let settings: Vec<&str> = others.iter().map(|one| one.setting.as_str()).collect();
    let said: Vec<String> = others.iter().map(|one| format!("\n  {}", in_words(one))).collect();
    let what =
        format!("the study `{name}` in {place} was created with a different {}{}", settings.join(", "), said.concat());
    Err(cli_error(what, "change study.toml back, or give the new study another name or another store"))
}
