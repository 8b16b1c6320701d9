/**
 * A made-up EVM chain as a node serves it: JSON of blocks and receipts, drawn from a seed.
 *
 * Shape of the C-Chain: about 40 transactions a block, Zipf-distributed senders and tokens, most
 * transactions one ERC-20 transfer, a quarter swaps with three, some without any log; every
 * header, receipt and bloom as long as the real ones, for parsing pays by the byte.
 */

import { provenBlock } from './proven-block.ts'

/** Size of the chain, and the number of its users. */
export type ChainShape = {
  readonly blocks: number
  readonly txsPerBlock: number
  readonly holders: number
  readonly tokens: number
  readonly seed: number
  /** Every transaction five ERC-20 transfers and nothing else. */
  readonly plain?: boolean
}

/** The shape that benchmarks use where nothing else is said. */
export const usualShape: ChainShape = {
  blocks: 5_000,
  txsPerBlock: 40,
  holders: 200_000,
  tokens: 5_000,
  seed: 1,
}

/** Transfers only, as a chain of one busy contract has them. */
export const plainShape: ChainShape = { ...usualShape, plain: true }

/** A tenth of the transactions, where the blocks themselves are what is read. */
export const lightShape: ChainShape = { ...usualShape, txsPerBlock: 4 }

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const syncTopic = '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1'
/** Wei per gas. */
const baseFee = 25_000_000_000

const bloom = `0x${'00200000000000000000000080000000'.repeat(16)}`

/** Gives the text of one block after the other: `{"block":…,"receipts":[…]}`. */
export class ChainText {
  readonly #shape: ChainShape
  readonly #random: () => number
  readonly #holder: () => number
  readonly #token: () => number
  #height = 0
  #parentHash = `0x${'00'.repeat(32)}`
  /** ERC-20 transfers told so far. */
  transfers = 0

  constructor(shape: ChainShape) {
    this.#shape = shape
    this.#random = generator(shape.seed)
    this.#holder = zipf(shape.holders, 0.9, this.#random)
    this.#token = zipf(shape.tokens, 0.8, this.#random)
  }

