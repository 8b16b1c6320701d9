/** Counts of a token that has so many or more: counting ends there. */
export const mostCounted = { transfers: 1_000_000, holders: 100_000 } as const
