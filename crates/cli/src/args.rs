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
/// if anything is killed, the study continues where it left off.
#[derive(Debug, Parser)]
#[command(
    name = "elbow",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  elbow init --name mix --float x=0..1 --command './mix {x}'
  elbow run study.toml --workers 4    run it, four trials at a time
  elbow status                        how it is going
  elbow best                          the best point and the recommended one"
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
    /// Write a commented study.toml; asks for the parameters if none are given.
    Init(Init),
    /// Run a study: keep workers busy until its budget is used up.
    Run(Run),
    /// Join a study as a worker, from any machine that reaches its store.
    Worker(Worker),
    /// Take points to evaluate yourself.
    Ask(Ask),
    /// Report the result of a trial.
    Tell(Tell),
    /// Report that a trial ended without a value.
    Fail(Fail),
    /// Give up a trial: it does not count, and its point may be proposed again.
    Release(Withdraw),
    /// List the studies of a store.
    Studies(Studies),
    /// Show the state of a study.
    Status(Where),
    /// Show the best observed point and the recommended one.
    Best(Best),
    /// List trials.
    Trials(Trials),
    /// Explain why a trial's point was chosen.
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
    /// Copy a study from one store to another, for example as a backup; works while the store is in use.
    Copy(Copy),
    /// Choose every point again from the log and compare.
    Replay(Where),
    /// Check a store and a study for problems.
    Doctor(Doctor),
    /// Print a template that starts workers on a cluster.
    Deploy(Deploy),
    /// Print the JSON schema of study.toml, from which editors complete and check it.
    #[command(after_help = "Example:\n  elbow schema > study.schema.json")]
    Schema,
    /// Print completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write manual pages, one for each command.
    #[command(hide = true)]
    Man {
        /// The folder for them, which must exist.
        folder: PathBuf,
    },
}

/// Which study.
#[derive(Debug, Clone, Args)]
pub struct Where {
    /// A study.toml, or the address of a store.
    #[arg(value_name = "STUDY", default_value = "study.toml")]
    pub place: String,
    /// The same as an option, as the commands have it whose arguments are about something else.
    #[arg(long = "in", value_name = "STUDY", hide = true, conflicts_with = "place")]
    pub also: Option<String>,
    /// The study's name, where a store holds several.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

impl Where {
    /// A study.toml, or the address of a store.
    pub fn of(place: &str) -> Self {
        Self { place: place.to_owned(), also: None, name: None }
    }
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
    /// The values to recommend a point for.
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
        Where { place, also: None, name }
    }
}

/// `elbow init`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow init
  elbow init --name oven --maximize --float temp=20..90 --int steps=1..8 \\
      --choice gas=N2,Ar --trials 40
  elbow init --name net --log-float rate=1e-5..0.1 \\
      --command 'python train.py --rate {rate}'")]
pub struct Init {
    /// The file to write.
    #[arg(default_value = "study.toml")]
    pub path: PathBuf,
    /// The study's name; by default, the name of the folder.
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
    /// An integer parameter.
    #[arg(long, value_name = "NAME=LOW..HIGH")]
    pub int: Vec<String>,
    /// A choice between unordered values.
    #[arg(long, value_name = "NAME=A,B,C")]
    pub choice: Vec<String>,
    /// A result: NAME=maximize or NAME=minimize to optimize it, "NAME>=95" or "NAME<=3" to limit it, NAME~4.2 to bring it
    /// near a value, or just NAME to record it.
    #[arg(long, value_name = "NAME=GOAL", conflicts_with = "maximize")]
    pub outcome: Vec<String>,
    /// The command that evaluates a point.
    #[arg(long)]
    pub command: Option<String>,
    /// The number of trials.
    #[arg(long, allow_negative_numbers = true, value_parser = at_least_one)]
    pub trials: Option<usize>,
    /// Overwrite an existing file.
    #[arg(long)]
    pub force: bool,
}

/// `elbow run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Ctrl-C lets running trials finish and then stops; a second Ctrl-C stops at once and hands them back.
SIGTERM hands them back too. Run the same command again to continue.

Examples:
  elbow run study.toml --workers 4
  elbow run --batch --workers 8 --time 2h
  elbow run --target 0.01 -- ./evaluate --rate {rate}

