/** Exit codes. Documented in `docs/guide/command-line.md`. */
export const exitCodes = {
  ok: 0,
  /** Something expected went wrong: a node away, a port taken, a difference found. */
  failed: 1,
  /** An unknown command or flag, or a wrong argument. */
  usage: 2,
  /** Another process writes this data. */
  taken: 3,
  /** The configuration is wrong. */
  config: 4,
  /** The store was written by another version. */
  store: 5,
  /** A bug. */
  broken: 70,
} as const
