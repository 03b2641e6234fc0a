// Package harmless makes text harmless that comes from a subject, or from an object that
// it wrote, before people or their CI systems read it: control characters are shown and
// not obeyed, so are commands to CI systems, tokens and private keys are left out, and what
// is too long is cut.
package harmless
