//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use elbowroom::study::TrialStatus;
use elbowroom_run::{parse_bytes, parse_duration};

/// Batch and asynchronous Bayesian optimization by local penalization.
///
/// A study is described in a study.toml and lives in a store: a file, by default. Any number of workers share it, and
/// whatever is killed, the study goes on where it was.
#[derive(Debug, Parser)]
#[command(
    name = "elbow",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  elbow init --name mix --float x=0..1 --command './mix {x}'   write a study.toml
  elbow run study.toml --workers 4                             run it, four trials at a time
  elbow status                                                 how it stands
  elbow best                                                   the best point, and the recommended one"
)]
pub struct Elbow {
    /// Print JSON, for programs.
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a commented study.toml; asks for what is not given, on a terminal.
    Init(Init),
    /// Run a study: keep workers busy until its budget is used up.
    Run(Run),
    /// Join a study as a worker, from any machine that reaches its store.
    Worker(Worker),
    /// Take points to evaluate yourself.
    Ask(Ask),
    /// Tell the value of a trial.
    Tell(Tell),
    /// Say that a trial ended without a value.
    Fail(Fail),
    /// Give a trial up: it does not count, and its point may be proposed again.
    Release(Withdraw),
    /// List the studies of a store.
    Studies(Studies),
    /// How a study stands.
    Status(Where),
    /// The best observed point and the recommended one.
    Best(Best),
    /// List trials.
    Trials(Trials),
    /// Why a trial's point was chosen.
    Why(Why),
    /// Draw a study: in the terminal, or into an SVG or PNG file.
    Plot(Plot),
    /// Show studies in the browser, and serve them to workers over HTTP.
    Serve(Serve),
    /// Write a study as one HTML file that opens anywhere.
    Report(Report),
    /// Take points as a sheet to fill in, for the laboratory.
    Sheet(Sheet),
    /// Read a filled-in sheet.
    Import(Import),
    /// Write trials as CSV, or trials or events as JSON lines.
    Export(Export),
    /// Copy a study from one store to another; this makes backups, also of a store in use.
    Copy(Copy),
    /// Choose every point again from the log, and compare.
    Replay(Where),
    /// Look for what may be wrong with a store and a study.
    Doctor(Doctor),
    /// Print a template that starts workers on a cluster.
    Deploy(Deploy),
    /// Print completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write manual pages, one for each command.
    #[command(hide = true)]
    Man {
        /// The folder for them, which must be there.
        folder: PathBuf,
    },
}

