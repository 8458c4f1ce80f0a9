// What the server answers, and what a report holds. A test of the crate compares every field and its type with the schemas of
// the Rust types, and with what they write.

export type Setting = number | string | boolean;
export type State = "running" | "queued" | "lost" | "complete" | "failed" | "infeasible" | "released";
export type Source = "design" | "model" | "random" | "given";
export type Kind = "first" | "replicate" | "late" | "correction";
export type Level = "fine" | "note" | "bad";
export type Goal = "minimize" | "maximize";
export type Point = Record<string, Setting>;

export interface Tick {
  at: number;
  label: string;
}

export interface Axis {
  name: string;
  dim: number;
  log: boolean;
  category: boolean;
  ticks: Tick[];
}

export interface Row {
  trial: number;
  state: State;
  value: number | null;
  noise: number | null;
  point: Setting[];
  results?: Array<number | null>;
  source: Source;
  attempts: number;
  worker: string | null;
  reason: string | null;
}

export interface Measurement {
  value: number;
  noise: number | null;
  kind: Kind;
}

/** A trial, and who has it. */
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
  attempt: number | null;
  worker: string | null;
  expires: number | null;
}

export interface Held {
  trial: number;
  attempt: number;
  worker: string;
  expires: number;
  live: boolean;
}

/** The latest trials, as long as none of them gave a value. */
export interface Streak {
  n_trials: number;
  reason: string;
  n_alike: number;
  latest: string;
}

/** A part of the observations. */
export interface TrainingSubset {
  best: number;
  latest: number;
  spread: number;
  of: number;
}

export interface Counts {
  running: number;
  queued: number;
  lost: number;
  complete: number;
  failed: number;
  infeasible: number;
  released: number;
}

export interface Overview {
  name: string;
  store: string | null;
  revision: number;
  log_hash: string | null;
  goal: Goal;
  metric: string;
  watched: string[];
  strategy: string;
  seed: number;
  budget: number | null;
  budget_left: number | null;
  n_trials: number;
  n_initial: number;
  counts: Counts;
  best: TrialAnswer | null;
  parameters: string[];
  axes: Axis[];
  constraints: string[];
  held: Held[];
  paused: boolean;
  streak: Streak | null;
  model: TrainingSubset | null;
  created: number | null;
  changed: number | null;
  now: number;
  version: string;
  builds?: string[];
  write?: boolean;
}

export interface StudyInfo {
  name: string;
  revision: number;
  created: number;
  changed: number;
}

export interface Studies {
  studies: StudyInfo[];
  store: string;
  write: boolean;
}

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
  watched?: WatchedHistory[];
}

/** A result that is not optimized, trial by trial. */
export interface WatchedHistory {
  name: string;
  log: boolean;
  trial: number[];
  value: number[];
}

export interface Recommendation {
  trial: number | null;
  point: Point;
  mean: number;
  sd: number;
  fallback: string | null;
}

export interface Best {
  observed: TrialAnswer | null;
  recommended: Recommendation | null;
}

export interface Place {
  trial: number;
  x: number;
  y: number;
}

export interface Observed extends Place {
  value: number;
  good: number;
}

export interface Pending extends Place {
  worker: string | null;
  rx: number | null;
  ry: number | null;
}

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

export interface Slice {
  axis: Axis;
  u: number[];
  mean: number[];
  sd: number[];
  before: number[];
  after: number[];
  chance: number[] | null;
}

export interface Slices {
  goal: Goal;
  slices: Slice[];
}

export interface Weight {
  name: string;
  share: number;
  low: number;
  high: number;
}

export interface Importance {
  rows: Weight[];
  n_draws: number;
}

export interface LeftOutResult {
  trial: number | null;
  observed: number;
  mean: number;
  sd: number;
}

export interface Share {
  level: number;
  share: number;
}

export interface Quality {
  n: number;
  points: LeftOutResult[];
  calibration: Share[];
  deviations: number;
}

export interface Line {
  trial: number;
  value: number;
  u: number[];
  height: number;
  good: number;
}

export interface Parallel {
  axes: Axis[];
  best: number | null;
  worst: number | null;
  lines: Line[];
}

export interface Span {
  trial: number;
  attempt: number;
  lane: number;
  from: number;
  to: number;
  end: State;
}

export interface Worker {
  name: string;
  n_lanes: number;
  spans: Span[];
}

export interface Timeline {
  from: number;
  to: number;
  workers: Worker[];
  left_out: number;
}

export interface Finding {
  level: Level;
  what: string;
  try: string;
}

export interface Health {
  findings: Finding[];
}

export interface Table {
  parameters: string[];
  metric: string;
  results?: string[];
  n_trials: number;
  n_found: number;
  from: number;
  rows: Row[];
}

/** The trials of a report. An order is a list of indices into `rows`. */
export interface Listing {
  parameters: string[];
  metric: string;
  results?: string[];
  n_trials: number;
  rows: Row[];
  orders: Orders;
  states: Record<State, number[]>;
  texts: string[];
}

export interface Orders {
  trial: number[];
  value: number[];
  state: number[];
  parameter: number[][];
}

export interface Neighbour {
  trial: number;
  distance: number;
  value: number | null;
  point: Point;
}

export interface Reason {
  name: string;
  value: number | null;
  trial: number | null;
}

/** What a point was worth to a strategy: the total is the sum of the terms, and null is minus infinity. */
export interface Score {
  total: number | null;
  is_score: boolean;
  terms: Reason[];
}

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

/** The part of the space that was asked for. */
export interface Narrowing {
  fixed?: Record<string, Setting>;
  within?: Record<string, Setting[]>;
}

export interface Why {
  trial: number;
  point: Point;
  source: Source;
  value: number | null;
  notes: string[];
  narrowing: Narrowing | null;
  fallback: string | null;
  belief: BeliefThen | null;
}

/** A parameter as the log's first event has it. */
export interface Parameter {
  name: string;
  type: string;
  choices?: Setting[];
  values?: Setting[];
}
