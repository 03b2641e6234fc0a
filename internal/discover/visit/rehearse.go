package visit

import (
	"context"
	"fmt"
	"regexp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/profile"
)

// otherPort is a port that scenarios use besides the first.
const otherPort = 9090

// rehearse creates an object as scenarios will, by the profile that would be written now.
// If that does not work, it takes fields out of the profile until it works.
func (v *visitor) rehearse(ctx context.Context) error {
	if !v.Rehearse {
		return nil
	}
	v.Console.Phase("trying what scenarios will write")
	problem, err := v.play(ctx)
	if err != nil {
		return err
	}
	if problem != "" {
		problem, err = v.takeBack(ctx, problem)
	}
	if problem == "" && err == nil {
		if err = v.shrink(ctx); err == nil {
			v.Console.Done("it serves what scenarios will write")
		}
		return err
	}
	v.record.Unplayable = problem
	v.Console.Done("it does not serve what scenarios will write")
	return err
}

// takeBack takes back what causes the problem: the field without which all goes well, or a
// base that has less than the sample. It returns the problem that is left.
func (v *visitor) takeBack(ctx context.Context, problem string) (string, error) {
	problem, err := v.takeBackRefused(ctx, problem)
	if err != nil || problem == "" {
		return "", err
	}
	for _, rich := range []bool{false, true} {
		v.record.Rich = rich
		if rich {
			if v.Lean == nil {
				break
			}
			still, err := v.play(ctx)
			if err != nil || still == "" {
				return "", err
			}
			problem = still
		}
		for _, role := range takenBack() {
			done, err := v.takeBackField(ctx, role, problem)
			if err != nil || done {
				return "", err
			}
		}
	}
	v.record.Rich = false
	return problem, nil
}

// takenBack returns the roles whose fields may be taken back, in this order.
func takenBack() []infer.Role {
	return []infer.Role{infer.RolePort, infer.RoleEnv, infer.RoleConfigMapRef, infer.RoleReplicas, infer.RoleImage}
}

// takeBackRefused takes back each field that the API server names when it refuses what scenarios
// write: an enum may have none of their values. It returns the problem that is left.
func (v *visitor) takeBackRefused(ctx context.Context, problem string) (string, error) {
	for problem != "" {
		p, err := v.drafted()
		if err != nil {
			return "", err
		}
		role := refusedRole(p.SpecFields(), problem)
		if role == "" {
			return problem, nil
		}
		v.record.Unfit = append(v.record.Unfit, infer.Unfit{Role: role, Path: p.SpecFields()[string(role)].Path, Reason: problem})
		if problem, err = v.play(ctx); err != nil {
			return "", err
		}
	}
	return "", nil
}

// refusedRole returns the role of the mapped field whose value the API server refused, or "".
func refusedRole(fields map[string]v1alpha1.Field, problem string) infer.Role {
	for _, role := range takenBack() {
		path := fields[string(role)].Path
		value := regexp.MustCompile(`[ \[]` + regexp.QuoteMeta(path) + `: (?:Unsupported|Invalid) value`)
		if path != "" && value.MatchString(problem) {
			return role
		}
	}
	return ""
}

// takeBackField takes back the field of a role, and then each other field with that role.
// If that does not help, they all stay.
func (v *visitor) takeBackField(ctx context.Context, role infer.Role, problem string) (bool, error) {
	stay := v.record.Unfit
	for {
		p, err := v.drafted()
		if err != nil {
			return false, err
		}
		field := p.SpecFields()[string(role)]
		if field.Path == "" {
			v.record.Unfit = stay
			return false, nil
		}
		v.record.Unfit = append(v.record.Unfit[:len(v.record.Unfit):len(v.record.Unfit)], infer.Unfit{Role: role, Path: field.Path, Reason: problem})
		if problem, err = v.play(ctx); err != nil || problem == "" {
			return true, err
		}
	}
}

// drafted returns the profile that would be written now, as far as it describes objects.
func (v *visitor) drafted() (*profile.Profile, error) {
	found, err := infer.Find(&v.record)
	if err != nil {
		return nil, fmt.Errorf("drafting a profile: %w", err)
	}
	return &profile.Profile{Profile: v1alpha1.Profile{Spec: found.Spec}}, nil
}

