// Package bystander makes objects that are none of the controller's business, and look
// as if they were: they carry the labels of its children, and names that begin like
// theirs. They belong to another controller, or to nobody. A controller that prunes by
// label or by name, without a look at the owner, meets them wherever it does so.
//
// They do nothing: no Pod is made for them, none is selected, and no address is taken.
// All have the label [v1alpha1.LabelBystander], by which what counts or compares objects
// leaves them out.
package bystander
