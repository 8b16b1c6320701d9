/** The two signature operations over a network of validators in this process. */

import { readFileSync } from 'node:fs'

import type { Operation } from '../../../src/api/operation/operation.ts'
import { warpOperations } from '../../../src/api/operations.ts'
import { primaryDialectRules } from '../../../src/api/server/dialect.ts'
import { createServer } from '../../../src/api/server/server.ts'
import { decode } from '../../../src/codec/cursor.ts'
import { conversionData } from '../../../src/codec/warp/l1-message.ts'
import { fromHex } from '../../../src/core/bytes.ts'
import { toCb58 } from '../../../src/core/cb58.ts'
import { defaultPeerLimits } from '../../../src/peer/limits.ts'
import { silentLog } from '../../../src/telemetry/log.ts'
import { realWorld, startNetwork } from '../nodes/warp-network.ts'

const read = (name: string): string =>
  readFileSync(new URL(`../../../vectors/warp/${name}`, import.meta.url), 'utf8')

/** Such a service; what it signs is in `message`, a transaction whose message it finds in `txHash`. */
export type SignatureService = {
  readonly url: string
  readonly message: string
  readonly txHash: string
  readonly close: () => Promise<void>
}

/** Starts four validators that sign, and the API beside them. */
export async function serveSignatures(): Promise<SignatureService> {
  const { messages }: { messages: { name: string; unsignedMessage: string }[] } = JSON.parse(
    read('canonical-set-and-messages.json'),
  )
  const message = messages.find(({ name }) => name === 'l1ValidatorRegistration')
  if (message === undefined) throw new Error('the vectors lack a message')
  const { conversion }: { conversion: { conversionData: string } } = JSON.parse(
    read('justifications.json'),
  )
  const data = decode(conversionData, fromHex(conversion.conversionData))
  const sign = { kind: 'sign' } as const
  const network = await startNetwork({
    behaviours: [sign, sign, sign, sign],
    // Nothing misbehaves here: a busy machine has all the time that the product gives.
    limits: defaultPeerLimits,
    timeoutMs: 20_000,
    messages: {
      transaction: async () => ({ kind: 'conversion', conversion: data }),
      validation: async () => undefined,
      managerChain: async () => undefined,
    },
  })
  network.state.chains[Buffer.from(data.managerChainId).toString('hex')] = '00'.repeat(32)
  const server = createServer({
    operations: Object.values<Operation>(
      warpOperations({
        aggregators: { fuji: { networkId: 12_345, aggregator: network.aggregator } },
      }),
    ),
    dialectRules: primaryDialectRules,
    dialect: 'auto',
    log: silentLog,
    clock: realWorld().clock,
    limits: { maxConnections: 10, requestTimeoutMs: 10_000, handlerTimeoutMs: 30_000 },
  })
  return {
    url: await server.listen('127.0.0.1', 0),
    message: message.unsignedMessage,
    txHash: toCb58(new Uint8Array(32).fill(1)),
    close: async () => {
      await server.close()
      await network.close()
    },
  }
}
