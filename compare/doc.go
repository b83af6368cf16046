// Package compare judges samples: for every metric it gives the delta of each
// variant against the base, an interval, the noise floor and a verdict, at a
// stated family-wise error rate.
//
// It is pure: no files, processes, clocks, unseeded randomness or writers. The
// same table always gives the same comparison. Nothing that it is given is
// changed.
//
// # How it goes
//
// FromRecording makes a Table of a recording; Compare judges it. The schedule
// decides how (Design): runs in random blocks by the rank-sum test within
// blocks, whose distribution is known exactly because the order was random;
// anything else with the boot as one observation, by Student's t. Precise
// tells when the floors are low enough to stop, Explain how a verdict came
// about, DetectableWith what other numbers of runs would show.
//
// Every number is defined in docs/statistics.md, with the error rates that
// were measured. The tests named TestCalibration hold them.
package compare