/// Which study.
#[derive(Debug, Clone, Args)]
pub struct Where {
    /// A study.toml, or the address of a store.
    #[arg(value_name = "STUDY", default_value = "study.toml")]
    pub place: String,
    /// The study's name, where a store holds several.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

/// `elbow best`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow best
  elbow best --fix humidity=40")]
pub struct Best {
    /// Which study.
    #[command(flatten)]
    pub study: Where,
    /// What to recommend a point for.
    #[command(flatten)]
    pub narrow: Narrow,
}

/// Which store.
#[derive(Debug, Args)]
pub struct Studies {
    /// The address of a store, or a study.toml that names it.
    #[arg(value_name = "STORE", default_value = "study.toml")]
    pub place: String,
}

/// Which study, where the arguments are about something else.
#[derive(Debug, Clone, Args)]
pub struct In {
    /// A study.toml, or the address of a store.
    #[arg(long = "in", value_name = "STUDY", default_value = "study.toml")]
    pub place: String,
    /// The study's name, where a store holds several.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

impl From<In> for Where {
    fn from(In { place, name }: In) -> Self {
        Where { place, name }
    }
}

/// `elbow init`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow init
  elbow init --name oven --maximize --float temp=20..90 --int steps=1..8 --choice gas=N2,Ar --trials 40
  elbow init --name net --log-float rate=1e-5..0.1 --command 'python train.py --rate {rate}'")]
pub struct Init {
    /// Where to write it.
    #[arg(default_value = "study.toml")]
    pub path: PathBuf,
    /// The study's name; the folder's if none is given.
    #[arg(long)]
    pub name: Option<String>,
    /// Larger values are better.
    #[arg(long)]
    pub maximize: bool,
    /// A real parameter, as NAME=LOW..HIGH.
    #[arg(long, value_name = "NAME=LOW..HIGH")]
    pub float: Vec<String>,
    /// A real parameter on a log scale.
    #[arg(long, value_name = "NAME=LOW..HIGH")]
    pub log_float: Vec<String>,
    /// A whole parameter.
    #[arg(long, value_name = "NAME=LOW..HIGH")]
    pub int: Vec<String>,
    /// A choice without order.
    #[arg(long, value_name = "NAME=A,B,C")]
    pub choice: Vec<String>,
    /// A result: NAME=maximize or NAME=minimize for one that is optimized, "NAME>=95" or "NAME<=3" for a limit, NAME~4.2
    /// for one that should come near a value, and NAME for one that is kept.
    #[arg(long, value_name = "NAME=GOAL", conflicts_with = "maximize")]
    pub outcome: Vec<String>,
    /// The command that evaluates a point.
    #[arg(long)]
    pub command: Option<String>,
    /// The most trials.
    #[arg(long)]
    pub trials: Option<usize>,
    /// Replace a file that is there.
    #[arg(long)]
    pub force: bool,
}

/// `elbow run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Ctrl-C stops asking and lets running trials finish; a second one stops at once and gives them back.
SIGTERM gives them back. Start it again and it goes on where it was.

Examples:
  elbow run study.toml --workers 4
  elbow run --batch --workers 8 --time 2h
  elbow run --target 0.01 -- ./evaluate --rate {rate}

The command has {name} for a parameter, {trial}, {study}, {params} (a JSON file) and {result} (a file for the
result); the environment has ELBOW_PARAM_<NAME>, ELBOW_TRIAL, ELBOW_STUDY, ELBOW_PARAMS, ELBOW_RESULT.
Exit codes: 0 with a number as the last line of output, 65 infeasible, 75 hand it out again, others failed.")]
pub struct Run {
    /// The study.toml.
    #[arg(value_name = "STUDY", default_value = "study.toml")]
    pub place: String,
    /// How.
    #[command(flatten)]
    pub how: How,
}

/// `elbow worker`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow worker study.toml
  elbow worker /data/net.elbow --name net -- python train.py --rate {rate}

A command comes from this command line or from a study.toml that it names, never from a store.")]
pub struct Worker {
    /// Which study.
    #[command(flatten)]
    pub study: Where,
    /// How.
    #[command(flatten)]
    pub how: How,
}

/// How trials are run; what is not given comes from the study.toml.
#[derive(Debug, Args)]
pub struct How {
    /// How many trials run at once.
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    pub workers: Option<usize>,
    /// Wait for all of a batch before the next, instead of refilling as they finish.
    #[arg(long)]
    pub batch: bool,
    /// The most trials of this run.
    #[arg(long, value_name = "N")]
    pub trials: Option<usize>,
    /// Ask for points no longer than this, such as 90s, 15m or 2h.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time: Option<Duration>,
    /// Stop once a value as good as this is found.
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true, value_parser = finite)]
    pub target: Option<f64>,
    /// Stop once one more trial is expected to improve on the best value by less than this.
    #[arg(long, value_name = "GAIN", value_parser = not_negative)]
    pub min_gain: Option<f64>,
    /// The longest a trial may take.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// The most memory a trial's processes may take together, such as 512M or 2GB.
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory: Option<u64>,
    /// The key of the optimized result in a JSON object; the study's metric unless given.
    #[arg(long, value_name = "KEY")]
    pub metric: Option<String>,
    /// Where the command leaves its result.
    #[arg(long, value_name = "WHERE")]
    pub result: Option<ResultPlace>,
    /// How long this process may be silent before its trials are handed to others.
    #[arg(long, value_name = "TIME", value_parser = lease, default_value = "90s")]
    pub lease: Duration,
    /// The command, instead of the study.toml's.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// Where a command leaves its result.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ResultPlace {
    /// Its standard output.
    Stdout,
    /// The file {result}.
    File,
}

/// `elbow ask`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow ask
  elbow ask -n 8 --due 3d
  elbow ask -n 8 --fix celsius=60 --within minutes=5..20
  elbow ask --json | jq '.trials[0].point'")]
