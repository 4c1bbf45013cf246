"""Bures distances of covariances in closed form: in the plane, in space, and by nuclear norms in any dimension."""
