/**
 * Cycles, fees of L1 validators and the supply, added up from what a node tells, for a
 * comparison that shares no line with the product.
 */

import { list, type NodeRpc, text, type JsonObject } from './node-rpc.ts'
import { delegatorFacts } from './outside-delegators.ts'
import type { Fact, Sides } from './outside-facts.ts'
import { cb58 } from './outside-ids.ts'

const network = '/v1/networks/fuji'
const p = '/ext/bc/P'

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, one) => total + one, 0n)
}

/** Current validators, each with its delegators: the node lists them for one node at a time. */
async function currentStakers(node: NodeRpc): Promise<JsonObject[]> {
  const reply = await node.call(p, 'platform.getCurrentValidators')
  const nodes = new Set(list(reply, 'validators').map((one) => text(one, 'nodeID')))
  const stakers: JsonObject[] = []
  for (const nodeID of nodes) {
    const one = await node.call(p, 'platform.getCurrentValidators', { nodeIDs: [nodeID] })
    stakers.push(...list(one, 'validators'))
  }
  return stakers
}

/** The transaction inside a signed one. */
function unsigned(transaction: JsonObject): JsonObject {
  return transaction['unsignedTx'] as JsonObject
}

/** Amount that a UTXO, an input or an output moves; a lock stands around some. */
function amountOf(of: JsonObject): bigint {
  if (of['amount'] !== undefined) return BigInt(text(of, 'amount'))
  return amountOf((of['input'] ?? of['output']) as JsonObject)
}

/** Cycles of nodes that renewed themselves: every settlement, and what the node paid for it. */
async function cycles(
  { get, all, node, transactions }: Sides,
  stakers: readonly JsonObject[],
): Promise<Fact[]> {
  const facts: Fact[] = []
  const settlements = Map.groupBy(
    transactions.filter(
      (one) => unsigned(one)['txID'] !== undefined && 'timestamp' in unsigned(one),
    ),
    (one) => text(unsigned(one), 'txID'),
  )
  for (const one of transactions) {
    if (unsigned(one)['autoCompoundRewardShares'] === undefined) continue
    const named = unsigned(one)['nodeID']
    // A changed configuration names shares, too, but no node.
    if (typeof named !== 'string') continue
    const validator = named.startsWith('0x')
      ? `NodeID-${cb58(Buffer.from(named.slice(2), 'hex'))}`
      : named
    const staking = text(one, 'id')
    const path = `${network}/validators/${validator}/cycles?txHash=${staking}`
    const ours = await all(`${path}&sortOrder=asc`, 'cycles')
    const theirs = settlements.get(staking) ?? []
    facts.push({
      kind: 'cycles: settlements',
      subject: staking,
      ours: ours.map((cycle) => cycle['rewardTxHash']),
      theirs: theirs.map((settlement) => settlement['id']),
    })
    facts.push(...(await paid(node, ours)))
    facts.push(
      ...running((await get(path))['currentCycle'] as JsonObject | undefined, stakers, staking),
    )
  }
  return facts
}

/** Payments of each settlement: its withdrawn parts, and at the end what was restaked before. */
async function paid(node: NodeRpc, ours: readonly JsonObject[]): Promise<Fact[]> {
  const facts: Fact[] = []
  let restaked = 0n
  const amount = (cycle: JsonObject, name: string): bigint => BigInt(text(cycle, name))
  for (const cycle of ours) {
    const txID = text(cycle, 'rewardTxHash')
    const reply = await node.call(p, 'platform.getRewardUTXOs', { txID, encoding: 'hexnc' })
    const utxos = (reply['utxos'] ?? []) as string[]
    const theirs = sum(utxos.map((hex) => Buffer.from(hex.slice(2), 'hex').readBigUInt64BE(74)))
    const withdrawn =
      amount(cycle, 'withdrawnValidationReward') + amount(cycle, 'withdrawnDelegateeReward')
    const isRenewed = cycle['outcome'] === 'renewed'
    const said = isRenewed ? withdrawn : withdrawn + restaked
    facts.push({ kind: 'cycles: paid', subject: txID, ours: String(said), theirs: String(theirs) })
    restaked +=
      amount(cycle, 'compoundedValidationReward') + amount(cycle, 'compoundedDelegateeReward')
  }
  return facts
}

/** The cycle that runs, as the node's current validator says it. */
function running(
  cycle: JsonObject | undefined,
  stakers: readonly JsonObject[],
  staking: string,
): Fact[] {
  const staker = stakers.find((one) => one['txID'] === staking)
  const of = (from: JsonObject | undefined, names: readonly string[]): unknown =>
    from === undefined ? null : names.map((name) => text(from, name))
  const fact = (
    name: string,
    ourNames: readonly string[],
    theirNames: readonly string[],
  ): Fact => ({
    kind: `cycles: running${name}`,
    subject: staking,
    ours: of(cycle, ourNames),
    theirs: of(staker, theirNames),
  })
  const times = fact(
    '',
    ['startTimestamp', 'endTimestamp', 'weightAtCycleStart', 'projectedValidationReward'],
    ['startTime', 'endTime', 'weight', 'potentialReward'],
  )
  if (staker === undefined) return [times]
  const share = Number(text(staker, 'autoCompoundRewardShares')) / 10_000
  return [
    times,
    fact(
      ', its delegators',
      ['delegatorCount', 'amountDelegated', 'accruedDelegateeReward'],
      ['delegatorCount', 'delegatorWeight', 'accruedDelegateeReward'],
    ),
    {
      kind: 'cycles: running, its share',
      subject: staking,
      ours: cycle?.['autoCompoundSharePercent'],
      theirs: share,
    },
  ]
}

