// Package discover finds out how a controller works, for reconform init and reconform
// validate: [Init] and [Validate].
//
// In: a CRD, a sample object and a command; or a profile.
// Out: a profile with comments; or the differences between the profile and the controller.
//
//   - visit starts the controller, does what users do, and records what can be seen;
//   - infer concludes from the record what the controller is like;
//   - draft writes the conclusions as a profile.
package discover