In the command, {name} stands for the value of a parameter. It may also contain {trial}, {study}, {params} (a JSON \
file of all parameters) and {result} (a file for the result). The environment has ELBOW_PARAM_<NAME>, ELBOW_TRIAL, ELBOW_STUDY, \
ELBOW_PARAMS, ELBOW_RESULT.
Exit codes: 0 with a number on the last line of output, 65 infeasible, 75 run it again later, any other failed.")]
pub struct Run {
    /// The study.toml.
    #[arg(value_name = "STUDY", default_value = "study.toml")]
    pub place: String,
    /// How to run it.
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
    /// How to run it.
    #[command(flatten)]
    pub how: How,
}

/// How trials are run; what is not given comes from the study.toml.
#[derive(Debug, Args)]
pub struct How {
    /// How many trials run at once.
    #[arg(short, long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    pub workers: Option<usize>,
    /// Wait for a whole batch before starting the next, instead of refilling as trials finish.
    #[arg(long)]
    pub batch: bool,
    /// Run at most this many trials.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    pub trials: Option<usize>,
    /// Start no new trials after this time, such as 90s, 15m or 2h.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time: Option<Duration>,
    /// Stop once a value this good is found.
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true, value_parser = finite)]
    pub target: Option<f64>,
    /// Stop once one more trial is expected to improve on the best value by less than this.
    #[arg(long, value_name = "GAIN", allow_negative_numbers = true, value_parser = not_negative)]
    pub min_gain: Option<f64>,
    /// The time limit of a trial.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// The memory limit of a trial, for all its processes together, such as 512M or 2GB.
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory: Option<u64>,
    /// The key of the optimized result in a JSON object; by default, the study's metric.
    #[arg(long, value_name = "KEY")]
    pub metric: Option<String>,
    /// Where the command leaves its result.
    #[arg(long, value_name = "WHERE")]
    pub result: Option<ResultPlace>,
    /// How long this process may be silent before its trials go to others.
    #[arg(long, value_name = "TIME", value_parser = lease, default_value = "90s")]
    pub lease: Duration,
    /// The command to run, instead of the one in study.toml.
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
    #[arg(short, long, default_value_t = 1, allow_negative_numbers = true, value_parser = at_least_one)]
    pub n: usize,
    /// The part of the space to stay in.
    #[command(flatten)]
    pub narrow: Narrow,
    /// When the results are due; after that, the points are handed out again. Late results still count.
    #[arg(long, value_name = "TIME", value_parser = lease, default_value = "1d")]
    pub due: Duration,
    /// A name for this request: asking again with the same name returns the same trials.
    #[arg(long, value_name = "NAME")]
    pub request: Option<String>,
}

/// The part of the space that points are asked for in.
#[derive(Debug, Args)]
pub struct Narrow {
    /// Hold a parameter at a value in all of the points; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    pub fix: Vec<String>,
    /// Keep a numeric parameter between two values, both included; may be repeated.
    #[arg(long, value_name = "NAME=LOW..HIGH")]
    pub within: Vec<String>,
}

/// `elbow tell`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow tell 3 0.25
  elbow tell 3 0.25 --sd 0.1
  elbow tell 3 0.3 --correction           replaces what was reported before
  elbow tell 3 loss=0.3 minutes=12        several results, by name
  elbow tell --at rate=0.1 --at n=3 0.5   a result at a point of your choice")]
pub struct Tell {
    /// The trial's number and what was measured: a number, or name=number for each result. With --at, leave out the trial.
    #[arg(required = true, num_args = 1.., allow_negative_numbers = true, value_name = "TRIAL VALUE")]
    pub what: Vec<String>,
    /// Which study.
    #[command(flatten)]
    pub study: In,
    /// The variance of the value's noise: the square of --sd.
    #[arg(long, value_name = "VARIANCE", allow_negative_numbers = true, value_parser = not_negative)]
    pub noise: Option<f64>,
    /// The standard deviation of the value's noise.
    #[arg(long, value_name = "DEVIATION", allow_negative_numbers = true, value_parser = not_negative, conflicts_with = "noise")]
    pub sd: Option<f64>,
    /// Replace the trial's earlier values.
    #[arg(long)]
    pub correction: bool,
    /// A point of your choice, one parameter at a time.
    #[arg(long, value_name = "NAME=VALUE")]
    pub at: Vec<String>,
    /// A parameter that had another value than planned, such as a context: the trial is withdrawn, and the point as it was
    /// run is added.
    #[arg(long, value_name = "NAME=VALUE", conflicts_with_all = ["at", "correction"])]
    pub actual: Vec<String>,
    /// A name for this report: sending it again with the same name changes nothing.
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
    #[arg(allow_negative_numbers = true, value_parser = trial)]
    pub trial: u64,
    /// Which study.
    #[command(flatten)]
    pub study: In,
    /// The reason.
    #[arg(long, default_value = "no reason was given", allow_hyphen_values = true)]
    pub reason: String,
    /// The point breaks a constraint that only the evaluation can detect; similar points are avoided.
    #[arg(long)]
    pub infeasible: bool,
}

