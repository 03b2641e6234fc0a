// Package bystander creates objects that look like children of the controller, but are not.
// They have the labels of its children, and names that begin like theirs. They belong to
// another controller, or to nobody. A controller that prunes by label or by name, and does
// not look at the owner, deletes or changes them by mistake.
//
// They do nothing: no Pod is created for them, none is selected, and no address is used. One
// of them is a Pod. It says that it is ready, but no node runs it, and it has no address.
// All have the label [v1alpha1.LabelBystander]. Code that counts or compares objects uses
// this label to leave them out.
package bystander
