/** Which lane of the load gate a request takes, told by its target before anything is parsed. */

import type { Lane } from '../http/load-gate.ts'
import type { OperationShape } from './operation.ts'

/** How a request is treated while the service is at its limit. */
export type Placing = {
  readonly lane: Lane
  /** Whether its errors carry a list of messages. */
  readonly listMessages: boolean
}

const vital: ReadonlySet<string> = new Set([
  'data-health-check',
  'metrics-health-check',
  'live-check',
  'metrics-live-check',
])

/** One thing by its key, or what is kept in memory: a fraction of a millisecond each. */
const items: ReadonlySet<string> = new Set([
  'getBlock',
  'getBlockById',
  'getBlockchainById',
  'getChainInfo',
  'getDeploymentTransaction',
  'getIcmMessage',
  'getMetricsChain',
  'getStatus',
  'getSubnetById',
  'getTokenDetails',
  'getTransaction',
  'getTxByHash',
  'supportedChains',
])

/** Operations that wait for a node or for validators; those with a limit of their own do too. */
const patient: ReadonlySet<string> = new Set(['getNativeBalance'])

/** Targets besides the operations: documents that are made once. */
const documents = ['/', '/openapi.json', '/explorer/{version}/{name}']

const lanesByRank = ['vital', 'item', 'patient'] as const

/**
 * Reads a lane from a method and a target such as `/v1/chains/1?x=y`. What is not certainly cheap
 * is a list: a target in another spelling that the router knows too gets no better lane.
 */
export function laneReader(
  shapes: readonly OperationShape[],
): (method: string, target: string) => Placing {
  const forms = lanesByRank.map((lane) => {
    const paths = shapes.filter((shape) => laneOf(shape) === lane).map(({ path }) => path)
    return { lane, form: formOf(lane === 'item' ? [...paths, ...documents] : paths) }
  })
  const lists = formOf(
    shapes.filter(({ listMessages }) => listMessages === true).map(({ path }) => path),
  )
  return (_method, target) => {
    const mark = target.indexOf('?')
    const path = (mark === -1 ? target : target.slice(0, mark)).replace(/%3a/gi, ':')
    const lane = forms.find(({ form }) => form.test(path))?.lane ?? 'list'
    return { lane, listMessages: lists.test(path) }
  }
}

function laneOf({ id, timeoutMs }: OperationShape): Lane {
  if (vital.has(id)) return 'vital'
  if (items.has(id)) return 'item'
  return patient.has(id) || timeoutMs !== undefined ? 'patient' : 'list'
}

/** Matches any of `paths`; matches nothing when there are none. */
function formOf(paths: readonly string[]): RegExp {
  const forms = paths.map((path) =>
    path
      .split(/\{\w+\}/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join('[^/:]+'),
  )
  return forms.length === 0 ? /(?!)/ : new RegExp(`^(?:${forms.join('|')})$`)
}