pub struct Ask {
    /// Which study.
    #[command(flatten)]
    pub study: In,
    /// How many points.
    #[arg(short, long, default_value_t = 1, value_parser = at_least_one)]
    pub n: usize,
    /// In which part of the space.
    #[command(flatten)]
    pub narrow: Narrow,
    /// When the results should be there; after that the points are handed out again. Late results are welcome.
    #[arg(long, value_name = "TIME", value_parser = lease, default_value = "1d")]
    pub due: Duration,
    /// A name for this request: asking again under it gives the same trials.
    #[arg(long, value_name = "NAME")]
    pub request: Option<String>,
}

/// The part of the space that points are asked for in.
#[derive(Debug, Args)]
pub struct Narrow {
    /// Hold a parameter at a value, in all of the points; once for each parameter.
    #[arg(long, value_name = "NAME=VALUE")]
    pub fix: Vec<String>,
    /// Keep a number between two values, both included; once for each parameter.
    #[arg(long, value_name = "NAME=LOW..HIGH")]
    pub within: Vec<String>,
}

/// `elbow tell`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow tell 3 0.25
  elbow tell 3 0.25 --sd 0.1
  elbow tell 3 0.3 --correction           instead of what was told before
  elbow tell 3 loss=0.3 minutes=12        several results by name; the study's metric is optimized
  elbow tell --at rate=0.1 --at n=3 0.5   an earlier result, at a point of your own")]
pub struct Tell {
    /// The trial's number, and what was measured: a number, or name=number for each result; without the trial with --at.
    #[arg(required = true, num_args = 1.., allow_negative_numbers = true, value_name = "TRIAL VALUE")]
    pub what: Vec<String>,
    /// Which study.
    #[command(flatten)]
    pub study: In,
    /// The variance of the value's noise: the square of --sd.
    #[arg(long, value_name = "VARIANCE", value_parser = not_negative)]
    pub noise: Option<f64>,
    /// The standard deviation of the value's noise.
    #[arg(long, value_name = "DEVIATION", value_parser = not_negative, conflicts_with = "noise")]
    pub sd: Option<f64>,
    /// It replaces the trial's earlier values.
    #[arg(long)]
    pub correction: bool,
    /// A point of your own, one parameter at a time.
    #[arg(long, value_name = "NAME=VALUE")]
    pub at: Vec<String>,
    /// A name for this report: telling again under it changes nothing.
    #[arg(long, value_name = "NAME")]
    pub request: Option<String>,
}

/// `elbow fail`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow fail 3 --reason 'the sample broke'
  elbow fail 4 --infeasible --reason 'does not dissolve'")]
pub struct Fail {
    /// The trial's number.
    pub trial: u64,
    /// Which study.
    #[command(flatten)]
    pub study: In,
    /// Why.
    #[arg(long, default_value = "no reason was given", allow_hyphen_values = true)]
    pub reason: String,
    /// The point breaks a constraint that only the evaluation can tell; points like it are avoided.
    #[arg(long)]
    pub infeasible: bool,
}

/// `elbow release`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow release 3
  elbow release 3 --again     hand it out again instead")]
pub struct Withdraw {
    /// The trial's number.
    pub trial: u64,
    /// Which study.
    #[command(flatten)]
    pub study: In,
    /// Keep the trial, and hand it to whoever asks next.
    #[arg(long)]
    pub again: bool,
}

/// `elbow trials`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow trials
  elbow trials --state failed
  elbow trials --sort value --limit 10
  elbow trials --where \"rate < 0.01 and kind == 'adam' and value < 3\" --sort rate")]
