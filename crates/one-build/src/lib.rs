//! No code. The tests of this workspace depend on this package, and nothing that is built or published does: it asks for
//! each feature of the engine that some package here needs, so that all tests share one build of it.
