/**
 * Compares a store of an EVM chain with a node: sampled blocks whole, with all that they hash to;
 * counts of transfer logs as the node's own index has them; internal transactions; balances that
 * running sums give; and what contracts say of themselves.
 *
 * Of the last three, inner frames and names are what one node alone could forge unseen: verify
 * against another node than the one that was indexed from.
 */

import { balanceOfData } from '../../codec/evm/abi/abi.ts'
import { type BlockBatch, type TraceBatch, transferKinds } from '../../codec/evm/columns/columns.ts'
import { decodeBlocks } from '../../codec/evm/decode-blocks.ts'
import { decodeTraces } from '../../codec/evm/decode-traces.ts'
import { to0x, toHex } from '../../core/bytes.ts'
import { faultOf } from '../../core/fault.ts'
import type { Random } from '../../core/world.ts'
import type { BlockChecks } from '../../indexing/evm/read/block-checks.ts'
import { asStored } from '../../indexing/evm/tokens/contract-forms.ts'
import { factsOf, questionsTo } from '../../indexing/evm/tokens/token-metadata.ts'
import { storedBatch, storedTraces } from '../../indexing/evm/write/stored-batch.ts'
import type { EvmSource, StateCall } from '../../source/evm-source.ts'
import { type Database, type AnswerRow, statement } from '../../store/engine/database.ts'
import { balancesOfPairs, drawHolders } from '../../store/query/evm/balances.ts'
import { storedHeights } from '../../store/query/evm/heights.ts'
import { address } from '../../store/schema/evm.ts'
import { newReport, type Report } from '../report.ts'
import { spread } from '../subject.ts'
import { frameTexts, rowTexts } from './row-texts.ts'

/** Subjects of the comparison, and how much of each. */
export type ChainSubject = {
  readonly store: Database
  readonly source: EvmSource
  /** Draws holders. */
  readonly random: Random
  readonly checks: BlockChecks
  readonly decompress: (bytes: Uint8Array) => Uint8Array
  /** Logs of one block by its number, as `eth_getLogs` gives them; absent where nobody can. */
  readonly logsOf?: ((height: number) => Promise<readonly NodeLog[]>) | undefined
  readonly signal: AbortSignal
  /** Most blocks and tokens looked at. */
  readonly sample: number
}

/** A log as a node gives it, `0x` hex. */
export type NodeLog = { readonly topics: readonly string[]; readonly data: string }

/** The result: comparisons made, and the height up to which they go. */
export type VerifiedChain = { readonly height: number; readonly report: Report }

const { erc20, erc721, erc721OneTopic, oneIndexed, twoIndexed } = transferKinds
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Holders of a token that are read, on average: more of each where there are few tokens. */
const holdersPerToken = 8
const countedLogs = 'transfer logs by eth_getLogs'

const firstBlock = statement('select height from evm_block order by height limit 1', {
  over: 'oldest',
})
const tokens = statement(
  `select t.id, a.bytes, t.name, t.symbol, t.decimals, t.inexact_height, t.standard
   from token t join address a on a.id = t.id where t.metadata_height > 0 order by t.id`,
)
const addressOfId = { table: address, key: ['id'], select: ['bytes'] } as const

/** Runs all comparisons. Faults are those of the source and of the store. */
export async function verifyChain(subject: ChainSubject): Promise<VerifiedChain> {
  const report = newReport()
  const { blocks, traces, tracesSince } = await storedHeights(subject.store)
  const first = (await subject.store.get(firstBlock))?.[0] ?? 0
  const sampled = spread(rangeOf(first, blocks), subject.sample)
  for (const height of sampled) await compareBlock(subject, report, height)
  const traced = sampled.filter((height) => height <= traces && height >= (tracesSince ?? first))
  await compareTraces(subject, report, traced)
  await compareTokens(subject, report, blocks)
  return { height: blocks, report }
}

function rangeOf(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)
}

async function compareBlock(subject: ChainSubject, report: Report, height: number): Promise<void> {
  const range = { from: height, until: height + 1 }
  const blocks = await subject.source.blocks(
    range,
    (units, origin) => {
      const good = subject.checks.checkAll(units, { from: height, origin, wants: () => true })
      return decodeBlocks(height, good, (bytes) => bytes)
    },
    subject.signal,
  )
  const { batch } = await storedBatch(subject.store, range)
  asStored(blocks, batch)
  const ours = rowTexts(batch, subject.decompress)
  const theirs = rowTexts(blocks, (bytes) => bytes)
  for (const name of ['headers', 'inputs', 'transactions', 'transfers', 'logs'] as const)
    report.compareSets(name, `block ${height}`, ours[name], theirs[name])
  if (subject.logsOf === undefined || report.skipped().has(countedLogs)) return
  try {
    const logs = await subject.logsOf(height)
    const count = logs.filter(isTransfer).length
    report.compare(countedLogs, `block ${height}`, transferLogs(batch), count)
  } catch (error) {
    const fault = faultOf(error)
    if (fault?.code !== 'node-refused') throw error
    report.skip(countedLogs, fault.message)
  }
}