/** Payments into and out of balances of L1 validators, and what they hold. */
async function l1Flows(sides: Sides): Promise<{ deposits: bigint; refunds: bigint; held: bigint }> {
  const { node, transactions } = sides
  let deposits = 0n
  let refunds = 0n
  for (const one of transactions) {
    const tx = unsigned(one)
    const isConversion = tx['managerAddress'] !== undefined || tx['chainID'] !== undefined
    const validators = isConversion && Array.isArray(tx['validators']) ? list(tx, 'validators') : []
    deposits += sum(validators.map((each) => BigInt(text(each, 'balance'))))
    if (tx['balance'] !== undefined) deposits += BigInt(text(tx, 'balance'))
    const index = list(tx, 'outputs').length
    const isEnding = tx['disableAuthorization'] !== undefined || isWeightMessage(tx)
    if (isEnding) refunds += outputAt(sides, text(one, 'id'), index)
  }
  const subnets = list(await node.call(p, 'platform.getSubnets'), 'subnets')
  let held = 0n
  for (const { id } of subnets) {
    const reply = await node.call(p, 'platform.getCurrentValidators', { subnetID: id })
    for (const one of list(reply, 'validators'))
      if (one['validationID'] !== undefined) held += BigInt(text(one, 'balance'))
  }
  return { deposits, refunds, held }
}

/** Amount of an output that lies there, or was spent since; nothing where there was none. */
function outputAt({ utxos, transactions }: Sides, txId: string, index: number): bigint {
  const open = utxos.find((one) => one.txId === txId && one.index === index)
  if (open !== undefined) return BigInt(open.amount)
  const spent = transactions
    .flatMap((one) => list(unsigned(one), 'inputs'))
    .find((input) => input['txID'] === txId && input['outputIndex'] === index)
  return spent === undefined ? 0n : amountOf(spent)
}

/** A Warp message without a balance: it sets a weight. */
function isWeightMessage(tx: JsonObject): boolean {
  return tx['message'] !== undefined && tx['balance'] === undefined
}

function navax(amount: unknown): bigint {
  const [whole = '', decimals = ''] = String(amount).split('.')
  return BigInt(whole + decimals.padEnd(9, '0'))
}

/** The supply, and what burned of it: fees of every transaction, and of L1 validators. */
async function supply(sides: Sides, stakers: readonly JsonObject[]): Promise<Fact[]> {
  const { get, node, transactions } = sides
  const currentSupply = BigInt(text(await node.call(p, 'platform.getCurrentSupply'), 'supply'))
  const running = sum(
    stakers.flatMap((one) =>
      [one, ...list(one, 'delegators')].map((each) => BigInt(text(each, 'potentialReward'))),
    ),
  )
  const { deposits, refunds, held } = await l1Flows(sides)
  const fees = await get('/v2/validators/metrics/totalCumulativeFeesDaily?network=fuji')
  const [newest] = list(fees, 'results')
  const ours = await get('/v1/avax/supply?network=fuji')
  const minted = navax(ours['genesisUnlock']) + navax(ours['totalRewards'])
  const fact = (kind: string, mine: bigint, theirs: bigint): Fact => ({
    kind,
    subject: 'P-Chain',
    ours: String(mine),
    theirs: String(theirs),
  })
  const avaxId = text(await node.call(p, 'platform.getStakingAssetID'), 'assetID')
  const burned = sum(transactions.map((one) => burnedIn(unsigned(one), avaxId)))
  return [
    fact('supply: now', BigInt(text(await get(network), 'currentSupply')), currentSupply),
    fact('supply: genesis and rewards', minted, currentSupply - running),
    fact('supply: burned on P', navax(ours['totalPBurned']), burned - refunds - held),
    fact('L1 fees: paid', navax(ours['l1ValidatorFees']), deposits - refunds - held),
    fact(
      'L1 fees: by day',
      BigInt(text(newest ?? { value: 0 }, 'value')),
      deposits - refunds - held,
    ),
  ]
}

/** Amount that a transaction spends and gives to nobody; a reward spends nothing. */
function burnedIn(tx: JsonObject, avaxId: string): bigint {
  const amounts = (...names: readonly string[]): bigint =>
    sum(
      names
        .flatMap((name) => (Array.isArray(tx[name]) ? list(tx, name) : []))
        .filter(({ assetID }) => assetID === avaxId)
        .map(amountOf),
    )
  const spent = amounts('inputs', 'importedInputs')
  return spent === 0n ? 0n : spent - amounts('outputs', 'stake', 'exportedOutputs')
}

/** All facts. */
export async function stakingFacts(sides: Sides): Promise<Fact[]> {
  const stakers = await currentStakers(sides.node)
  return [
    ...(await delegatorFacts(sides, stakers)),
    ...(await cycles(sides, stakers)),
    ...(await supply(sides, stakers)),
  ]
}
