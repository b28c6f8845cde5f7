"""RLlib's new API stack: a masked policy module, a runner over the batch, and a game as a `MultiAgentEnv`.

They need the extra `ray`: `pip install "rfop-env[ray]"`. RLlib also makes `rfop_env:rfop/<id>` through Gymnasium, as a
native vector with `gym_env_vectorize_mode="vector_entry_point"`; then it needs the module alone.
"""
