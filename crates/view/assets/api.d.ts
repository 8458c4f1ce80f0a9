// What the server answers, and what a report holds. Made from the Rust types by a test of this crate:
// ELBOWROOM_WRITE_SCHEMAS=1 cargo test -p elbowroom-view --test all types::

/** A study at a glance: its state, and what the page needs to draw it. */
export interface Overview {
  name: string;
  store: string | null;
  revision: number;
  log_hash: string | null;
  goal: Goal;
  metric: string;
  watched: string[];
  outcomes?: Outcome[];
  strategy: string;
  seed: number;
  budget: number | null;
  budget_left: number | null;
  n_initial: number;
  n_trials: number;
  counts: Counts;
  best: TrialAnswer | null;
  front?: FrontSummary;
  n_feasible?: number;
  parameters: string[];
  constraints: string[];
  held: Held[];
  paused: boolean;
  streak: Streak | null;
  model: TrainingSubset | null;
  created: number | null;
  changed: number | null;
  now: number;
  axes: Axis[];
  seconds_left: number | null;
  version: string;
  builds?: string[];
  write?: boolean;
}

/** Whether the objective is minimized or maximized. Modules below `study` maximize everything. */
export type Goal = "minimize" | "maximize";

/** A named result of a trial. */
export interface Outcome {
  name: string;
  goal?: Goal;
  near?: number;
  worst?: number;
  at_least?: number;
  at_most?: number;
  score?: string;
}

/** How many trials are in each state. */
export interface Counts {
  running: number;
  queued: number;
  lost: number;
  complete: number;
  failed: number;
  infeasible: number;
  released: number;
}

/** A trial, and the worker that has it. */
export interface TrialAnswer {
  trial: number;
  state: State;
  value: number | null;
  noise: number | null;
  results: Record<string, number>;
  point: Point;
  source: Source;
  attempts: number;
  reason: string | null;
  measurements: Measurement[];
  notes: string[];
  breaks: string | null;
  well: string | null;
  feasible?: boolean;
  broken_limits?: BrokenLimit[];
  waiting_for?: string[];
  attempt: number | null;
  worker: string | null;
  expires: number | null;
}

/** The status of a trial. */
export type State = "running" | "queued" | "lost" | "complete" | "failed" | "infeasible" | "released";

/** The values of a point by the parameters' names. */
export type Point = Record<string, Setting>;

/** A number, a text or a truth value. */
export type Setting = number | string | boolean;

/** Where a point came from. */
export type Source = "design" | "model" | "random" | "given";

/** A reported value. */
export interface Measurement {
  value: number;
  noise: number | null;
  kind: Kind;
}

/** What a value is among its trial's values. */
export type Kind = "first" | "replicate" | "late" | "correction";

/** A limit that a trial's result breaks. */
export interface BrokenLimit {
  outcome: string;
  value: number;
  at_least?: number;
  at_most?: number;
}

/** A front in two numbers. */
export interface FrontSummary {
  n_points: number;
  hypervolume: number | null;
}

/** A trial's lease. */
export interface Held {
  trial: number;
  attempt: number;
  worker: string;
  expires: number;
  live: boolean;
}

/** The latest trials that ended, if none of them gave a value. */
export interface Streak {
  n_trials: number;
  reason: string;
  n_alike: number;
  latest: string;
}

/** The part of the observations that a model is made of. */
export interface TrainingSubset {
  best: number;
  latest: number;
  spread: number;
  of: number;
}

/** An axis over one coordinate of the unit cube. */
export interface Axis {
  name: string;
  dim: number;
  log: boolean;
  category: boolean;
  ticks: Tick[];
}

/** A mark on an axis. */
export interface Tick {
  at: number;
  label: string;
}

/** The studies of a store, as the page shows them. */
export interface Studies {
  store: string;
  studies: StudyInfo[];
  write: boolean;
}

/** A study in the list of a store. */
export interface StudyInfo {
  name: string;
  revision: number;
  created: number;
  changed: number;
}

