import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { Avalanche } from '@avalanche-sdk/chainkit'

import type { Operation } from '../../src/api/operation/operation.ts'
import { warpOperations } from '../../src/api/operations.ts'
import { primaryDialectRules } from '../../src/api/server/dialect.ts'
import { createServer } from '../../src/api/server/server.ts'
import { decode } from '../../src/codec/cursor.ts'
import { conversionData } from '../../src/codec/warp/l1-message.ts'
import { decodeSigned } from '../../src/codec/warp/message.ts'
import { fromHex, to0x } from '../../src/core/bytes.ts'
import { toCb58 } from '../../src/core/cb58.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import type { L1Transaction, MessageSource } from '../../src/warp/messages/message-source.ts'
import { realWorld, startNetwork } from '../support/nodes/warp-network.ts'
import {
  type Answered,
  noteAnswers,
  provesOperations,
} from '../support/services/proven-operations.ts'

const read = (name: string): string =>
  readFileSync(new URL(`../../vectors/warp/${name}`, import.meta.url), 'utf8')
const { messages }: { messages: { name: string; unsignedMessage: string }[] } = JSON.parse(
  read('canonical-set-and-messages.json'),
)
const { conversion }: { conversion: { conversionData: string; payload: string } } = JSON.parse(
  read('justifications.json'),
)
const message = messages.find(({ name }) => name === 'l1ValidatorRegistration')!.unsignedMessage

const converted = new Uint8Array(32).fill(1)
const plain = new Uint8Array(32).fill(2)
const data = decode(conversionData, fromHex(conversion.conversionData))
const history: MessageSource = {
  transaction: async (txId): Promise<L1Transaction | undefined> => {
    if (txId[0] === 1) return { kind: 'conversion', conversion: data }
    return txId[0] === 2 ? { kind: 'none', type: 'BaseTx' } : undefined
  },
  validation: async () => undefined,
  managerChain: async () => undefined,
}

type Reply = { status: number; body: { signedMessage?: string; message?: string } }

const services: Answered[] = []

