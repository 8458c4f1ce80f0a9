//! Runs through the command `elbow`.
