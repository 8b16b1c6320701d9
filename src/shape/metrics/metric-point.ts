import { moment } from '../evm/scalars.ts'
import { type Static, Type, Optional } from '../type.ts'
import { timeIntervals } from './metric-names.ts'

export const MetricPoint = Type.Component('MetricPoint', 'A point of a series', {
  value: Type.Number('value of the period that starts at timestamp'),
  timestamp: Type.Integer('Unix seconds, first second of the period, UTC'),
})
/** One point of a series. */
export type MetricPoint = Static<typeof MetricPoint>

/** Ends of a series, both exclusive. */
export const pointRange = {
  startTimestamp: Optional.Integer({
    minimum: 0,
    description: 'only points after this Unix second',
  }),
  endTimestamp: Optional.Integer({
    minimum: 0,
    description: 'only points before this Unix second',
  }),
}

/** Pages of a series. */
export const pointPage = {
  pageToken: Optional.String('nextPageToken of the page before', { examples: ['AQ3gk2…'] }),
  pageSize: Optional.Integer({
    minimum: 1,
    maximum: 2_160,
    default: 100,
    description: 'points a page',
  }),
}

/** Parameters of a series of balances. */
export const balanceSeriesQuery = {
  timeInterval: Optional.Enum(timeIntervals, {
    default: 'day',
    description: 'Time between two points',
  }),
  startTimestamp: Type.Optional(moment('Unix seconds; default 30 intervals before the end')),
  endTimestamp: Type.Optional(moment('Unix seconds; default now')),
}
