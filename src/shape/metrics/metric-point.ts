import { Type, type Static } from '../type.ts'

export const MetricPoint = Type.Object(
  {
    value: Type.Number({ description: 'value of the period that starts at timestamp' }),
    timestamp: Type.Integer({ description: 'Unix seconds, first second of the period, UTC' }),
  },
  { $id: 'MetricPoint', additionalProperties: false },
)
/** One point of a series. */
export type MetricPoint = Static<typeof MetricPoint>

/** Ends of a series, both exclusive. */
export const pointRange = {
  startTimestamp: Type.Optional(
    Type.Integer({ minimum: 0, description: 'only points after this Unix second' }),
  ),
  endTimestamp: Type.Optional(
    Type.Integer({ minimum: 0, description: 'only points before this Unix second' }),
  ),
}
