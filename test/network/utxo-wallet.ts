/**
 * Transactions of P, X and C atomic, composed with our codec and judged by real nodes: what is
 * encoded wrongly is refused. Fees are overpaid, so that no fee rule is written down twice.
 */

import { setTimeout as pause } from 'node:timers/promises'

import { decode, encode } from '../../src/codec/cursor.ts'
import { struct, versioned } from '../../src/codec/kit.ts'
import { cTransactionAlone, cUnsigned, type CUnsigned } from '../../src/codec/primary/c-atomic.ts'
import { pUtxo } from '../../src/codec/primary/genesis.ts'
import { emptyId, outputKeyOf } from '../../src/codec/primary/ids.ts'
import {
  pTransferableOutput,
  pUnsigned,
  type PTransferableInput,
  type PTransferableOutput,
  type PUnsigned,
} from '../../src/codec/primary/p-transaction.ts'
import { commonAssetId, id } from '../../src/codec/primary/secp.ts'
import {
  xOutput,
  xUnsigned,
  type XOutput,
  type XUnsigned,
} from '../../src/codec/primary/x-transaction.ts'
import { u32 } from '../../src/codec/primitives.ts'
import { toPrimaryAddress } from '../../src/core/address.ts'
import { compareBytes, concatBytes, equalBytes, fromHex, to0x } from '../../src/core/bytes.ts'
import { parseId, toCb58 } from '../../src/core/cb58.ts'
import { sha256 } from '../../src/core/hash.ts'
import { type Key, sign } from './keys.ts'
import { type NodeRpc, text } from './node-rpc.ts'
import { settled } from './real-network.ts'

/** States of a transaction that are final for a node. */
const final = new Set(['Committed', 'Accepted', 'Dropped', 'Aborted'])

/** Names of chains here. */
export type Ledger = 'P' | 'X' | 'C'

/** Ids of a network. */
export type Ids = {
  readonly networkId: number
  readonly hrp: string
  readonly chains: Readonly<Record<Ledger, Uint8Array>>
  readonly avax: Uint8Array
}

/** One AVAX in nAVAX. */
export const avax = 1_000_000_000n

/** Burned before Etna, where some transactions cost an AVAX, and on the C-Chain. */
const highFee = avax
/** Before a transaction that was dropped is sent again. */
const againAfterMs = 1_000
const triesOfDropped = 15
/** Burned by all others: more than any fee a quiet network asks for. */
const fee = avax / 50n

/** An output of a key, or of several. */
export type Payment = {
  readonly amount: bigint
  readonly owners: readonly Uint8Array[]
  readonly threshold?: number
  readonly locktime?: bigint
  /** P only: may be staked, not sent, before it. */
  readonly stakeableLocktime?: bigint
  readonly assetId?: Uint8Array
}

type Input = {
  readonly input: PTransferableInput
  readonly signers: readonly Key[]
}

type Base = {
  readonly networkId: number
  readonly blockchainId: Uint8Array
  readonly outputs: PTransferableOutput[]
  readonly inputs: PTransferableInput[]
  readonly memo: Uint8Array
}

const xUtxo = versioned(
  struct({ txId: id, outputIndex: u32, assetId: commonAssetId, output: xOutput }),
)

/** Asks the node for the ids. */
export async function idsOf(node: NodeRpc): Promise<Ids> {
  const idOf = async (alias: string): Promise<Uint8Array> =>
    parseId(text(await node.call('/ext/info', 'info.getBlockchainID', { alias }), 'blockchainID'))
  const { networkID } = await node.call('/ext/info', 'info.getNetworkID')
  const description = await node.call('/ext/bc/X', 'avm.getAssetDescription', { assetID: 'AVAX' })
  const networkId = Number(networkID)
  return {
    networkId,
    hrp: networkId === 12_345 ? 'local' : 'custom',
    chains: { P: emptyId, X: await idOf('X'), C: await idOf('C') },
    avax: parseId(text(description, 'assetID')),
  }
}

/** Spends what its keys own. One per scenario: it knows which UTXOs are on their way. */
export class UtxoWallet {
  readonly ids: Ids
  readonly keys: readonly Key[]
  /** Called anew for every transaction, as nodes come and go. */
  readonly #node: () => NodeRpc
  /** Spent or on their way, for ever: an answer may be older than what was accepted since. */
  readonly #taken = new Set<string>()