/** The best observed point and the recommended one. */
export interface Best {
  observed: TrialAnswer | null;
  recommended: Recommendation | null;
  least_infeasible?: TrialAnswer;
  front?: FrontAnswer;
  recommended_front?: FrontRecommendation[];
}

/** The point to use, given all results. */
export interface Recommendation {
  trial: number | null;
  point: Point;
  mean: number;
  sd: number;
  fallback: string | null;
}

/** The trials that no other trial beats in every objective, among those that keep all limits. */
export interface FrontAnswer {
  objectives: FrontObjective[];
  points: FrontPoint[];
  hypervolume: number | null;
  history: FrontStep[];
}

/** An objective of a front. */
export interface FrontObjective {
  name: string;
  goal: Goal;
  reference: number | null;
  is_inferred: boolean;
}

/** A trial on the front. */
export interface FrontPoint {
  trial: number;
  values: number[];
  point: Point;
}

/** The front's hypervolume after a trial. */
export interface FrontStep {
  trial: number;
  hypervolume: number;
}

/** A point on the front of the models. */
export interface FrontRecommendation {
  trial: number;
  point: Point;
  means: number[];
  sds: number[];
  chance_within_limits: number | null;
}

/** A page of trials. */
export interface Table {
  parameters: string[];
  metric: string;
  results?: string[];
  n_trials: number;
  n_found: number;
  from: number;
  rows: Row[];
}

/** A trial. */
export interface Row {
  trial: number;
  state: State;
  value: number | null;
  noise: number | null;
  point: Array<Setting | null>;
  results?: Array<number | null>;
  source: Source;
  attempts: number;
  worker: string | null;
  seconds: number | null;
  reason: string | null;
  feasible?: boolean;
  waiting_for?: string[];
}

/** Trials with all orders and the list of each status, so that a report can filter and sort them by looking up. Orders */
export interface Listing {
  parameters: string[];
  metric: string;
  results?: string[];
  n_trials: number;
  rows: Row[];
  orders: Orders;
  states: Record<string, number[]>;
  texts: string[];
}

/** Every order of a [`Listing`], as a [`Sort`] has it. */
export interface Orders {
  trial: number[];
  value: number[];
  state: number[];
  parameter: number[][];
  result: number[][];
  duration: number[];
  worker: number[];
}

/** Why a trial's point was chosen. */
export interface Why {
  trial: number;
  summary: string;
  point: Point;
  source: Source;
  value: number | null;
  notes: string[];
  narrowing: Narrowing | null;
  fallback: string | null;
  belief: BeliefThen | null;
}

/** Parameters held fixed, and narrower ranges, for one ask. Empty, it is the whole space. */
export interface Narrowing {
  fixed?: Record<string, Setting>;
  within?: Record<string, Setting[]>;
}

/** What was believed about a point before it was tried. Values are in the user's units. */
export interface BeliefThen {
  n_observed: number;
  subset: TrainingSubset | null;
  mean: number;
  sd: number;
  sd_with_pending: number;
  chance: number | null;
  best: number | null;
  strategy: string;
  score: Score;
  exploit: number;
  pending: Neighbour[];
  nearest: Neighbour[];
  without_pending: Point | null;
  pushed_by: Neighbour | null;
}

/** What a point was worth to a strategy, as a sum. */
export interface Score {
  total: number | null;
  is_score: boolean;
  terms: Reason[];
}

/** One named part of what a point was worth. */
export interface Reason {
  name: string;
  value: number | null;
  trial: number | null;
}

/** Another trial and its distance. */
export interface Neighbour {
  trial: number;
  distance: number;
  value: number | null;
  point: Point;
}

/** The values of a study in the order of its trials. */
export interface History {
  goal: Goal;
  n_trials: number;
  n_values: number;
  thinned: boolean;
  log: boolean;
  trial: number[];
  value: number[];
  best_trial: number[];
  best_value: number[];
  failed: number[];
  infeasible: number[];
  lost: number[];
  running: number[];
  metric: string;
  at_least?: number;
  at_most?: number;
  watched?: WatchedHistory[];
}

/** A result besides the first objective, in the order of the trials. */
export interface WatchedHistory {
  name: string;
  log: boolean;
  trial: number[];
  value: number[];
  goal?: Goal;
  best_trial?: number[];
  best_value?: number[];
  at_least?: number;
  at_most?: number;
}

