// Package sanitize makes text harmless that comes from a subject, or from an object that
// it wrote, before people or their CI systems read it. Control characters, and commands to
// CI systems, are shown and not obeyed. Tokens and private keys are left out. Text that is
// too long is cut.
package sanitize
