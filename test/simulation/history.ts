/**
 * A made-up EVM chain that a seed decides, in two forms: what a node says of each block, and what
 * the oracle knows without reading that, the facts from which the block was made.
 */

import { provenBlock, type Settled } from '../../bench/proven-block.ts'
import { drawsOf, type Draws } from '../support/processes/draws.ts'
import { messageLogs } from './messages.ts'

/** A token transfer. Amount or token id as a decimal text. */
export type TransferFact = {
  readonly height: number
  readonly txHash: string
  readonly logIndex: number
  readonly token: string
  readonly from: string
  readonly to: string
  readonly amount: string
}

/** A transaction, or a call inside one; value in wei as a decimal text. */
export type ValueFact = {
  readonly height: number
  readonly txHash: string
  readonly from: string
  readonly to: string
  readonly value: string
}

/** A block as a node gives it, each part as JSON text. */
export type BlockTexts = {
  readonly block: string
  readonly receipts: string
  readonly traces: string
  readonly hash: string
  readonly txHashes: readonly string[]
  /** Unix seconds. */
  readonly time: number
}

/** One chain. Facts in the order of the chain. */
export type History = {
  readonly chainId: number
  readonly blocks: readonly BlockTexts[]
  readonly transfers: readonly TransferFact[]
  readonly transactions: readonly ValueFact[]
  /** Inner calls that move value. */
  readonly internals: readonly ValueFact[]
  /** Who sends and receives, `0x` hex in lower case. */
  readonly people: readonly string[]
  readonly tokens: readonly string[]
  readonly nft: string
  /** From this height on headers commit to receipts of earlier blocks, as after Helicon. */
  readonly heliconFrom: number
}

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const emptyBloom = `0x${'0'.repeat(512)}`
const zeroHash = `0x${'0'.repeat(64)}`
const nobody = `0x${'0'.repeat(40)}`
const baseFee = 25_000_000_000
const price = baseFee + 1_000_000_000
const firstSecond = Date.UTC(2026, 0, 1) / 1_000 - 3_600

type Log = { readonly token: string; readonly topics: string[]; readonly data: string }
type Made = {
  readonly from: string
  readonly to: string
  readonly value: bigint
  readonly gas: number
  readonly ok: boolean
  readonly logs: readonly Log[]
  readonly inner?: { readonly to: string; readonly value: bigint }
}
type Moves = { token: string; from: string; to: string; amount: bigint }

/**
 * Every third chain crosses Helicon, before the half of it that is there at the start of a
 * simulation.
 */
const heliconAt = 12
/** A header settles the block so many before it. */
const settlesAfter = 3

/** The chain of `seed`, `length` blocks with genesis. */
export function historyOf(seed: number, length: number): History {
  const heliconFrom = seed % 3 === 2 ? heliconAt : Number.POSITIVE_INFINITY
  return new Maker(drawsOf(seed).part('history'), 40_000 + (seed % 1_000), heliconFrom).made(length)
}

class Maker {
  readonly #draws: Draws
  readonly #chainId: number
  readonly #people = Array.from({ length: 7 }, (_, at) => address('a1', at))
  readonly #tokens = Array.from({ length: 3 }, (_, at) => address('c2', at))
  readonly #nft = address('d3', 0)
  readonly #held = new Map<string, bigint>()
  readonly #nonces = new Map<string, number>()
  readonly #transfers: TransferFact[] = []
  readonly #transactions: ValueFact[] = []
  readonly #internals: ValueFact[] = []
  /** Of each block, as a node gives them. */
  readonly #receipts: object[][] = []
  readonly #heliconFrom: number
  /** Height that the last header settled. */
  #settled = -1
  #nextNft = 1
  #messages = 0
  #newcomers = 0

  constructor(draws: Draws, chainId: number, heliconFrom: number) {
    this.#draws = draws
    this.#chainId = chainId
    this.#heliconFrom = heliconFrom
  }

