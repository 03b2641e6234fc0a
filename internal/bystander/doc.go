// Package bystander makes objects that look like children of the controller, and are
// none. They have the labels of its children, and names that begin like theirs. They
// belong to another controller, or to nobody. A controller that prunes by label or by
// name, and does not look at the owner, hits them.
//
// They do nothing: no Pod is made for them, none is selected, and no address is taken.
// All have the label [v1alpha1.LabelBystander]. Whatever counts or compares objects
// uses this label to leave them out.
package bystander
