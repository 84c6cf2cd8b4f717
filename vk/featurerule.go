package vk

// needs returns an error if the device checks and has not enabled a feature, whose rule the call breaks.
func (d *Device) needs(feature, rule string) error {
	if d.checking == None || d.mayHave(feature) {
		return nil
	}
	return usage(rule, "the feature %s is off; must be enabled", feature)
}

// hosts returns an error if the device is lost, or needs a feature for work of the host.
func (d *Device) hosts(feature, rule string) error {
	if err := d.Err(); err != nil {
		return err
	}
	return d.needs(feature, rule)
}

// The features for work of the host.
const (
	hostStructures = "accelerationStructureHostCommands"
	hostMicromaps  = "micromapHostCommands"
)

// needsGeometry returns an error if a geometry of a build needs a feature that is not enabled.
func (d *Device) needsGeometry(g *Geometry) error {
	switch {
	case g.SweptSpheres != nil:
		return d.needs("linearSweptSpheres", "VUID-VkAccelerationStructureGeometryLinearSweptSpheresDataNV-None-10419")
	case g.Spheres != nil:
		return d.needs("spheres", "VUID-VkAccelerationStructureGeometrySpheresDataNV-None-10429")
	case g.Triangles != nil && g.Triangles.Moved != nil:
		return d.needs("rayTracingMotionBlur", "")
	case g.Triangles != nil && g.Triangles.Opacity != nil:
		return d.needs("micromap", "")
	}
	return nil
}