/// `elbow release`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow release 3
  elbow release 3 --again     hand it out again")]
pub struct Withdraw {
    /// The trial's number.
    #[arg(allow_negative_numbers = true, value_parser = trial)]
    pub trial: u64,
    /// Which study.
    #[command(flatten)]
    pub study: In,
    /// Keep the trial and hand it to whoever asks next.
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
  elbow trials --where \"rate < 0.01 and kind == 'adam' and value < 3\" \\
      --sort rate")]
pub struct Trials {
    /// Which study.
    #[command(flatten)]
    pub study: Where,
    /// Only trials in this state.
    #[arg(long, value_name = "STATE", value_delimiter = ',', value_parser = status())]
    pub state: Vec<TrialStatus>,
    /// Only trials for which this expression over parameters and results is true; it is written like a constraint.
    /// `value` is the optimized result.
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub condition: Option<String>,
    /// The order: `trial` (by number), `value` (the best first), `state`, or the name of a parameter or result.
    #[arg(long, default_value = "trial", value_name = "BY")]
    pub sort: String,
    /// Reverse the order.
    #[arg(long)]
    pub reverse: bool,
    /// Show at most this many.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    pub limit: Option<usize>,
}

/// `elbow why`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  elbow why 17")]
pub struct Why {
    /// The trial's number.
    #[arg(allow_negative_numbers = true, value_parser = trial)]
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
    /// The result that the history shows; by default, the optimized one.
    #[arg(long, value_name = "NAME")]
    pub result: Option<String>,
    /// The horizontal axis: a parameter of a map, or a result of a front.
    #[arg(long, value_name = "NAME")]
    pub x: Option<String>,
    /// The vertical axis: a parameter of a map, or a result of a front.
    #[arg(long, value_name = "NAME")]
    pub y: Option<String>,
    /// Write to this file (.svg or .png) instead of the terminal.
    #[arg(short, long, alias = "output", value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// What to draw.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum FigureName {
    /// The value of each trial, and the best so far.
    History,
    /// What the model expects along each parameter.
    Slices,
    /// Where the trials are along two parameters, including pending ones.
    Map,
    /// Two results of each trial, with the front of several objectives and the limits.
    Front,
    /// Who ran which trial when, with one lane for each trial that a worker runs at once.
    Timeline,
}

/// `elbow serve`.
#[derive(Debug, Args)]
#[command(after_help = "\
It prints an address with a token; anyone who has that address can see the studies. Without --write nothing can be \
changed. If the study has not started yet, the page waits for it. To listen on anything but 127.0.0.1, provide a \
token of your own, in ELBOW_TOKEN or in a file that only you can read.

Examples:
  elbow serve
  elbow serve lab.elbow --write
  ELBOW_TOKEN=$(openssl rand -hex 32) elbow serve lab.elbow --write \\
      --listen 10.0.0.7")]
pub struct Serve {
    /// A study.toml, or the address of a store.
    #[arg(value_name = "STORE", default_value = "study.toml")]
    pub place: String,
    /// Let workers and the dashboard change studies.
    #[arg(long)]
    pub write: bool,
    /// The port; 0 picks a free one.
    #[arg(long, default_value_t = 8642)]
    pub port: u16,
    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub listen: std::net::IpAddr,
    /// Another host name that the server answers to, such as the machine's; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// Read the token from this file, which must not be readable by others.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
}

/// `elbow report`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  elbow report study.html")]
pub struct Report {
    /// The file to write.
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
  elbow sheet -n 8 --fix celsius=60 -o oven.csv   all at one temperature
  elbow import monday.csv

Fill in the column `value`: a number, `failed` or `infeasible`; and `sd`, its standard deviation, if you know it. Rows may \
be sorted, left blank, or repeated for replicates. If a setting differed from the plan, write the actual one. Wells are \
remembered: --pending prints each trial in its well, and a sheet without the column `trial` is matched by well.")]
pub struct Sheet {
    /// Which study.
    #[command(flatten)]
    pub study: Where,
    /// How many points.
    #[arg(short, long, default_value_t = 8, allow_negative_numbers = true, value_parser = at_least_one)]
    pub n: usize,
    /// The part of the space to stay in.
    #[command(flatten)]
    pub narrow: Narrow,
    /// Assign each point a well of a plate with this many wells.
    #[arg(long, value_name = "WELLS", allow_negative_numbers = true, value_parser = at_least_one)]
    pub plate: Option<usize>,
    /// When the results are due; after that, the points are handed out again. Late results still count.
    #[arg(long, value_name = "TIME", value_parser = lease, default_value = "14d")]
    pub due: Duration,
    /// Print the trials that are under way instead of new ones.
    #[arg(long)]
    pub pending: bool,
    /// A name for this request: asking again with the same name returns the same trials.
    #[arg(long, value_name = "NAME")]
    pub request: Option<String>,
    /// Write to this file instead of standard output.
    #[arg(short, long, alias = "out", value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `elbow import`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  elbow import monday.csv                  shows what would change, and asks
  elbow import monday.csv --yes
  elbow import earlier.csv --value yield   results from before the study
  elbow import other-study.csv             another study's export, as new points
Results from before the study need a column for each parameter, and one for the value (here, yield).
Importing the same sheet again changes nothing, nor does importing an export of the study itself. A study that does not exist \
yet is created. The uncertainty of a value goes into a column `sd` (standard deviation) or `noise` (variance).")]
pub struct Import {
    /// The filled-in sheet.
    pub file: PathBuf,
    /// Which study.
    #[command(flatten)]
    pub study: In,
    /// Import without asking.
    #[arg(long)]
    pub yes: bool,
    /// The column that holds the values, unless it is called `value`.
    #[arg(long, value_name = "COLUMN")]
    pub value: Option<String>,
    /// Read all rows as new points, whatever trials they name.
    #[arg(long, conflicts_with = "correct")]
    pub given: bool,
    /// Replace earlier values of the trials instead of adding to them.
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

`noise` is the variance of a value, the square of its standard deviation. Text that a spreadsheet would take for a \
formula gets an apostrophe in front.")]
pub struct Export {
    /// Which study.
    #[command(flatten)]
    pub study: Where,
    /// The format; CSV unless --json is given.
    #[arg(long)]
    pub format: Option<Format>,
    /// Write to this file instead of standard output.
    #[arg(short, long, alias = "out", value_name = "FILE")]
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
  elbow copy study.toml backup.elbow     a backup
  elbow copy net.elbow postgres://lab/studies --as net-2
  elbow copy study.toml net.elbow --as net-2 --trials 40
A plain copy of a store file in use may be incomplete. The last example continues a study as a new one, with 40 more \
trials.")]
pub struct Copy {
    /// A study.toml, or the address of a store.
    pub from: String,
    /// The address of the other store.
    pub to: String,
    /// The study's name, where the first store holds several.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// The study's name in the other store.
    #[arg(long = "as", value_name = "NAME")]
    pub new_name: Option<String>,
    /// Start a new study with the results so far and this budget, instead of copying the log.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
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
    /// Save what is intact of every study in a damaged store file into this store.
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
    /// The kind of cluster.
    pub cluster: Cluster,
    /// The path of the study.toml as the workers see it.
    #[arg(default_value = "study.toml")]
    pub study: String,
    /// How many workers.
    #[arg(short, long, default_value_t = 8, allow_negative_numbers = true, value_parser = at_least_one)]
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

/// The time for which somebody has a trial: one that ends at once would hand it to the next asker forever.
fn lease(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        time if time < Duration::from_secs(1) => Err("use at least one second".into()),
        time => Ok(time),
    }
}

fn status() -> impl TypedValueParser<Value = TrialStatus> {
    let known = |word: String| TrialStatus::ALL.into_iter().find(|standing| standing.word() == word);
    PossibleValuesParser::new(TrialStatus::ALL.map(TrialStatus::word))
        .try_map(move |word| known(word).ok_or("not a state"))
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

fn trial(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "give a trial's number, as `elbow trials` lists them".to_owned())
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("give a whole number, at least 1".to_owned()),
        Ok(n) => Ok(n),
    }
}