  /** The next block, or `undefined` after the last. */
  next(): string | undefined {
    if (this.#height === this.#shape.blocks) return undefined
    const height = this.#height++
    const hash = hashOf('b', height)
    const txs: string[] = []
    const receipts: string[] = []
    let gas = 0
    let logIndex = 0
    for (let index = 0; index < this.#shape.txsPerBlock; index++) {
      const place = { height, hash, index, txHash: hashOf('t', height * 4_096 + index) }
      const made = this.#transaction(place, logIndex)
      gas += made.gas
      logIndex += made.logs.length
      txs.push(made.tx)
      receipts.push(this.#receipt(place, made, gas))
    }
    const draft = `{"block":${headerText(height, hash, gas, txs)},"receipts":[${receipts.join(',')}]}`
    const block = provenBlock(draft, this.#parentHash)
    this.#parentHash = block.hash
    return block.text
  }

  #transaction(place: Place, firstLog: number): Made {
    const draw = this.#random()
    const from = addressOf('h', this.#holder())
    const price = baseFee + Math.floor(this.#random() * 2_000_000_000)
    const nonce = hex(Math.floor(this.#random() * 50_000))
    if (this.#shape.plain === true) return this.#spread({ place, from, nonce, price }, firstLog)
    if (draw < 0.15) {
      const to = addressOf('h', this.#holder())
      const value = hex(Math.floor(this.#random() * 2 ** 50))
      return this.#made({
        place,
        from,
        to,
        input: '0x',
        value,
        nonce,
        price,
        gas: 21_000,
        logs: [],
      })
    }
    if (draw < 0.75) {
      const token = addressOf('c', this.#token())
      const to = addressOf('h', this.#holder())
      const amount = this.#amount()
      const logs = [this.#transfer(place, firstLog, { token, from, to, amount })]
      const input = `0xa9059cbb${pad(to.slice(2))}${pad(amount)}`
      return this.#made({
        place,
        from,
        to: token,
        input,
        value: '0x0',
        nonce,
        price,
        gas: 51_234,
        logs,
      })
    }
    const pair = addressOf('p', this.#token())
    const router = addressOf('r', this.#token() % 8)
    const [a, b] = [addressOf('c', this.#token()), addressOf('c', this.#token())]
    const logs = [
      this.#transfer(place, firstLog, { token: a, from, to: pair, amount: this.#amount() }),
      this.#transfer(place, firstLog + 1, {
        token: b,
        from: pair,
        to: from,
        amount: this.#amount(),
      }),
      this.#transfer(place, firstLog + 2, {
        token: a,
        from: pair,
        to: router,
        amount: this.#amount(),
      }),
      this.#log(place, firstLog + 3, {
        address: pair,
        topics: [syncTopic],
        data: `0x${pad(this.#amount())}${pad(this.#amount())}`,
      }),
    ]
    const input = `0x38ed1739${pad(this.#amount())}${pad('1')}${pad('a0')}${pad(from.slice(2))}${pad('65a0b000')}${pad('2')}${pad(a.slice(2))}${pad(b.slice(2))}`
    return this.#made({
      place,
      from,
      to: router,
      input,
      value: '0x0',
      nonce,
      price,
      gas: 187_654,
      logs,
    })
  }

  /** One call that moves tokens to five holders. */
  #spread(tx: Pick<Draft, 'place' | 'from' | 'nonce' | 'price'>, firstLog: number): Made {
    const { place, from } = tx
    const token = addressOf('c', this.#token())
    const logs = [0, 1, 2, 3, 4].map((at) =>
      this.#transfer(place, firstLog + at, {
        token,
        from,
        to: addressOf('h', this.#holder()),
        amount: this.#amount(),
      }),
    )
    const input = `0xc73a2d60${pad(token.slice(2))}${pad(this.#amount())}`
    return this.#made({ ...tx, to: token, input, value: '0x0', gas: 151_234, logs })
  }

  #made(tx: Draft): Made {
    const { place, from, to, input, value, nonce, price } = tx
    const text =
      `{"blockHash":"${place.hash}","blockNumber":"${hex(place.height)}","from":"${from}",` +
      `"gas":"${hex(tx.gas * 1.4)}","gasPrice":"${hex(price)}","maxFeePerGas":"${hex(price * 1.5)}",` +
      `"maxPriorityFeePerGas":"${hex(price - baseFee)}","hash":"${place.txHash}","input":"${input}",` +
      `"nonce":"${nonce}","to":"${to}","transactionIndex":"${hex(place.index)}","value":"${value}",` +
      `"type":"0x2","accessList":[],"chainId":"0xa86a","v":"0x1","yParity":"0x1",` +
      `"r":"${hashOf('r', place.index)}","s":"${hashOf('s', place.index)}"}`
    return { from, to, gas: tx.gas, price, logs: tx.logs, tx: text }
  }

  #receipt(place: Place, made: Made, cumulative: number): string {
    return (
      `{"blockHash":"${place.hash}","blockNumber":"${hex(place.height)}","contractAddress":null,` +
      `"cumulativeGasUsed":"${hex(cumulative)}","effectiveGasPrice":"${hex(made.price)}",` +
      `"from":"${made.from}","gasUsed":"${hex(made.gas)}","logs":[${made.logs.join(',')}],` +
      `"logsBloom":"${bloom}","status":"${this.#random() < 0.014 ? '0x0' : '0x1'}","to":"${made.to}",` +
      `"transactionHash":"${place.txHash}","transactionIndex":"${hex(place.index)}","type":"0x2"}`
    )
  }

  #transfer(
    place: Place,
    index: number,
    moved: { token: string; from: string; to: string; amount: string },
  ): string {
    this.transfers++
    const topics = [transferTopic, `0x${pad(moved.from.slice(2))}`, `0x${pad(moved.to.slice(2))}`]
    return this.#log(place, index, {
      address: moved.token,
      topics,
      data: `0x${pad(moved.amount)}`,
    })
  }

  #log(
    place: Place,
    index: number,
    log: { address: string; topics: string[]; data: string },
  ): string {
    return (
      `{"address":"${log.address}","topics":["${log.topics.join('","')}"],"data":"${log.data}",` +
      `"blockNumber":"${hex(place.height)}","transactionHash":"${place.txHash}",` +
      `"transactionIndex":"${hex(place.index)}","blockHash":"${place.hash}",` +
      `"logIndex":"${hex(index)}","removed":false}`
    )
  }

  /** 18 decimals: most amounts have eight or nine bytes, some are round. */
  #amount(): string {
    const units = Math.floor(this.#random() ** 4 * 100_000) + 1
    const rest = this.#random() < 0.3 ? 0 : Math.floor(this.#random() * 2 ** 52)
    return (BigInt(units) * 10n ** 18n + BigInt(rest)).toString(16)
  }
}

