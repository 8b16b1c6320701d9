/** A relayer: takes what a chain sent to the validators who sign it, and delivers it. */

import { setTimeout as pause } from 'node:timers/promises'

import { concatBytes, fromHex, to0x } from '../../src/core/bytes.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { parseRequest } from '../../src/warp/aggregation/request.ts'
import type { Aggregator } from '../../src/warp/aggregator.ts'
import { openAggregator } from '../../src/warp/open-aggregator.ts'
import { warpPrecompile } from '../../test/network/l1-steps.ts'
import { list, type JsonObject } from '../../test/network/node-rpc.ts'
import type { Scene } from '../../test/network/scene.ts'
import { liveWorld } from '../../test/support/chains/live-world.ts'
import { callOf } from './abi.ts'
import { type Chain, keyOf } from './stage.ts'

/** A message as the data of its log, and who is to sign it. */
export type Sent = { readonly message: string; readonly signingSubnetId?: string }

/** A relayer on the demo. */
export class Relay {
  readonly #aggregator: Aggregator
  readonly #networkId: number
  readonly #scene: Scene
  /** Everything that was signed, in order. */
  readonly signed: Sent[] = []

  private constructor(scene: Scene, networkId: number, aggregator: Aggregator) {
    this.#scene = scene
    this.#networkId = networkId
    this.#aggregator = aggregator
  }

  /** A relayer that asks node 1 who validates. */
  static async open(scene: Scene): Promise<Relay> {
    const { networkId } = scene.wallet.ids
    const aggregator = await openAggregator(liveWorld(7), silentLog, {
      networkId,
      nodeUrl: scene.network.url(1),
      stakingKeyDir: 'staking',
      peers: [],
      allowPrivateIps: true,
      timeoutMs: 30_000,
      maxLookback: 1_000,
    })
    return new Relay(scene, networkId, aggregator)
  }

  /** The signed message. */
  async sign(sent: Sent): Promise<Uint8Array> {
    this.signed.push(sent)
    const request = parseRequest({ ...sent }, this.#networkId)
    return this.#aggregator.aggregate(request, AbortSignal.timeout(60_000))
  }

  /** The signed message of a P-Chain transaction. */
  signTransaction(txId: Uint8Array): Promise<Uint8Array> {
    return this.#aggregator.aggregateTransaction(txId, AbortSignal.timeout(60_000))
  }

  /**
   * Delivers a message of a messenger to the one at `messenger`. Right after a change of validators
   * a chain may still verify with those before it: then it is tried again.
   */
  async deliver(sent: Sent, to: Chain, messenger: Uint8Array): Promise<JsonObject> {
    const redeemer = keyOf('relayer').evm
    for (let attempt = 1; ; attempt++) {
      const signed = await this.sign(sent)
      const receipt = await to.of.relayer.send(
        {
          to: messenger,
          data: callOf('receiveMessage(address)', redeemer),
          gas: 2_000_000n,
          accessList: [[warpPrecompile, predicateOf(signed)]],
        },
        true,
      )
      if (receipt['status'] === '0x1') return receipt
      this.#scene.say(`${to.name} does not take the message yet: try ${attempt}`)
      if (attempt === 8) throw new Error('a message cannot be delivered')
      this.signed.pop()
      await pause(4_000)
    }
  }

  close(): Promise<void> {
    return this.#aggregator.close()
  }
}

/** The data of the message that a transaction sent. */
export function sentBy(receipt: JsonObject): string {
  const log = list(receipt, 'logs').find((one) => one['address'] === to0x(warpPrecompile))
  if (log === undefined) throw new Error('the transaction sent no message')
  return String(log['data'])
}

/** A signed message as the keys of an access list. */
function predicateOf(signed: Uint8Array): Uint8Array[] {
  const padding = new Uint8Array((32 - ((signed.length + 1) % 32)) % 32)
  const bytes = concatBytes(signed, fromHex('ff'), padding)
  return Array.from({ length: bytes.length / 32 }, (_, at) => bytes.slice(at * 32, at * 32 + 32))
}
