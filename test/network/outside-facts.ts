/** Facts that the program from outside compares, and their sources. */

import type { NodeRpc, JsonObject } from './node-rpc.ts'

/** A fact in the words of both sides. */
export type Fact = {
  readonly kind: string
  readonly subject: string
  readonly ours: unknown
  readonly theirs: unknown
}

/**
 * Sides of the comparison: answers of the API, the node, and all P-Chain transactions by the node.
 */
export type Sides = {
  readonly get: (path: string) => Promise<JsonObject>
  readonly all: (path: string, key: string) => Promise<JsonObject[]>
  readonly node: NodeRpc
  readonly transactions: readonly JsonObject[]
  /** UTXOs on P of everybody, as the node has them now. */
  readonly utxos: readonly {
    readonly txId: string
    readonly index: number
    readonly amount: string
  }[]
}
