/**
 * The supply of AVAX. Source: official clients, GetAvaxSupply; the relation of its fields is that
 * of the hosted service's documented answer.
 *
 * The hosted service answers for mainnet only; here another network may be named.
 */

import { readGenesis } from '../../../codec/primary/genesis.ts'
import { equalBytes, toBigint } from '../../../core/bytes.ts'
import { assert, Fault } from '../../../core/fault.ts'
import { withPoint } from '../../../core/text.ts'
import { outputTypes } from '../../../core/type-ids.ts'
import { PrimaryNetwork } from '../../../shape/operations/primary-network.ts'
import type { Static } from '../../../shape/type.ts'
import type { Reader } from '../../../store/engine/database.ts'
import { blockTimestamp } from '../../../store/query/evm/blocks.ts'
import { dayWei } from '../../../store/query/metrics/days.ts'
import { genesisId, rawBlocksFrom } from '../../../store/query/primary/blocks.ts'
import { type AvaxFlows, avaxFlows } from '../../../store/query/primary/network.ts'
import { type StakeSummary, stakeSummary } from '../../../store/query/primary/stakers.ts'
import type { ChainDirectory } from '../../operation/chain-directory.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { indexedTo } from '../inputs.ts'
import { keptFor } from '../lists.ts'
import { meantNetwork, type ServedNetwork, type PrimaryContext } from './networks.ts'

/** Sums of one network in nAVAX, and their time. */
type Sums = {
  readonly stakes: StakeSummary
  readonly flows: AvaxFlows
  readonly genesis: Genesis
  readonly nowMs: number
}

/** Supply of AVAX. */
export function getAvaxSupply(
  context: PrimaryContext,
  chains: ChainDirectory,
): Operation<'getAvaxSupply'> {
  const kept = new WeakMap<Reader, Genesis>()
  const sums = keptFor(context.clock, async (store: Reader): Promise<Sums> => ({
    stakes: await stakeSummary(store),
    flows: await avaxFlows(store),
    genesis: await genesisOf(kept, store),
    nowMs: context.clock.now(),
  }))
  return operation(PrimaryNetwork.getAvaxSupply, async ({ query }) => {
    const network = meantNetwork(context.networks, query.network)
    const height = await indexedTo(network.store, 'P')
    const evmFees = await evmFeesOf(network, chains)
    const body = view(await sums(network.store), evmFees)
    if (body.notTold !== undefined && query.partial !== true)
      throw new Fault('not-found', `the supply is not known (partial=true): ${body.notTold[0]}`)
    return { body, ...height }
  })
}

/** AVAX that genesis gave out, and what it locked, by the time of unlocking. */
type Genesis = {
  readonly initial: bigint
  readonly locked: readonly { readonly until: bigint; readonly amount: bigint }[]
}

/** The genesis of a store. It is read once: that of mainnet has 15,344 outputs. */
async function genesisOf(kept: WeakMap<Reader, Genesis>, store: Reader): Promise<Genesis> {
  const known = kept.get(store)
  if (known !== undefined) return known
  const [raw] = await rawBlocksFrom(store, genesisId, 1)
  assert(raw?.id === genesisId, 'a served network has its genesis')
  const { genesis } = readGenesis(raw.bytes)
  const staked = genesis.validators.flatMap(({ record: { unsigned } }) =>
    'stake' in unsigned ? unsigned.stake : [],
  )
  const outputs = [
    ...genesis.utxos.map(({ utxo }) => utxo.output),
    ...staked.map(({ output }) => output),
  ]
  const locked = outputs.flatMap((output) =>
    output.typeId === outputTypes.stakeableLocked
      ? [{ until: output.locktime, amount: output.output.amount }]
      : [],
  )
  const found = { initial: genesis.initialSupply, locked }
  kept.set(store, found)
  return found
}

/** Fees of all blocks of the network's C-Chain in wei; `undefined` where not all are indexed. */
async function evmFeesOf(
  { chainIds }: ServedNetwork,
  chains: ChainDirectory,
): Promise<bigint | undefined> {
  const chain = chains.all().find(({ facts: { blockchainId } }) => {
    return blockchainId !== undefined && equalBytes(blockchainId, chainIds.C)
  })
  if (chain === undefined || (await blockTimestamp(chain.store, 0)) === undefined) return undefined
  let sum = 0n
  for (const fees of (await dayWei(chain.store, 'fees')).values()) sum += toBigint(fees)
  return sum
}

type Body = Static<typeof PrimaryNetwork.getAvaxSupply.response>

/** An amount of the platform, nAVAX, as AVAX. */
function avax(navax: bigint): string {
  return withPoint(navax, 9)
}

// The C-Chain counts in wei: 10^9 to the nAVAX.
const weiPerNavax = 1_000_000_000n

function view({ stakes, flows, genesis, nowMs }: Sums, evmFees: bigint | undefined): Body {
  const { validators, delegators, supply, potentialRewards } = stakes
  const rewards = supply - genesis.initial - potentialRewards
  const now = BigInt(Math.floor(nowMs / 1_000))
  const locked = genesis.locked.reduce((sum, { until, amount }) => {
    return until > now ? sum + amount : sum
  }, 0n)
  return {
    ...burnedView({ flows, evmFees, minted: genesis.initial + rewards }),
    totalStaked: avax(validators.weight + delegators.weight),
    totalLocked: avax(locked),
    totalRewards: avax(rewards),
    genesisUnlock: avax(genesis.initial),
    l1ValidatorFees: avax(flows.l1Deposits - flows.l1Balances),
    lastUpdated: new Date(nowMs).toISOString(),
  }
}

const notCounted =
  'blocks were indexed before burned AVAX was counted; delete the store to index it again'

/** Burned and remaining amounts; unknown ones are left out and named. */
function burnedView({
  flows: { burned, l1Balances },
  evmFees,
  minted,
}: {
  readonly flows: AvaxFlows
  readonly evmFees: bigint | undefined
  readonly minted: bigint
}): Partial<Body> {
  const [p, x, atomic] = [burned.get('P'), burned.get('X'), burned.get('C')]
  const notTold: string[] = []
  if (p === undefined) notTold.push(`totalPBurned: ${notCounted}`)
  if (x === undefined) notTold.push(`totalXBurned: ${notCounted}`)
  if (evmFees === undefined)
    notTold.push(
      'totalCBurned: the C-Chain is not among the EVM chains that are indexed here from block 0',
    )
  else if (atomic === undefined)
    notTold.push(`totalCBurned: ${burned.has('C') ? notCounted : 'no block is indexed yet'}`)
  // Balances of L1 validators were taken in, but are not burned yet.
  const onP = p === undefined ? undefined : p - l1Balances
  const onC =
    evmFees === undefined || atomic === undefined ? undefined : evmFees + atomic * weiPerNavax
  const shown: Partial<Body> = {
    totalPBurned: onP === undefined ? undefined : avax(onP),
    totalCBurned: onC === undefined ? undefined : withPoint(onC, 18),
    totalXBurned: x === undefined ? undefined : avax(x),
  }
  if (onP === undefined || x === undefined || onC === undefined)
    return { ...shown, notTold: [...notTold, 'totalSupply, circulatingSupply: a part is missing'] }
  const total = withPoint((minted - onP - x) * weiPerNavax - onC, 18)
  return { ...shown, totalSupply: total, circulatingSupply: total }
}
