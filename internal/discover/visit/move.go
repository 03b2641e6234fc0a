package visit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
)

const (
	movedName     = "moved"
	movedPatience = 20 * time.Second // until it listens somewhere
	// firstMoved is the first number that is tried. It is below the ports that the bench uses.
	firstMoved = 7001
)

// move finds out which numbers in the controller's arguments are ports that it takes.
func (v *visitor) move(ctx context.Context) error {
	arguments := v.record.PortArguments()
	if len(arguments) == 0 || !v.Rehearse {
		return nil
	}
	return v.steps([]step{{"other ports", func() error { return v.moveAway(ctx, arguments) }}})
}

// moveAway starts the controller once more, with other numbers in place of the ports in its
// arguments, and looks where it listens then. Such a number may be there for something else,
// for example for the Pods that the controller makes.
func (v *visitor) moveAway(ctx context.Context, arguments map[int]int) error {
	v.Console.Phase("starting it with other ports")
	launch := &v.Profile.Spec.Launch // which the bench reads when it starts a process
	command := launch.Command
	defer func() { launch.Command = command }()
	moved := &infer.Moved{To: v.otherPorts(arguments)}
	launch.Command = slices.Clone(command)
	for n, to := range moved.To {
		launch.Command[n] = strings.TrimSuffix(command[n], strconv.Itoa(arguments[n])) + strconv.Itoa(to)
	}
	subject, err := v.launch(ctx, movedName, v1alpha1.RestartNever)
	if err != nil {
		return fmt.Errorf("trying other ports: %w", err)
	}
	err = v.awaitAtMost(ctx, movedPatience, func() (bool, error) {
		if err := v.client.Get(ctx, client.ObjectKeyFromObject(subject), subject); err != nil {
			return false, fmt.Errorf("looking at the controller: %w", err)
		}
		for _, r := range subject.Status.Replicas {
			if r.Phase == v1alpha1.ReplicaExited {
				return true, nil // it does not take one of the numbers
			}
		}
		ports, _, err := v.session.Bench.Serving(ctx, Namespace, movedName+"-0", nil)
		if err != nil {
			return false, nil //nolint:nilerr // no process runs yet
		}
		moved.Ports = ports
		return settled(arguments, moved), nil
	})
	if err != nil {
		return err
	}
	v.record.Moved = moved
	v.Console.Done("it was started with other ports")
	if err := v.client.Delete(ctx, subject); err != nil {
		return fmt.Errorf("ending the controller: %w", err)
	}
	return nil
}

// otherPorts returns a number for each argument that has a port. No two are the same, and the
// controller has listened on none of them.
func (v *visitor) otherPorts(arguments map[int]int) map[int]int {
	others, next := map[int]int{}, firstMoved
	for n := range v.Command {
		if _, is := arguments[n]; !is {
			continue
		}
		for slices.Contains(v.record.Ports, next) {
			next++
		}
		others[n] = next
		next++
	}
	return others
}

// settled tells whether the controller listens on each port that arguments name, or on a number
// that was given in its place. If several arguments name the same port, one of them is enough.
func settled(arguments map[int]int, moved *infer.Moved) bool {
	there := map[int]bool{}
	for n, port := range arguments {
		there[port] = there[port] || slices.Contains(moved.Ports, port) || slices.Contains(moved.Ports, moved.To[n])
	}
	return !slices.Contains(slices.Collect(maps.Values(there)), false)
}
