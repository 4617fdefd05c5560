"""Machine checks of every formula and rule that ``accounting`` uses. ``amun-dp prove`` runs them all."""
