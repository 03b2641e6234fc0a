package render

import "go.yaml.in/yaml/v3"

// edit turns a patch of a primary's spec into an edit of the profile. The first patch of an
// object becomes the first edit, the next one undoes it, the third one becomes the second
// edit, and so on. After the last edit the first one comes again.
func (m *mapper) edit(resource *yaml.Node) error {
	served, err := m.profile.Served()
	if err != nil {
		return m.skip("%v", err)
	}
	edits, err := served[0].Edits(placeholder)
	if err != nil {
		return m.skip("%v", err)
	}
	if len(edits) == 0 {
		return m.skip("it changes an object, and the profile has no edit (serves[0].edits)")
	}
	name := text(resource, "metadata", "name")
	n := m.edited[name]
	m.edited[name]++
	edit := edits[n/2%len(edits)]
	patch := edit.Patch
	if n%2 == 1 {
		patch = edit.Undo
	}
	remove(resource, "spec")
	written := m.filled(patch, name)
	for i := 0; i+1 < len(written.Content); i += 2 {
		key, value := written.Content[i].Value, written.Content[i+1]
		if there := get(resource, key); there != nil && there.Kind == yaml.MappingNode && value.Kind == yaml.MappingNode {
			there.Content = append(there.Content, value.Content...)
			continue
		}
		set(resource, key, value)
	}
	return m.reference(kindPrimary, resource)
}