/** The front of a study, and the trials around it. */
export interface Front {
  objectives: FrontObjective[];
  points: FrontPoint[];
  hypervolume: number | null;
  history: FrontStep[];
  outcomes: OutcomeAxis[];
  parameters: string[];
  trials: FrontTrial[];
  n_left_out: number;
}

/** A result as an axis. */
export interface OutcomeAxis {
  name: string;
  goal: Goal | null;
  at_least: number | null;
  at_most: number | null;
  low: number;
  high: number;
  log: boolean;
  ticks: Tick[];
}

/** A trial with its results. */
export interface FrontTrial {
  trial: number;
  values: Array<number | null>;
  feasible: boolean | null;
  on_front: boolean;
  waiting_for: string[];
  point: Array<Setting | null>;
}

/** A map of two parameters. Positions are in the unit square. */
export interface Map {
  x: Axis;
  y: Axis;
  observed: Observed[];
  failed: Place[];
  infeasible: Place[];
  pending: Pending[];
  best: Place | null;
  note: string | null;
}

/** A trial with a value. */
export interface Observed {
  trial: number;
  x: number;
  y: number;
  value: number;
  good: number;
}

/** The position of a trial. */
export interface Place {
  trial: number;
  x: number;
  y: number;
}

/** A running trial. */
export interface Pending {
  trial: number;
  x: number;
  y: number;
  worker: string | null;
  rx: number | null;
  ry: number | null;
}

/** How much each parameter matters, according to the model. */
export interface Importance {
  rows: Weight[];
  n_draws: number;
}

/** How much one parameter matters. */
export interface Weight {
  name: string;
  share: number;
  low: number;
  high: number;
}

/** The model over two parameters: values on a grid of n × n, row by row from the bottom. */
export interface Surface {
  x: Axis;
  y: Axis;
  n: number;
  mean: number[];
  sd: number[];
  before: number[];
  after: number[];
  chance: number[] | null;
  observed: Observed[];
  pending: Place[];
}

/** The model along each parameter. */
export interface Slices {
  goal: Goal;
  log_floor: number | null;
  slices: Slice[];
}

/** The model along one parameter. */
export interface Slice {
  axis: Axis;
  u: number[];
  mean: number[];
  sd: number[];
  before: number[];
  after: number[];
  chance: number[] | null;
  within_limits?: number[];
  others?: OutcomeSlice[];
}

/** The model of another result along a parameter. */
export interface OutcomeSlice {
  name: string;
  mean: number[];
  sd: number[];
  at_least?: number;
  at_most?: number;
}

/** How well the model predicts each result from all others. */
export interface Quality {
  n: number;
  points: LeftOutResult[];
  calibration: Share[];
  deviations: number;
}

/** A result, and its prediction from the others. */
export interface LeftOutResult {
  trial: number | null;
  observed: number;
  mean: number;
  sd: number;
}

/** The share of results in an interval that should hold `level` of them. */
export interface Share {
  level: number;
  share: number;
}

/** Every searched parameter of the better trials at once. */
export interface Parallel {
  axes: Axis[];
  best: number | null;
  worst: number | null;
  lines: Line[];
}

/** A trial as a line. */
export interface Line {
  trial: number;
  value: number;
  u: Array<number | null>;
  height: number;
  good: number;
}

/** The attempts of each worker, in the order of their first attempts. */
export interface Timeline {
  from: number;
  to: number;
  workers: Worker[];
  left_out: number;
}

/** A worker and its attempts. */
export interface Worker {
  name: string;
  n_lanes: number;
  spans: Span[];
}

/** One attempt of a trial. */
export interface Span {
  trial: number;
  attempt: number;
  lane: number;
  from: number;
  to: number;
  end: State;
}

/** What may be wrong with a study, as a view. */
export interface Health {
  findings: Finding[];
}

/** The result of one check. */
export interface Finding {
  level: Level;
  what: string;
  try: string;
}

/** The severity. */
export type Level = "fine" | "note" | "bad";