pub struct Trials {
    /// Which study.
    #[command(flatten)]
    pub study: Where,
    /// Only those that stand so.
    #[arg(long, value_name = "STATE", value_delimiter = ',', value_parser = status())]
    pub state: Vec<TrialStatus>,
    /// Only those of which this is true: an expression of parameters and of the result, `value`, as in constraints. A trial without one is left out only if it would decide.
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub condition: Option<String>,
    /// In which order: by `trial` (the number), by `value` (the best first), by `state`, or by a parameter's name.
    #[arg(long, default_value = "trial", value_name = "BY")]
    pub sort: String,
    /// The other way round.
    #[arg(long)]
    pub reverse: bool,
    /// At most so many.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// `elbow why`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  elbow why 17")]
pub struct Why {
    /// The trial's number.
    pub trial: u64,
    /// Which study.
    #[command(flatten)]
    pub study: In,
}

/// `elbow plot`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow plot
  elbow plot --what slices --out slices.png
  elbow plot --what map --x rate --y layers
  elbow plot --what timeline
  elbow plot --result minutes")]
pub struct Plot {
    /// Which study.
    #[command(flatten)]
    pub study: Where,
    /// What to draw.
    #[arg(long, default_value = "history")]
    pub what: FigureName,
    /// The result of the history, by its name; the one that is optimized unless another is named.
    #[arg(long, value_name = "NAME")]
    pub result: Option<String>,
    /// The parameter across, of a map; of a front, the result.
    #[arg(long, value_name = "NAME")]
    pub x: Option<String>,
    /// The parameter upwards, of a map; of a front, the result.
    #[arg(long, value_name = "NAME")]
    pub y: Option<String>,
    /// Into this file, instead of the terminal: .svg or .png.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// What to draw.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum FigureName {
    /// The value of each trial, and the best so far.
    History,
    /// What the model expects along each parameter.
    Slices,
    /// Where trials are, along two parameters, with those that are pending.
    Map,
    /// Two results of each trial, with the front of several objectives and the limits.
    Front,
    /// Who ran which trial when: a lane for each of the trials that a worker runs at once.
    Timeline,
}

/// `elbow serve`.
#[derive(Debug, Args)]
#[command(after_help = "\
It prints an address with a token; whoever has that has the studies. Without --write nothing can be changed.
Another address than this machine's own needs a token of yours, in ELBOW_TOKEN or in a file that only you can read.

Examples:
  elbow serve
  elbow serve lab.elbow --write
  ELBOW_TOKEN=$(openssl rand -hex 32) elbow serve lab.elbow --listen 10.0.0.7 --write")]
pub struct Serve {
    /// A study.toml, or the address of a store.
    #[arg(value_name = "STORE", default_value = "study.toml")]
    pub place: String,
    /// Let workers and the dashboard change studies.
    #[arg(long)]
    pub write: bool,
    /// The port; 0 for any that is free.
    #[arg(long, default_value_t = 8642)]
    pub port: u16,
    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub listen: std::net::IpAddr,
    /// One more name by which the server may be called, such as the machine's.
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// Read the token from this file, which others must not be able to read.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
}

/// `elbow report`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  elbow report study.html")]
pub struct Report {
    /// The file.
    #[arg(value_name = "FILE.html")]
    pub file: PathBuf,
    /// Which study.
    #[command(flatten)]
    pub study: In,
}

/// `elbow sheet`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow sheet -n 8 --plate 96 -o monday.csv
  elbow sheet -n 8 --fix celsius=60 -o tuesday.csv    all wells at one temperature
  elbow import monday.csv

Fill in the column `value`: a number, `failed` or `infeasible`; in `sd` its standard deviation, if you know it. Rows may
be sorted, left blank, and repeated for replicates; where something else was set than planned, write what was set. Wells
are remembered: --pending prints each trial where it was, and a sheet without the column `trial` finds them by it.")]
pub struct Sheet {
    /// Which study.
    #[command(flatten)]
    pub study: Where,
    /// How many points.
    #[arg(short, long, default_value_t = 8, value_parser = at_least_one)]
    pub n: usize,
    /// In which part of the space.
    #[command(flatten)]
    pub narrow: Narrow,
    /// Give each a well of a plate with so many.
    #[arg(long, value_name = "WELLS")]
    pub plate: Option<usize>,
    /// When the results should be there; after that the points are handed out again. Late results are welcome.
    #[arg(long, value_name = "TIME", value_parser = lease, default_value = "14d")]
    pub due: Duration,
    /// Those that are under way, instead of new ones.
    #[arg(long)]
    pub pending: bool,
    /// A name for this request: asking again under it gives the same trials.
    #[arg(long, value_name = "NAME")]
    pub request: Option<String>,
    /// Into this file, instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `elbow import`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow import monday.csv           shows what it would write, and asks
  elbow import monday.csv --yes
  elbow import earlier.csv --value yield      results from before the study: a column for each parameter, and yield
  elbow import other-study.csv                an export of another study, as points of your own
The same sheet again changes nothing, and an export of the study itself neither. A study that is not there yet begins
with it. How sure a value is stands in a column `sd` (standard deviation) or `noise` (its square, the variance).")]
pub struct Import {
    /// The filled-in sheet.
    pub file: PathBuf,
    /// Which study.
    #[command(flatten)]
    pub study: In,
    /// Write without asking.
    #[arg(long)]
    pub yes: bool,
    /// The column that holds the values, unless it is called `value`.
    #[arg(long, value_name = "COLUMN")]
    pub value: Option<String>,
    /// All rows are points of one's own, whatever trials they name.
    #[arg(long, conflicts_with = "correct")]
    pub given: bool,
    /// Values replace what was told of their trials before, instead of standing beside it.
    #[arg(long)]
    pub correct: bool,
}

/// `elbow export`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow export -o trials.csv
  elbow export --format jsonl | jq .value
  elbow export --format events -o log.jsonl

`noise` is the variance of a value, the square of its standard deviation. A text that a spreadsheet would take for a
formula has an apostrophe in front.")]
pub struct Export {
    /// Which study.
    #[command(flatten)]
    pub study: Where,
    /// As what; CSV unless --json is given.
    #[arg(long)]
    pub format: Option<Format>,
    /// Into this file, instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A format.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Format {
    /// One row for each trial.
    Csv,
    /// One JSON object for each trial.
    Jsonl,
    /// One JSON object for each event.
    Events,
}

/// `elbow copy`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow copy study.toml backup.elbow                         a backup; a plain copy of a file in use is not whole
  elbow copy net.elbow postgres://lab/studies --as net-2
  elbow copy study.toml net.elbow --as net-2 --trials 40     40 trials more, as a study of its own")]
pub struct Copy {
    /// A study.toml, or the address of a store.
    pub from: String,
    /// The address of the other store.
    pub to: String,
    /// The study's name, where the first store holds several.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Its name in the other store.
    #[arg(long = "as", value_name = "NAME")]
    pub new_name: Option<String>,
    /// Begin a new study with the results so far and this budget, instead of copying the log.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub trials: Option<usize>,
}

/// `elbow doctor`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow doctor
  elbow doctor broken.elbow --save saved.elbow")]
pub struct Doctor {
    /// Which study.
    #[command(flatten)]
    pub study: Where,
    /// Save what is whole of every study in a damaged store file into this store.
    #[arg(long, value_name = "STORE")]
    pub save: Option<String>,
}

/// `elbow deploy`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow deploy slurm --workers 32 > workers.sh
  elbow deploy kubernetes --workers 64 > workers.yaml")]
pub struct Deploy {
    /// The cluster's kind.
    pub cluster: Cluster,
    /// The study.toml, as the workers see it.
    #[arg(default_value = "study.toml")]
    pub study: String,
    /// How many workers.
    #[arg(short, long, default_value_t = 8, value_parser = at_least_one)]
    pub workers: usize,
}

/// A kind of cluster.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Cluster {
    /// A Slurm array.
    Slurm,
    /// A Kubernetes Indexed Job.
    Kubernetes,
}

fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| error.to_string())
}

/// A time for which somebody has a trial: one that is over at once would hand it to the next for ever.
fn lease(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        time if time < Duration::from_secs(1) => Err("take at least one second".into()),
        time => Ok(time),
    }
}

fn status() -> impl TypedValueParser<Value = TrialStatus> {
    let known = |word: String| TrialStatus::ALL.into_iter().find(|standing| standing.word() == word);
    PossibleValuesParser::new(TrialStatus::ALL.map(TrialStatus::word))
        .try_map(move |word| known(word).ok_or("no state"))
}

fn bytes(text: &str) -> Result<u64, String> {
    parse_bytes(text).map_err(|error| error.to_string())
}

/// A finite number that is not negative.
fn not_negative(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0).ok_or_else(|| "give a number, at least 0".to_owned())
}

fn finite(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(|| "give a finite number".to_owned())
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("give a whole number, at least 1".to_owned()),
        Ok(n) => Ok(n),
    }
}
