//! A command together with all processes that it started.
//!
//! On Unix it leads a process group: a signal from the terminal does not reach it, and one that is sent to the group
//! reaches all processes that did not leave it. Windows has no such groups: there Ctrl-C does not reach the command
//! either, and `taskkill /T` ends its descendants as long as the command itself is running; processes that it left
//! behind when it ended keep running.

use std::process::{Child, Command};

/// How a command is told to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// It may still clean up. Windows cannot ask that of a program without a window, so the command is killed there.
    End,
    /// At once.
    Kill,
}

#[cfg(unix)]
mod system {
    use std::os::unix::process::CommandExt;

    use rustix::process::{Pid, Signal, kill_process_group};

    use super::*;

    /// The process group of a command.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Group(Option<Pid>);

    impl Group {
        /// Lets a command lead its own group.
        pub(crate) fn lead(command: &mut Command) {
            command.process_group(0);
        }

        pub(crate) fn of(child: &Child) -> Self {
            Self(i32::try_from(child.id()).ok().and_then(Pid::from_raw))
        }

        /// Its number, under which its processes can be looked up.
        #[cfg(target_os = "linux")]
        pub(crate) fn id(self) -> Option<Pid> {
            self.0
        }

        pub(crate) fn tell(self, order: Order) {
            let signal = match order {
                Order::End => Signal::TERM,
                Order::Kill => Signal::KILL,
            };
            if let Some(group) = self.0 {
                // There may be no process left.
                let _ = kill_process_group(group, signal);
            }
        }

        /// Ends the processes that a command left behind when it ended.
        pub(crate) fn sweep(self) {
            self.tell(Order::Kill);
        }
    }
}

#[cfg(windows)]
mod system {
    use std::os::windows::process::CommandExt;
    use std::process::Stdio;

    use super::*;

    /// `CREATE_NEW_PROCESS_GROUP`: Ctrl-C in the console does not reach the command.
    const OWN_GROUP: u32 = 0x200;

    /// A command, by the number of its process.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Group(u32);

    impl Group {
        /// Keeps Ctrl-C from a command.
        pub(crate) fn lead(command: &mut Command) {
            command.creation_flags(OWN_GROUP);
        }

        pub(crate) fn of(child: &Child) -> Self {
            Self(child.id())
        }

        pub(crate) fn tell(self, _: Order) {
            let kill = |options: &[&str]| {
                let mut kill = Command::new("taskkill");
                kill.args(options).args(["/PID", &self.0.to_string()]);
                kill.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                kill.status().is_ok_and(|status| status.success())
            };
            // If descendants cannot be ended, as in Wine, end at least the command. There may be no process left.
            let _ = kill(&["/T", "/F"]) || kill(&["/F"]);
        }

        /// Does nothing: the number of a process that has ended may belong to another one by now.
        pub(crate) fn sweep(self) {}
    }
}

pub(crate) use system::Group;
