/** Counts of a token that has so many or more: counting ends there. */
export const mostCounted = { transfers: 1_000_000, holders: 100_000 } as const

/** Counts of one token below this are those of the newest block; of more they are as of the last look at it. */
export const mostExact = 10_000
