/** Document A, operation 7. */

import { equalBytes } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { ListValidators } from '../../shape/primary/list-validators.ts'
import { validationStatuses } from '../../shape/primary/validator.ts'
import { nodesContaining } from '../../store/query/primary/numbers-of-keys.ts'
import {
  type Bounds,
  listValidators as validatorRows,
  type ListedValidator,
  type ValidatorCursor,
  validatorCursor,
} from '../../store/query/primary/validators.ts'
import { operation, type Operation } from '../operation.ts'
import { bindingOf, readPage, nextToken } from '../paging.ts'
import { indexedTo } from './chain-of.ts'
import { idIn, itemsOf } from './inputs.ts'
import { defaultPageSize } from './list-page.ts'
import type { ServedNetwork } from './network-directory.ts'
import type { PrimaryParts } from './parts.ts'
import { scaledBounds } from './validator-bounds.ts'
import { validatorViews } from './validator-page.ts'

// Parts of node ids may fit many; beyond this the part is too short to be meant.
const maxNodes = 100_000
const primarySubnetId = new Uint8Array(32)

/** Validators of the primary network and of subnets, in all states. */
export function listValidators(parts: PrimaryParts): Operation {
  return operation(ListValidators, async ({ path, query }) => {
    const network = parts.networks.find(path.network)
    const { store } = network
    const height = await indexedTo(store, 'P')
    const subnetId = query.subnetId === undefined ? undefined : idIn('subnetId', query.subnetId)
    checkSort(network, query.sortBy, subnetId)
    const nodes = await nodesOf(network, parts, query.nodeIds)
    const now = BigInt(Math.floor(parts.clock.now() / 1_000))
    const page = await readPage<ListedValidator, ValidatorCursor>({
      tokens: parts.tokens,
      pageToken: query.pageToken,
      binding: bindingOf(ListValidators.id, { ...query, network: network.network }),
      limit: query.pageSize ?? defaultPageSize,
      ...validatorCursor,
      rows: (after, limit) =>
        validatorRows(store, {
          statuses:
            query.validationStatus === undefined ? validationStatuses : [query.validationStatus],
          sortBy: query.sortBy ?? 'blockIndex',
          order: query.sortOrder ?? 'desc',
          capacity: textBounds(query.minDelegationCapacity, query.maxDelegationCapacity),
          until: scaledBounds({ min: query.minTimeRemaining, max: query.maxTimeRemaining }, 1, now),
          shares: scaledBounds(
            { min: query.minFeePercentage, max: query.maxFeePercentage },
            10_000,
          ),
          uptime: scaledBounds(
            { min: query.minUptimePerformance, max: query.maxUptimePerformance },
            10_000,
          ),
          limit,
          ...(nodes === undefined ? {} : { nodes }),
          ...(subnetId === undefined ? {} : { subnetId }),
          ...(after === undefined ? {} : { after }),
        }),
      cursorOf: ({ cursor }) => cursor,
    })
    const validators = await validatorViews(network, parts.clock, page.rows)
    return { body: { ...nextToken(page), validators }, ...height }
  })
}

/** Document A: sorting by fee is for mainnet's primary subnet. */
function checkSort(
  network: ServedNetwork,
  sortBy: string | undefined,
  subnetId: Uint8Array | undefined,
): void {
  if (sortBy !== 'delegationFee') return
  const isPrimary = subnetId !== undefined && equalBytes(subnetId, primarySubnetId)
  if (network.network !== 'mainnet' || !isPrimary)
    throw new Fault(
      'bad-parameter',
      'sortBy must not be delegationFee but on mainnet with subnetId of the primary network',
    )
}

/** Numbers of nodes whose ids contain any of the parts given. */
async function nodesOf(
  network: ServedNetwork,
  parts: PrimaryParts,
  nodeIds: string | undefined,
): Promise<number[] | undefined> {
  const items = itemsOf(nodeIds ?? '')
  if (items.length === 0) return undefined
  if (items.length > parts.limits.maxAddresses)
    throw new Fault(
      'bad-parameter',
      `nodeIds must hold at most ${parts.limits.maxAddresses} entries: ${items.length}`,
    )
  const found = await Promise.all(
    items.map((item) => nodesContaining(network.store, item, maxNodes)),
  )
  return [...new Set(found.flat())]
}

function textBounds(min: string | undefined, max: string | undefined): Bounds {
  return {
    ...(min === undefined ? {} : { min: BigInt(min) }),
    ...(max === undefined ? {} : { max: BigInt(max) }),
  }
}