  constructor(node: () => NodeRpc, ids: Ids, keys: readonly Key[]) {
    this.#node = node
    this.ids = ids
    this.keys = keys
  }

  /** Text of an address on a chain. */
  address(chain: Ledger, of: Uint8Array): string {
    return `${chain}-${toPrimaryAddress(this.ids.hrp, of)}`
  }

  /** An output as both chains write it. */
  output(payment: Payment): PTransferableOutput {
    const { amount, owners, threshold = 1, locktime = 0n, stakeableLocktime } = payment
    const plain = {
      typeId: 7,
      amount,
      locktime,
      threshold,
      addresses: owners.toSorted(compareBytes),
    } as const
    return {
      assetId: payment.assetId ?? this.ids.avax,
      output:
        stakeableLocktime === undefined
          ? plain
          : { typeId: 22, locktime: stakeableLocktime, output: plain },
    }
  }

  /** Outputs in the order the codec wants. */
  outputs(payments: readonly Payment[]): PTransferableOutput[] {
    return payments.map((payment) => this.output(payment)).toSorted(byBytes)
  }

  /**
   * A P-Chain transaction that pays `payments` and whatever else `spends` says, and is `make`
   * around that. `authorizers` sign after the owners of inputs. Gives its id once it is accepted.
   */
  async issueP(
    order: {
      readonly payments?: readonly Payment[]
      /** AVAX besides payments: stakes and balances. */
      readonly spends?: bigint
      /** Other spent amounts that are no payment: stakes of other assets. */
      readonly burns?: readonly Payment[]
      readonly authorizers?: readonly Key[]
      /** Returns whether the dynamic fees of Etna are there. */
      readonly cheap?: boolean
    },
    make: (base: Base) => PUnsigned,
  ): Promise<Uint8Array> {
    const { payments = [], spends = 0n, burns = [], authorizers = [], cheap = true } = order
    const burned = { amount: spends + (cheap ? fee : highFee), owners: [] }
    const base = await this.#base('P', payments, [burned, ...burns])
    try {
      const unsigned = encode(versioned(pUnsigned), make(base.base))
      const signers = [
        ...base.inputs.map((one) => one.signers),
        ...(authorizers.length > 0 ? [authorizers] : []),
      ]
      return await this.#issue(
        'P',
        unsigned,
        signers.map((keys) => ({ typeId: 9, keys })),
      )
    } catch (error) {
      base.release()
      throw error
    }
  }

  /** An X-Chain transaction, as {@link issueP}. `operations` are signed as their owners say. */
  async issueX(
    order: {
      readonly payments?: readonly Payment[]
      /** Types of credentials after those of the inputs, each signed by these keys. */
      readonly more?: readonly { readonly typeId: 9 | 14 | 19; readonly keys: readonly Key[] }[]
    },
    make: (base: XBase) => XUnsigned,
  ): Promise<Uint8Array> {
    const base = await this.#base('X', order.payments ?? [], [{ amount: fee, owners: [] }])
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no stakeable output is among them
      const unsigned = encode(versioned(xUnsigned), make(base.base as XBase))
      const signed = base.inputs.map(({ signers }) => ({ typeId: 9 as const, keys: signers }))
      return await this.#issue('X', unsigned, [...signed, ...(order.more ?? [])])
    } catch (error) {
      base.release()
      throw error
    }
  }

  /** Exports from `from`, a P- or X-Chain. */
  export(
    from: 'P' | 'X',
    to: Ledger,
    payments: readonly Payment[],
    cheap = true,
  ): Promise<Uint8Array> {
    const exported = this.outputs(payments)
    const destinationChain = this.ids.chains[to]
    if (from === 'P')
      return this.issueP({ burns: payments, cheap }, (base) => ({
        typeId: 18,
        ...base,
        destinationChain,
        exportedOutputs: exported,
      }))
    return this.#exportX(payments, destinationChain, exported)
  }

  async #exportX(
    payments: readonly Payment[],
    destinationChain: Uint8Array,
    exported: readonly PTransferableOutput[],
  ): Promise<Uint8Array> {
    const base = await this.#base('X', [], [...payments, { amount: fee, owners: [] }])
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no stakeable output is among them
      const { blockchainId, ...rest } = base.base as XBase
      const unsigned = encode(versioned(xUnsigned), {
        typeId: 4,
        ...rest,
        blockchainId,
        destinationChain,
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
        exportedOutputs: exported as XBase['outputs'],
      })
      return await this.#issue(
        'X',
        unsigned,
        base.inputs.map(({ signers }) => ({ typeId: 9, keys: signers })),
      )
    } catch (error) {
      base.release()
      throw error
    }
  }

  /** Imports everything `from` left for our keys on `to`, to `owner`. */
  async import(to: Ledger, from: Ledger, owner: Key, cheap = true): Promise<Uint8Array> {
    const inputs = sorted(await this.#spendable(to, from))
    if (inputs.length === 0) throw new Error(`nothing to import on ${to} from ${from}`)
    const sums = new Map([[to0x(this.ids.avax), -(cheap && to !== 'C' ? fee : highFee)]])
    for (const { input } of inputs) {
      const key = to0x(input.assetId)
      sums.set(key, (sums.get(key) ?? 0n) + amountOf(input))
    }
    // Without AVAX among it, the fee is paid by what lies on the chain.
    const short = sums.get(to0x(this.ids.avax)) ?? 0n
    const base =
      short < 0n && to !== 'C'
        ? await this.#base(to, [], [{ amount: -short, owners: [] }])
        : undefined
    if (short <= 0n) sums.delete(to0x(this.ids.avax))
    const received = [...sums].map(([key, amount]) => ({ assetId: fromHex(key), amount }))
    const signed = [...(base?.inputs ?? []), ...inputs]
    const credentials = signed.map(({ signers }) => ({ typeId: 9 as const, keys: signers }))
    try {
      const order = { to, from, owner, base: base?.base, received, inputs }
      return await this.#issue(to, this.#importOf(order), credentials)
    } catch (error) {
      base?.release()
      throw error
    }
  }

  #importOf(order: {
    readonly to: Ledger
    readonly from: Ledger
    readonly owner: Key
    readonly base: Base | undefined
    readonly received: readonly { readonly assetId: Uint8Array; readonly amount: bigint }[]
    readonly inputs: readonly Input[]
  }): Uint8Array {
    const { to, from, owner, received, inputs } = order
    const head = { networkId: this.ids.networkId, blockchainId: this.ids.chains[to] }
    const sourceChain = this.ids.chains[from]
    const importedInputs = inputs.map(({ input }) => input)
    if (to === 'C') {
      return encode(versioned(cUnsigned), {
        typeId: 0,
        ...head,
        sourceChain,
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing stakeable crosses
        importedInputs: importedInputs as Extract<CUnsigned, { typeId: 0 }>['importedInputs'],
        outputs: received.map((one) => ({ address: owner.evm, ...one })),
      })
    }
    const payments = received.map((one) => ({ ...one, owners: [owner.address] }))
    const base = {
      ...head,
      outputs: [...(order.base?.outputs ?? []), ...this.outputs(payments)].toSorted(byBytes),
      inputs: order.base?.inputs ?? [],
      memo: new Uint8Array(),
      sourceChain,
      importedInputs,
    }
    return to === 'P'
      ? encode(versioned(pUnsigned), { typeId: 17, ...base })
      : // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing stakeable crosses
        encode(versioned(xUnsigned), { typeId: 3, ...base } as Extract<XUnsigned, { typeId: 3 }>)
  }

  /** An asset besides AVAX of which our keys have something on a chain. */
  async otherAsset(chain: 'P' | 'X'): Promise<Uint8Array> {
    const found = (await this.#spendable(chain, undefined)).find(
      ({ input }) => !equalBytes(input.assetId, this.ids.avax),
    )
    if (found === undefined) throw new Error(`${chain}: nothing but AVAX`)
    return found.input.assetId
  }

  /** Exports AVAX of an EVM address of the C-Chain. */
  async exportFromC(to: 'P' | 'X', from: Key, payment: Payment): Promise<Uint8Array> {
    try {
      return await this.#exportFromC(to, from, payment)
    } catch {
      // Somebody else's transaction had its nonce.
      return await this.#exportFromC(to, from, payment)
    }
  }

  async #exportFromC(to: 'P' | 'X', from: Key, payment: Payment): Promise<Uint8Array> {
    const address = to0x(from.evm)
    const nonce = await this.#node().ask('/ext/bc/C/rpc', 'eth_getTransactionCount', [
      address,
      'latest',
    ])
    const { output } = this.output(payment)
    if (output.typeId !== 7) throw new Error('nothing stakeable crosses')
    const transaction: CUnsigned = {
      typeId: 1,
      networkId: this.ids.networkId,
      blockchainId: this.ids.chains.C,
      destinationChain: this.ids.chains[to],
      inputs: [
        {
          address: from.evm,
          // A block of the C-Chain that comes early costs more.
          amount: payment.amount + highFee,
          assetId: this.ids.avax,
          nonce: BigInt(String(nonce)),
        },
      ],
      exportedOutputs: [{ assetId: this.ids.avax, output }],
    }
    return this.#issue('C', encode(versioned(cUnsigned), transaction), [
      { typeId: 9, keys: [from] },
    ])
  }

  /** All unspent outputs of our keys on the X-Chain. */
  async xUtxos(): Promise<readonly XUtxo[]> {
    const all = await this.#fetch('X', undefined)
    return all.map((bytes) => decode(xUtxo, bytes))
  }

  async #base(
    chain: 'P' | 'X',
    payments: readonly Payment[],
    burns: readonly Payment[],
  ): Promise<Funded> {
    const assets = new Map<string, bigint>()
    const add = (assetId: Uint8Array, amount: bigint): void => {
      const key = to0x(assetId)
      assets.set(key, (assets.get(key) ?? 0n) + amount)
    }
    for (const { assetId = this.ids.avax, amount } of [...payments, ...burns]) add(assetId, amount)
    const chosen: Input[] = []
    const change: Payment[] = []
    const free = (await this.#spendable(chain, undefined)).toSorted((a, b) =>
      amountOf(a.input) < amountOf(b.input) ? -1 : 1,
    )
    for (const [key, wanted] of assets) {
      const assetId = fromHex(key)
      let sum = 0n
      for (const one of free) {
        if (sum >= wanted) break
        if (!equalBytes(one.input.assetId, assetId)) continue
        chosen.push(one)
        sum += amountOf(one.input)
      }
      if (sum < wanted) throw new Error(`${chain}: too little of ${key}: ${sum} of ${wanted}`)
      const owner = this.keys[0]
      if (sum > wanted && owner !== undefined)
        change.push({ amount: sum - wanted, owners: [owner.address], assetId })
    }
    const inputs = sorted(chosen)
    const keys = inputs.map(({ input }) => outputKeyOf(input.txId, input.outputIndex))
    for (const key of keys) this.#taken.add(key)
    return {
      inputs,
      base: {
        networkId: this.ids.networkId,
        blockchainId: this.ids.chains[chain],
        outputs: this.outputs([...payments, ...change]),
        inputs: inputs.map(({ input }) => input),
        memo: new Uint8Array(),
      },
      release: () => {
        for (const key of keys) this.#taken.delete(key)
      },
    }
  }

  /** UTXOs that our keys can spend now on `chain`, from another where `from` is one. */
  async #spendable(chain: Ledger, from: Ledger | undefined): Promise<Input[]> {
    const now = BigInt(Math.floor(Date.now() / 1_000)) - 5n
    return (await this.#fetch(chain, from)).flatMap((bytes) => {
      const utxo = chain === 'P' ? decode(pUtxo, bytes) : decode(xUtxo, bytes)
      const { txId, outputIndex, assetId, output } = utxo
      const isLocked = output.typeId === 22 && output.locktime > now
      if ((output.typeId !== 7 && output.typeId !== 22) || isLocked) return []
      const content = output.typeId === 22 ? output.output : output
      const signers = content.addresses.flatMap((address, at) => {
        const key = this.keys.find((one) => equalBytes(one.address, address))
        return key === undefined ? [] : [{ at, key }]
      })
      const isOurs = signers.length >= content.threshold && content.locktime <= now
      if (!isOurs || this.#taken.has(outputKeyOf(txId, outputIndex))) return []
      const used = signers.slice(0, content.threshold)
      const plain = {
        typeId: 5,
        amount: content.amount,
        signatureIndices: used.map(({ at }) => at),
      } as const
      const input =
        output.typeId === 22
          ? ({ typeId: 21, locktime: output.locktime, input: plain } as const)
          : plain
      return [{ input: { txId, outputIndex, assetId, input }, signers: used.map(({ key }) => key) }]
    })
  }

  async #fetch(chain: Ledger, from: Ledger | undefined): Promise<Uint8Array[]> {
    const [path, method] = {
      P: ['/ext/bc/P', 'platform.getUTXOs'],
      X: ['/ext/bc/X', 'avm.getUTXOs'],
      C: ['/ext/bc/C/avax', 'avax.getUTXOs'],
    }[chain] as [string, string]
    const reply = await this.#node().call(path, method, {
      addresses: this.keys.map(({ address }) => this.address(chain, address)),
      ...(from === undefined ? {} : { sourceChain: toCb58(this.ids.chains[from]) }),
      limit: 1_024,
      encoding: 'hex',
    })
    return (reply['utxos'] as string[]).map((hex) => fromHex(hex).slice(0, -4))
  }

  async #issue(
    chain: Ledger,
    unsigned: Uint8Array,
    signed: readonly { readonly typeId: number; readonly keys: readonly Key[] }[],
  ): Promise<Uint8Array> {
    const hash = sha256(unsigned)
    const parts = signed.map(({ typeId, keys }) =>
      concatBytes(uint32(typeId), uint32(keys.length), ...keys.map((key) => sign(hash, key))),
    )
    const bytes = concatBytes(unsigned, uint32(signed.length), ...parts)
    if (chain === 'C') decode(cTransactionAlone, bytes)
    const tx = to0x(concatBytes(bytes, sha256(bytes).subarray(28)))
    const [path, method] = {
      P: ['/ext/bc/P', 'platform.issueTx'],
      X: ['/ext/bc/X', 'avm.issueTx'],
      C: ['/ext/bc/C/avax', 'avax.issueTx'],
    }[chain] as [string, string]
    const issue = async (): Promise<string> =>
      String((await this.#node().call(path, method, { tx, encoding: 'hex' }))['txID'])
    const txId = await issue()
    let status = ''
    let left = chain === 'X' ? 0 : triesOfDropped
    await settled(`${chain} accepts ${txId}`, async () => {
      status = String(await this.#status(chain, txId))
      if (status !== 'Dropped' || left-- === 0) return final.has(status)
      // It did not fit the block that this node built: another one has it, or it is sent again.
      await pause(againAfterMs)
      await issue().catch(() => undefined)
      return false
    })
    if (status === 'Dropped' || status === 'Aborted')
      throw new Error(`${chain} transaction ${txId}: ${status}`)
    return parseId(txId)
  }

  async #status(chain: Ledger, txID: string): Promise<unknown> {
    const [path, method] = {
      P: ['/ext/bc/P', 'platform.getTxStatus'],
      X: ['/ext/bc/X', 'avm.getTxStatus'],
      C: ['/ext/bc/C/avax', 'avax.getAtomicTxStatus'],
    }[chain] as [string, string]
    return (await this.#node().call(path, method, { txID }))['status']
  }
}

/** Outputs and inputs of the X-Chain lack what can be staked. */
export type XBase = Omit<Extract<XUnsigned, { typeId: 0 }>, 'typeId'>

/** An unspent output of the X-Chain. */
export type XUtxo = {
  readonly txId: Uint8Array
  readonly outputIndex: number
  readonly assetId: Uint8Array
  readonly output: XOutput
}

type Funded = {
  readonly base: Base
  readonly inputs: readonly Input[]
  readonly release: () => void
}

function amountOf({ input }: PTransferableInput): bigint {
  return input.typeId === 21 ? input.input.amount : input.amount
}

function byBytes(a: PTransferableOutput, b: PTransferableOutput): number {
  return compareBytes(encode(pTransferableOutput, a), encode(pTransferableOutput, b))
}

function sorted(inputs: readonly Input[]): Input[] {
  return inputs.toSorted(
    (a, b) => compareBytes(a.input.txId, b.input.txId) || a.input.outputIndex - b.input.outputIndex,
  )
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}
