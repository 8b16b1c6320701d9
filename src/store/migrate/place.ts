/** A place of stores: a data folder, or a database of PostgreSQL. */

/** Operations on the stores of one place, by their names. */
export type Place = {
  /** Names of all stores there, copies among them. */
  readonly names: () => Promise<readonly string[]>
  /** Takes a store away, which nobody has open. */
  readonly drop: (name: string) => Promise<void>
  /**
   * Gives copies the names of their stores and takes the notes away. Where this is not one step,
   * calling it again goes on.
   */
  readonly finish: (names: readonly string[]) => Promise<void>
  readonly close: () => Promise<void>
}
