"""Solve Kepler's equation for a few planets with Optimistix."""

import jax.numpy as jnp
import optimistix as optx

PLANETS = {"Mercury": 0.2056, "Venus": 0.0068, "Earth": 0.0167, "Mars": 0.0934, "Jupiter": 0.0489, "Pluto": 0.2488}
solver = optx.Newton(rtol=1e-6, atol=1e-6)


def eccentric_anomaly(mean_anomaly, eccentricity):
    def residual(angle, _):
        return angle - eccentricity * jnp.sin(angle) - mean_anomaly

    return optx.root_find(residual, solver, jnp.asarray(mean_anomaly)).value


for planet, eccentricity in PLANETS.items():
    angle = eccentric_anomaly(1.2, eccentricity)
    print(f"{planet}: {float(angle):.4f} rad")
