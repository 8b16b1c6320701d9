/** The lane of the load gate that a request takes. Its target decides before anything is parsed. */

import type { Lane } from '../../../http/load-gate.ts'
import type { Contract } from '../../../shape/operations/contract.ts'
import { pathOf } from './entrance.ts'

/** Facts about a request that its target shows, for instance `/v1/chains/1?x=y`. */
export type Lanes = {
  /**
   * An unknown target counts as a list, so that another spelling which the router accepts gets no
   * better lane.
   */
  readonly laneOf: (target: string) => Lane
  /** True when an error of this target has a list as its `message`. */
  readonly listsMessages: (target: string) => boolean
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
const patient: ReadonlySet<string> = new Set([
  'callBlockchain',
  'callChain',
  'getContractCode',
  'getNativeBalance',
  'getSourcifyContract',
  'listTransactionCalls',
  'listTransactionLogs',
])

/**
 * Targets besides the operations. The explorer's files lie in memory: to refuse one costs as much
 * as to send it, and a page without its style is no page.
 */
const documents: ReadonlyMap<Lane, readonly string[]> = new Map([
  ['vital', ['/', '/explorer/{version}/{name}']],
  ['item', ['/openapi.json']],
])

const lanesByRank = ['vital', 'item', 'patient'] as const

/** Reads targets of the operations of `shapes`. */
export function createLanes(shapes: readonly Contract[]): Lanes {
  const forms = lanesByRank.map((lane) => {
    const paths = shapes.filter((shape) => laneFor(shape) === lane).map(({ path }) => path)
    return { lane, form: formOf([...paths, ...(documents.get(lane) ?? [])]) }
  })
  const lists = formOf(
    shapes.filter(({ listMessages }) => listMessages === true).map(({ path }) => path),
  )
  return {
    laneOf: (target) => {
      const path = pathOf(target)
      for (const { lane, form } of forms) if (form.test(path)) return lane
      return 'list'
    },
    listsMessages: (target) => lists.test(pathOf(target)),
  }
}

function laneFor({ id, timeoutMs }: Contract): Lane {
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
