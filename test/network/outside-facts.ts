/** What the program from outside compares, and what it compares with. */

import type { NodeRpc, Told } from './node-rpc.ts'

/** A fact in the words of both sides. */
export type Fact = {
  readonly kind: string
  readonly subject: string
  readonly ours: unknown
  readonly theirs: unknown
}

/** What is compared: answers of the API, the node, and all P-Chain transactions as it tells them. */
export type Sides = {
  readonly get: (path: string) => Promise<Told>
  readonly all: (path: string, key: string) => Promise<Told[]>
  readonly node: NodeRpc
  readonly transactions: readonly Told[]
  /** UTXOs on P of everybody, as the node has them now. */
  readonly utxos: readonly {
    readonly txId: string
    readonly index: number
    readonly amount: string
  }[]
}
