/** What a command was called with. */

/** Options of a command as commander gives them. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>