type Place = {
  readonly height: number
  readonly hash: string
  readonly index: number
  readonly txHash: string
}
type Made = {
  readonly from: string
  readonly to: string
  readonly gas: number
  readonly price: number
  readonly logs: readonly string[]
  readonly tx: string
}
type Draft = Omit<Made, 'tx'> & {
  readonly place: Place
  readonly input: string
  readonly value: string
  readonly nonce: string
}

function headerText(height: number, hash: string, gas: number, txs: readonly string[]): string {
  return (
    `{"hash":"${hash}","parentHash":"${hashOf('b', height - 1)}","sha3Uncles":"${hashOf('u', 0)}",` +
    `"miner":"0x0100000000000000000000000000000000000000","stateRoot":"${hashOf('s', height)}",` +
    `"transactionsRoot":"${hashOf('x', height)}","receiptsRoot":"${hashOf('y', height)}",` +
    `"logsBloom":"${bloom}","difficulty":"0x1","number":"${hex(height)}","gasLimit":"0xe4e1c0",` +
    `"gasUsed":"${hex(gas)}","timestamp":"${hex(1_700_000_000 + height * 2)}",` +
    `"extraData":"0x${'0'.repeat(160)}","mixHash":"${hashOf('m', 0)}","nonce":"0x0000000000000000",` +
    `"baseFeePerGas":"${hex(baseFee)}","blockGasCost":"0x0","extDataHash":"${hashOf('e', 0)}",` +
    `"size":"0x2f10","totalDifficulty":"${hex(height)}","uncles":[],"transactions":[${txs.join(',')}]}`
  )
}

/** xorshift32 of two words; enough for shapes, the same on every machine. */
export function generator(seed: number): () => number {
  let a = (seed * 2_654_435_761) >>> 0 || 1
  let b = 362_436_069
  return () => {
    const t = a ^ (a << 15)
    a = b
    b = (b ^ (b >>> 21) ^ (t ^ (t >>> 4))) >>> 0
    return (((a + b) >>> 0) * 2 ** 21 + (b >>> 11)) / 2 ** 53
  }
}

/** Draws ranks 0 to `count - 1` with weight rank^-exponent, by the inverse of its integral. */
function zipf(count: number, exponent: number, random: () => number): () => number {
  const power = 1 - exponent
  const top = (count + 1) ** power - 1
  return () => Math.min(count - 1, Math.floor((random() * top + 1) ** (1 / power)) - 1)
}

function hex(value: number): string {
  return `0x${Math.floor(value).toString(16)}`
}

function pad(digits: string): string {
  return digits.padStart(64, '0')
}

/** Address of a number of one kind: `h` holders, `c` tokens. */
export function addressOf(kind: string, number: number): string {
  return `0x${scramble(kind, number, 5)}`
}

function hashOf(kind: string, number: number): string {
  return `0x${scramble(kind, number, 8)}`
}

function scramble(kind: string, number: number, words: number): string {
  let text = ''
  let state =
    (Math.imul(kind.charCodeAt(0), 0x85eb_ca6b) ^ Math.imul(number + 1, 0x9e37_79b1)) >>> 0
  for (let word = 0; word < words; word++) {
    state = Math.imul(state ^ (state >>> 16), 0x045d_9f3b) >>> 0
    state = (state ^ (number + word * 0x9e37_79b9)) >>> 0
    state = Math.imul(state ^ (state >>> 15), 0x2c1b_3c6d) >>> 0
    text += ((state ^ (state >>> 12)) >>> 0).toString(16).padStart(8, '0')
  }
  return text
}
