// Sbom writes the bill of materials of Go programs, as CycloneDX: what each of them is
// built of, by what the Go linker has recorded in it.
//
//	sbom -name NAME -version VERSION PROGRAM... > NAME.cdx.json
//
// The same programs give the same bill: it has no time and no serial number.
package main