// play creates an object as scenarios will, and another one with the other port, and
// removes them. It says what went wrong. It does not check whether a change is followed,
// because scenarios judge that.
func (v *visitor) play(ctx context.Context) (string, error) {
	p, err := v.drafted()
	if err != nil {
		return "", err
	}
	name, problem, err := v.stage(ctx, p, nil)
	if err == nil {
		err = v.remove(ctx, name)
	}
	port := p.SpecFields()["port"]
	if err != nil || problem != "" || port.Path == "" {
		return problem, err
	}
	other := inside(otherPort, p.Spec.Contract.Bounds.Port)
	name, problem, err = v.stage(ctx, p, func(object map[string]any) map[string]any { return infer.With(object, port.Path, other) })
	if err != nil {
		return "", err
	}
	return problem, v.remove(ctx, name)
}

// stage creates an object as scenarios will, with a difference if one is given. It returns
// its name, and says what went wrong.
func (v *visitor) stage(ctx context.Context, p *profile.Profile, differ func(map[string]any) map[string]any) (name, problem string, err error) {
	v.plays++
	name = v.named(fmt.Sprintf("tried-look-%d", v.plays))
	object := scripted(p, name)
	if differ != nil {
		object = differ(object)
	}
	spec, _ := object["spec"].(map[string]any)
	err = v.do(ctx, infer.Act{Deed: infer.Rehearse, Object: name, To: spec}, func() error { return v.createBy(ctx, p, name, spec) },
		func(after int64) error { return v.settle(ctx, after, v.mostPatience()) })
	if err != nil {
		return name, "", err
	}
	return name, v.record.Problem(v.record.Acts[len(v.record.Acts)-1]), nil
}

// createBy creates an object with what a profile has besides the spec.
func (v *visitor) createBy(ctx context.Context, p *profile.Profile, name string, spec map[string]any) error {
	around, bare := v.Around, v.bare
	defer func() { v.Around, v.bare = around, bare }()
	v.bare, v.Around = false, func(name string) map[string]any {
		root, err := p.Root(name)
		if err != nil {
			return map[string]any{}
		}
		return root
	}
	return v.create(ctx, name, spec)
}

// shrink reduces the replicas of an object, and looks whether its main child follows. It
// increases them first, so that a controller that follows no change at all is not taken for
// one that only grows.
func (v *visitor) shrink(ctx context.Context) error {
	p, err := v.drafted()
	if err != nil {
		return err
	}
	field, bounds := p.SpecFields()["replicas"], p.Spec.Contract.Bounds.Replicas
	few, more := among(inside(2, bounds), field.Values), among(inside(3, bounds), field.Values)
	if field.Path == "" || field.Immutable || field.Format != "" || p.StandsIn() || few >= more {
		return nil
	}
	name, problem, err := v.stage(ctx, p, nil)
	if err != nil {
		return err
	}
	for _, to := range []int64{more, few} {
		if problem != "" {
			break
		}
		act := infer.Act{Deed: infer.Rehearse, Object: name, Path: field.Path, To: to}
		err := v.do(ctx, act, func() error {
			return v.edit(ctx, name, func(object map[string]any) map[string]any { return infer.With(object, act.Path, act.To) })
		}, func(after int64) error { return v.untilReplicas(ctx, name, to, after) })
		if err != nil {
			return err
		}
	}
	return v.remove(ctx, name)
}

// untilReplicas waits until the main child of an object has a number of replicas. It waits
// as long as the controller may take to notice.
func (v *visitor) untilReplicas(ctx context.Context, name string, number, after int64) error {
	w, main := v.record.MainWorkload(), v.record.MainOf(name)
	if main.Name == "" {
		return nil
	}
	children := v.dynamic.Resource(schema.GroupVersionResource{Group: w.Group, Version: w.Version, Resource: w.Plural}).Namespace(Namespace)
	err := v.awaitAtMost(ctx, v.healing(), func() (bool, error) {
		child, err := children.Get(ctx, main.Name, metav1.GetOptions{})
		if err != nil {
			return false, client.IgnoreNotFound(err) // it may be created again
		}
		return infer.At(child.Object, w.Replicas) == number, nil
	})
	if err != nil {
		return err
	}
	return v.settle(ctx, after, look)
}

// scripted returns an object as scenarios write it, with a variable and a ConfigMap if it
// can have them.
func scripted(p *profile.Profile, name string) map[string]any {
	object := map[string]any{"spec": specFor(p, name)}
	fields := p.SpecFields()
	if env := fields["env"]; env.Path != "" {
		var variables any = map[string]any{"GREETING": "hello"}
		if env.As == v1alpha1.AsList {
			variables = []any{map[string]any{"name": "GREETING", "value": "hello"}}
		}
		object = infer.With(object, env.Path, variables)
	}
	if ref := fields["configMapRef"]; ref.Path != "" {
		object = infer.With(object, infer.NameIn(ref), infer.ProbeConfigMap)
	}
	return object
}
