// Package webapp is the controller of WebApps: it keeps a Deployment and a Service for
// each WebApp, and reports their state in its status.
//
// How it works, in reading order:
//
//   - deployment.go, service.go and config.go say how the children should look;
//   - child.go makes them look so, without taking what belongs to others;
//   - problem.go says which failures a user should hear of;
//   - status.go derives the status from what was found;
//   - reconciler.go puts these together for one WebApp;
//   - setup.go says which changes of the cluster lead to a reconcile.
//
// The rules it keeps: every reconcile starts from the cached state, never from
// what happened; a request is sent only if it changes something; fields that
// the controller does not set belong to whoever sets them; an object that the
// WebApp does not control is left alone.
package webapp
