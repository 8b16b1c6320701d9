/** Hours, days, weeks and months in UTC. Source: document C, part A; weeks begin on Monday. */

/** Units of time, as stored. */
export const units = { hour: 0, day: 1, week: 2, month: 3 } as const

/** Name of a unit. */
export type Unit = keyof typeof units

/** Every unit from short to long. */
export const unitNames: readonly Unit[] = ['hour', 'day', 'week', 'month']

const hourSeconds = 3_600
const daySeconds = 86_400

/** First second of the period of `unit` that holds `seconds`. */
export function periodStart(unit: Unit, seconds: number): number {
  switch (unit) {
    case 'hour':
      return seconds - (seconds % hourSeconds)
    case 'day':
      return seconds - (seconds % daySeconds)
    case 'week': {
      // 1970-01-01 was a Thursday: three days after a Monday.
      const day = Math.floor(seconds / daySeconds)
      return (day - ((day + 3) % 7)) * daySeconds
    }
    case 'month': {
      const date = new Date(seconds * 1_000)
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1_000
    }
  }
}

/** First second of the period after the one that starts at `start`. */
export function nextPeriod(unit: Unit, start: number): number {
  switch (unit) {
    case 'hour':
      return start + hourSeconds
    case 'day':
      return start + daySeconds
    case 'week':
      return start + 7 * daySeconds
    case 'month': {
      const date = new Date(start * 1_000)
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1_000
    }
  }
}

/** First second of the period before the one that starts at `start`. */
export function previousPeriod(unit: Unit, start: number): number {
  return periodStart(unit, start - 1)
}
