"""The environments' names. Gymnasium calls `register` when it is imported, so nothing here imports the environments."""


def register() -> None:
    """Registers `convoy/ArmReach-v0` and `convoy/BurgerGoal-v0`; again does nothing."""
    from gymnasium.envs.registration import register as add
    from gymnasium.envs.registration import registry
    for name, steps in (("ArmReach", 100), ("BurgerGoal", 150)):
        if f"convoy/{name}-v0" not in registry:
            add(f"convoy/{name}-v0", entry_point="convoy.gym.environments:ConvoyEnv",
                vector_entry_point="convoy.gym.environments:ConvoyVectorEnv", max_episode_steps=steps,
                kwargs={"task": name})