void test('signature API: answers and errors, and the official client reads them', async () => {
  const sign = { kind: 'sign' } as const
  const refuse = { kind: 'refuse', code: 1 } as const
  const behaviours = [sign, sign, sign, sign, refuse]
  const network = await startNetwork({ behaviours, messages: history })
  // The manager of the vectors' conversion lives on a chain of the primary network here.
  network.state.chains[Buffer.from(data.managerChainId).toString('hex')] = '00'.repeat(32)
  const operations = Object.values<Operation>(
    warpOperations({
      aggregators: { fuji: { networkId: 12_345, aggregator: network.aggregator } },
    }),
  )
  const server = createServer({
    operations,
    dialectRules: primaryDialectRules,
    dialect: 'auto',
    log: silentLog,
    clock: realWorld().clock,
    limits: { maxConnections: 10, requestTimeoutMs: 10_000, handlerTimeoutMs: 10_000 },
  })
  services.push(noteAnswers(server, operations))
  const url = await server.listen('127.0.0.1', 0)
  const path = '/v1/signatureAggregator/fuji/aggregateSignatures'
  const post = async (body: unknown, name = 'fuji'): Promise<Reply> => {
    const reply = await fetch(url + path.replace('fuji', name), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: reply.status, body: (await reply.json()) as Reply['body'] }
  }
  const get = async (txHash: string): Promise<Reply> => {
    const reply = await fetch(`${url}${path}/${txHash}`)
    return { status: reply.status, body: (await reply.json()) as Reply['body'] }
  }
  try {
    const done = await post({ message, quorumPercentage: 67 }, 'testnet')
    assert.equal(done.status, 200)
    assert.match(done.body.signedMessage ?? '', /^[0-9a-f]+$/)
    assert.equal(to0x(decodeSigned(fromHex(done.body.signedMessage!)).unsigned), message)

    const short = await post({ message, quorumPercentage: 90 })
    assert.equal(short.status, 400)
    // What the public front end looks for.
    assert.match(short.body.message ?? '', /threshold of (stake|signatures)/)
    const words = /signature weight is insufficient: (\d+)\*(\d+) > 100\*(\d+)/
    const [quorum, total] = words
      .exec(short.body.message ?? '')!
      .slice(1)
      .map(Number)
    assert.deepEqual([quorum, total], [90, 500])
    assert.match(short.body.message ?? '', new RegExp(network.validators[4]!.nodeId))

    const wrong: [unknown, number, RegExp][] = [
      [{}, 400, /either message or justification/],
      [{ message: '00', justification: '0x0000' }, 400, /either message or justification/],
      [{ message: 'xyz' }, 400, /message is not hex/],
      [{ message: '0x123' }, 400, /message is not hex/],
      [{ message: '0x1234' }, 400, /not an unsigned warp message/],
      [{ message: `${message}00` }, 400, /not an unsigned warp message/],
      [{ message: messages[3]!.unsignedMessage }, 400, /another network than 12345: 5/],
      [{ message, justification: 'zz' }, 400, /justification is not hex/],
      [{ message, quorumPercentage: 101 }, 400, /quorumPercentage/],
      [{ message, quorumPercentage: 60.5 }, 400, /quorumPercentage/],
      [
        { message, quorumPercentage: 67, quorumPercentageBuffer: 34 },
        400,
        /exceed 100 together: 101/,
      ],
      [{ message, quorumPercentageBuffer: 40 }, 400, /exceed 100 together: 107/],
      [{ message, signingSubnetId: 'abc' }, 400, /signingSubnetId is neither hex nor cb58/],
      [{ message, signingSubnetId: 'ab'.repeat(32) }, 404, /getSubnet/],
      [{ message, pChainHeight: -1 }, 400, /pChainHeight/],
      [{ message, pChainHeight: 1.5 }, 400, /pChainHeight/],
      [{ message, pChainHeight: '90' }, 400, /pChainHeight/],
      [{ message: 5 }, 400, /message/],
      [{ message: `0x${'11'.repeat(65_537)}` }, 400, /message/],
      [{ message, justification: '11'.repeat(24_577) }, 400, /justification/],
      [[], 400, /body/],
      ['words', 400, /body/],
      [null, 400, /body/],
      [{ message, pChainHeight: 101 }, 400, /above the last accepted one: 101/],
      [{ justification: '0x01' }, 400, /neither a subnet id nor an origin/],
    ]
    for (const [body, status, pattern] of wrong) {
      const reply = await post(body)
      assert.equal(reply.status, status, JSON.stringify([reply.body, body]).slice(0, 300))
      assert.match(String(reply.body.message), pattern)
    }
    assert.equal((await post({ message }, 'mainnet')).status, 404)
    assert.equal((await post({ message }, 'moon')).status, 400)

    const converting = await get(toCb58(converted))
    assert.equal(converting.status, 200)
    const said = to0x(decodeSigned(fromHex(converting.body.signedMessage!)).message.payload)
    assert.ok(said.endsWith(conversion.payload.slice(2)))
    assert.deepEqual(
      [(await get(toCb58(plain))).status, (await get('not-an-id')).status],
      [400, 400],
    )
    assert.equal((await get(toCb58(new Uint8Array(32)))).status, 404)

    const { signatureAggregator } = new Avalanche({ enableTelemetry: false }).data
    // The client's own default for these operations is the hosted service.
    const options = { serverURL: url, retries: { strategy: 'none' } } as const
    const viaPost = await signatureAggregator.aggregate(
      { network: 'fuji', signatureAggregatorRequest: { message, quorumPercentage: 67 } },
      options,
    )
    assert.equal(viaPost.signedMessage, done.body.signedMessage)
    const viaGet = await signatureAggregator.get(
      { network: 'fuji', txHash: toCb58(converted) },
      options,
    )
    assert.equal(viaGet.signedMessage, converting.body.signedMessage)
  } finally {
    await server.close()
    await network.close()
  }
})

provesOperations(services, ['aggregateSignatures', 'getAggregatedSignatures'])
