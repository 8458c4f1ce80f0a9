//! The library, from outside: each module is a file of tests.
//!
//! One program for them all, because each would be linked for itself with everything that the crate stands on.

mod bad_input;
mod chance;
mod contexts;
mod design;
mod explain;
mod finite;
mod fronts;
mod gp_golden;
mod gp_properties;
mod gp_reference;
mod gradients;
mod house;
mod insight;
mod layers;
mod likelihood_fit;
mod limits;
mod lipschitz;
mod local_penalization;
mod minimizing;
mod mixtures;
mod multinormal;
mod narrowed;
mod normal;
mod old_log;
mod optim;
mod optim_speed;
mod outcomes;
mod own_kernels;
mod pareto_search;
mod parts;
mod pins;
mod problems;
mod quality_smoke;
mod recommended;
mod results;
mod same_run;
mod settings;
mod space;
mod space_constraints;
mod strategies;
mod study;
mod study_log;
mod wild_values;
mod work;