  made(length: number): History {
    const blocks: BlockTexts[] = []
    let time = firstSecond
    for (let height = 0; height < length; height++) {
      time += this.#draws.between(1, 4)
      blocks.push(this.#block(height, time, blocks.at(-1)?.hash ?? zeroHash))
    }
    return {
      chainId: this.#chainId,
      blocks,
      transfers: this.#transfers,
      transactions: this.#transactions,
      internals: this.#internals,
      people: this.#people,
      tokens: this.#tokens,
      nft: this.#nft,
      heliconFrom: this.#heliconFrom,
    }
  }

  #block(height: number, time: number, parent: string): BlockTexts {
    const count = height < 2 ? 0 : this.#draws.below(5)
    const made =
      height === 1 ? this.#everybody() : Array.from({ length: count }, () => this.#transaction())
    let gas = 0
    let logIndex = 0
    const transactions: object[] = []
    const receipts: object[] = []
    for (const [index, one] of made.entries()) {
      gas += one.gas
      transactions.push(this.#txJson(one, { height, index }))
      receipts.push(receiptJson(one, { height, index, gas, logIndex }))
      logIndex += one.logs.length
    }
    const block = { ...headerJson(height, time, gas), transactions }
    const { text, hash } = provenBlock(
      JSON.stringify({ block, receipts }),
      parent,
      this.#settle(height),
    )
    const parts: {
      block: { transactions: { hash: string }[] }
      receipts: object[]
    } = JSON.parse(text)
    this.#receipts.push(parts.receipts)
    const txHashes = parts.block.transactions.map((tx) => tx.hash)
    this.#keep(height, made, txHashes)
    const traces = made.map((one, at) => ({ txHash: txHashes[at], result: frameOf(one) }))
    return {
      block: JSON.stringify(parts.block),
      receipts: JSON.stringify(parts.receipts),
      traces: JSON.stringify(traces),
      hash,
      txHashes,
      time,
    }
  }

  /** Height that the header at a height settles; the parent of the first one has settled itself. */
  #settle(height: number): Settled | undefined {
    if (height < this.#heliconFrom) return undefined
    const before = height === this.#heliconFrom ? height - 1 : this.#settled
    this.#settled = Math.max(before, height - settlesAfter)
    const receipts = this.#receipts.slice(before + 1, this.#settled + 1).flat()
    return { height: this.#settled, receipts: receipts.map((receipt) => ({ ...receipt })) }
  }

  #keep(height: number, made: readonly Made[], txHashes: readonly string[]): void {
    let logIndex = 0
    for (const [at, one] of made.entries()) {
      const txHash = txHashes[at] ?? ''
      const { from, to, value, inner } = one
      this.#transactions.push({ height, txHash, from, to, value: String(value) })
      if (inner !== undefined)
        this.#internals.push({
          height,
          txHash,
          from: to,
          to: inner.to,
          value: String(inner.value),
        })
      for (const log of one.logs) {
        if (log.topics[0] !== transferTopic) {
          logIndex++
          continue
        }
        const [, sender = '', receiver = '', id] = log.topics
        this.#transfers.push({
          height,
          txHash,
          logIndex: logIndex++,
          token: log.token,
          from: `0x${sender.slice(26)}`,
          to: `0x${receiver.slice(26)}`,
          amount: String(BigInt(id ?? log.data)),
        })
      }
    }
  }

  /** One transaction with everybody in it: all addresses are numbered alike in every store. */
  #everybody(): Made[] {
    const [first = nobody] = this.#people
    const logs = this.#people.map((person, at) =>
      this.#moved({
        token: this.#tokens[at % this.#tokens.length] ?? nobody,
        from: nobody,
        to: person,
        amount: 10n ** 15n,
      }),
    )
    return [
      {
        from: first,
        to: this.#nft,
        value: 0n,
        gas: 400_000,
        ok: true,
        logs: [...logs, this.#mint(first)],
      },
    ]
  }

  #transaction(): Made {
    const draws = this.#draws
    const from = draws.pick(this.#people)
    const to = draws.pick(this.#people)
    const kind = draws.below(12)
    const plain = { from, to, value: 0n, ok: true, logs: [] }
    // Somebody new, whom a writer that is not alone would number otherwise.
    if (kind === 9)
      return { ...plain, to: address('e4', this.#newcomers++), value: 5n, gas: 21_000 }
    if (kind > 9) {
      const logs = messageLogs(draws, { from, to, nonce: ++this.#messages })
      return { ...plain, to: draws.pick(this.#tokens), gas: 120_000, logs }
    }
    if (kind < 3) return { ...plain, value: BigInt(draws.between(1, 1_000_000)), gas: 21_000 }
    if (kind === 3) return { ...plain, to: draws.pick(this.#tokens), ok: false, gas: 30_000 }
    if (kind === 4) return { ...plain, to: this.#nft, gas: 90_000, logs: [this.#mint(to)] }
    const first = this.#move(from, to)
    if (kind < 8) return { ...plain, to: first.token, gas: 51_000, logs: [first] }
    const logs = [first, this.#move(to, from), this.#move(from, draws.pick(this.#people))]
    const value = BigInt(draws.between(10, 5_000))
    const inner = { to: draws.pick(this.#people), value: value / 2n + 1n }
    return { ...plain, to: draws.pick(this.#tokens), value, gas: 187_000, logs, inner }
  }

  /** Moves what `from` has of a token; one that has nothing is given something. */
  #move(from: string, to: string): Log {
    const token = this.#draws.pick(this.#tokens)
    const held = this.#heldBy(token, from)
    const isMint = held === 0n
    const amount = isMint
      ? BigInt(this.#draws.between(1, 2 ** 30)) * 1_000_000_007n
      : held / BigInt(this.#draws.between(1, 5)) || 1n
    return this.#moved({ token, from: isMint ? nobody : from, to, amount })
  }

  #moved({ token, from, to, amount }: Moves): Log {
    if (from !== nobody) this.#held.set(token + from, this.#heldBy(token, from) - amount)
    this.#held.set(token + to, this.#heldBy(token, to) + amount)
    return { token, topics: [transferTopic, word(from), word(to)], data: wordOf(amount) }
  }

  #mint(to: string): Log {
    const id = wordOf(BigInt(this.#nextNft++))
    return { token: this.#nft, topics: [transferTopic, word(nobody), word(to), id], data: '0x' }
  }

  #heldBy(token: string, holder: string): bigint {
    return this.#held.get(token + holder) ?? 0n
  }

  #txJson(one: Made, place: { readonly height: number; readonly index: number }): object {
    const nonce = this.#nonces.get(one.from) ?? 0
    this.#nonces.set(one.from, nonce + 1)
    return {
      blockNumber: hex(place.height),
      from: one.from,
      gas: hex(one.gas * 2),
      gasPrice: hex(price),
      maxFeePerGas: hex(price * 2),
      maxPriorityFeePerGas: hex(price - baseFee),
      input: one.logs.length === 0 ? '0x' : '0xa9059cbb',
      nonce: hex(nonce),
      to: one.to,
      transactionIndex: hex(place.index),
      value: hex(one.value),
      type: '0x2',
      accessList: [],
      chainId: hex(this.#chainId),
      v: '0x1',
      yParity: '0x1',
      r: wordOf(BigInt(place.height * 64 + place.index + 1)),
      s: wordOf(BigInt(nonce + 7)),
    }
  }
}

function receiptJson(
  one: Made,
  at: {
    readonly height: number
    readonly index: number
    readonly gas: number
    readonly logIndex: number
  },
): object {
  const place = { blockNumber: hex(at.height), transactionIndex: hex(at.index) }
  return {
    ...place,
    contractAddress: null,
    cumulativeGasUsed: hex(at.gas),
    effectiveGasPrice: hex(price),
    from: one.from,
    gasUsed: hex(one.gas),
    logs: one.logs.map((log, order) => ({
      ...place,
      address: log.token,
      topics: log.topics,
      data: log.data,
      logIndex: hex(at.logIndex + order),
      removed: false,
    })),
    logsBloom: emptyBloom,
    status: one.ok ? '0x1' : '0x0',
    to: one.to,
    type: '0x2',
  }
}

function frameOf({ from, to, value, gas, ok, inner }: Made): object {
  const call = { type: 'CALL', from, to, input: '0x', gas: hex(gas * 2), gasUsed: hex(gas) }
  const failed = ok ? {} : { error: 'execution reverted' }
  const frame = { ...call, value: hex(value), output: '0x', ...failed }
  if (inner === undefined) return frame
  const below = { ...call, from: to, to: inner.to, value: hex(inner.value), gasUsed: '0x0' }
  return { ...frame, calls: [below] }
}

function headerJson(height: number, time: number, gas: number): object {
  return {
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    miner: '0x0100000000000000000000000000000000000000',
    stateRoot: wordOf(BigInt(height + 1) * 0x1_0000_0001n),
    difficulty: '0x1',
    number: hex(height),
    gasLimit: '0xe4e1c0',
    gasUsed: hex(gas),
    timestamp: hex(time),
    extraData: `0x${'0'.repeat(160)}`,
    mixHash: zeroHash,
    nonce: '0x0000000000000000',
    baseFeePerGas: hex(baseFee),
    blockGasCost: '0x0',
    extDataHash: zeroHash,
    size: '0x2f10',
    totalDifficulty: hex(height),
    uncles: [],
  }
}

function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`
}

function wordOf(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

function word(address_: string): string {
  return `0x${address_.slice(2).padStart(64, '0')}`
}

function address(kind: string, at: number): string {
  return `0x${kind.repeat(17)}${(at + 1).toString(16).padStart(6, '0')}`
}
