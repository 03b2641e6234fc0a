// Package steps makes the starts and the solutions of the labs from one source: a complete
// controller with marks that say from which step on a line exists. So there are no twelve
// controllers that drift apart, and only the source is in the repository.
//
// A mark is a comment that begins with lab: (//lab: in Go, #lab: in YAML):
//
//	//lab:from 03           what follows is there from the solution of step 03 on
//	//lab:given 03          what follows is there from the start of step 03 on
//	//lab:from 03 until 05  … and no longer in the solution of step 05
//	//lab:given 03 until given 05  … and no longer in the start of step 05
//	//lab:todo TEXT         in the start of that step a comment stands in its place
//	//lab:stub CODE         … and code, without which that start would not compile
//	//lab:old CODE          a line that the complete controller has no more
//	//lab:end               the end of from or given; without it, that is the end of the file
//	//lab:before 06 CODE    a line that is there until the solution of step 06
//
// Regions nest: the content of a region exists only if all regions around it do, too.
package steps
