package pass

// Outcome is for tests that use engines, which import this package.
var Outcome = outcome