/** Transfers of one log each: those of ERC-1155 batches are several. */
function transferLogs({ transfers }: BlockBatch): number {
  const ofOneLog: ReadonlySet<number> = new Set([
    erc20,
    erc721,
    erc721OneTopic,
    oneIndexed,
    twoIndexed,
  ])
  return transfers.kind.filter((kind) => ofOneLog.has(kind)).length
}

/** Logs that count as a transfer by their form, whatever their contract says. */
function isTransfer({ topics, data }: NodeLog): boolean {
  const bytes = (data.length - 2) / 2
  if (topics[0] !== transferTopic) return false
  if (topics.length === 3) return bytes >= 32
  if (topics.length === 4) return bytes === 0
  return topics.length === 1 ? bytes === 96 : bytes === 64
}

async function compareTraces(
  { store, source, signal }: ChainSubject,
  report: Report,
  heights: readonly number[],
): Promise<void> {
  for (const height of heights) {
    const range = { from: height, until: height + 1 }
    let traces: TraceBatch
    try {
      traces = await source.traces(range, (raw) => decodeTraces(height, raw), signal)
    } catch (error) {
      const fault = faultOf(error)
      if (fault?.code !== 'node-refused' && fault?.code !== 'not-served') throw error
      report.skip('internal transactions', fault.message)
      return
    }
    const ours = frameTexts(await storedTraces(store, range))
    report.compareSets('internal transactions', `block ${height}`, ours, frameTexts(traces))
  }
}

async function compareTokens(subject: ChainSubject, report: Report, height: number): Promise<void> {
  const rows = spread(await subject.store.all(tokens), subject.sample)
  // The balances of other tokens are read from a node by every caller.
  const exact = rows.filter((row) => row[5] === null && row[6] === 20)
  const most = Math.ceil((subject.sample * holdersPerToken) / Math.max(1, exact.length))
  for (const row of rows) await compareNames(subject, report, row)
  for (const row of exact) await compareBalances(subject, report, { row, height, most })
}

type TokenRow = AnswerRow<typeof tokens>

async function compareNames(subject: ChainSubject, report: Report, row: TokenRow): Promise<void> {
  const [, bytes, name, symbol, decimals, , standard] = row
  const address = to0x(bytes)
  const answers = await subject.source.state(questionsTo(address), 'latest', subject.signal)
  if (answers.every(({ kind }) => kind === 'not-served')) {
    report.skip('names of tokens', 'the node does not serve state')
    return
  }
  const facts = factsOf(answers, standard)
  const theirs = [facts.name ?? null, facts.symbol ?? null, facts.decimals ?? null]
  report.compare('names of tokens', address, [name, symbol, decimals], theirs)
}

/** Balances by logs of holders of a token: by chance among all, while the indexer prefers those of new transfers. */
async function heldBy(
  { store, random }: ChainSubject,
  of: { readonly tokenId: number; readonly height: number; readonly most: number },
): Promise<(readonly [sum: Uint8Array, holder: Uint8Array])[]> {
  const addressIds = await drawHolders(store, random, { ...of, at: of.height, most: () => of.most })
  const addresses = await store.lookup(addressOfId, [addressIds])
  const tokenIds = addressIds.map(() => of.tokenId)
  const sums = await balancesOfPairs(store, { addressIds, tokenIds, height: of.height })
  return sums.flatMap((sum, place) => {
    const bytes = addresses[place]?.[0]
    return sum?.negative !== 0 || bytes === undefined ? [] : [[sum.value, bytes]]
  })
}

async function compareBalances(
  subject: ChainSubject,
  report: Report,
  { row, height, most }: { readonly row: TokenRow; readonly height: number; readonly most: number },
): Promise<void> {
  const { source, signal } = subject
  const [tokenId, bytes] = row
  const contract = to0x(bytes)
  const held = await heldBy(subject, { tokenId, height, most })
  const calls = held.map(([, holder]): StateCall => {
    const data = balanceOfData(toHex(holder))
    return { method: 'eth_call', target: { to: contract, data } }
  })
  const answers = await source.state(calls, height, signal)
  for (const [at, [value, holder]] of held.entries()) {
    const answer = answers[at]
    if (answer === undefined || answer.kind === 'not-served') {
      report.skip('balances', `the node has no state of height ${height}`)
      continue
    }
    const ours = BigInt(`0x0${toHex(value)}`)
    const theirs = answer.kind === 'value' && answer.value !== '0x' ? BigInt(answer.value) : -1n
    report.compare('balances', `${contract} of 0x${toHex(holder)}`, ours, theirs)
  }
}
