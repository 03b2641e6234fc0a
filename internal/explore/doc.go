// Package explore searches for disturbances after which a controller does not come to the
// same result as without them. It needs no contract: a [Target] says which object is
// created and which edits are made, and everything else is seen.
//
// In: a Target, and a session of the runner.
// Out: an ExploreReport, and a scenario for each cause.
//
// An exploration has five parts, each in a file of its name:
//
//   - record: each operation is carried out undisturbed, twice or more. What differs
//     between two recordings is masked.
//   - plan: each write and each watch of a recording is a point, and each point can be
//     disturbed in several ways. The order gives each kind of disturbance and each kind of
//     object its turn early.
//   - place: each plan is one Trial of the bench, in a namespace of its own with a
//     controller of its own. Many run side by side.
//   - confirm: a divergence counts only if it comes twice.
//   - cause: divergences of the same object and field are one cause. It is written out as a
//     scenario.
package explore
