//! sd's decision against what kernels 6.1 to 7.3 were seen to do with disks of these answers.

mod disk;
mod found;
mod limits;
mod modes;
mod panics;
