/** Signatures of a real network, aggregated in this process, and compared with what its node says. */

import assert from 'node:assert/strict'

import { decode, encode } from '../../src/codec/cursor.ts'
import { l1Message, l1MessageTypes } from '../../src/codec/warp/l1-message.ts'
import { decodeBitSet, decodeSigned, unsignedMessage } from '../../src/codec/warp/message.ts'
import { payloadTypes, warpPayload } from '../../src/codec/warp/payload.ts'
import { fromHex, toHex } from '../../src/core/bytes.ts'
import { parseId } from '../../src/core/cb58.ts'
import type { World } from '../../src/core/world.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { parseRequest } from '../../src/warp/aggregation/request.ts'
import type { Aggregator } from '../../src/warp/aggregator.ts'
import { createNode, type Node } from '../../src/warp/node.ts'
import { openAggregator } from '../../src/warp/open-aggregator.ts'
import { canonicalSet, equalSets } from '../../src/warp/validator-set.ts'
import { liveWorld } from '../support/chains/live-world.ts'

const never = new AbortController().signal
const primary = new Uint8Array(32)

/** A node, and one of the conversions of its network. */
export type LiveWarp = { readonly nodeUrl: string; readonly conversion: string }

/** All of it. */
export async function checkLiveWarp(live: LiveWarp): Promise<void> {
  const world = liveWorld(42)
  const node = createNode(world.transport, live.nodeUrl)
  await blockIsSigned(live, world, node)
  await setsAreMerged(node)
  await conversionIsSigned(live, world)
}

function openLive(world: World, networkId: number, nodeUrl: string): Promise<Aggregator> {
  return openAggregator(world, silentLog, {
    networkId,
    nodeUrl,
    stakingKeyDir: 'staking',
    peers: [],
    allowPrivateIps: true,
    timeoutMs: 30_000,
    maxLookback: 1_000,
  })
}

type Named = { networkID: string; blockchainID: string; hash: string }

/** An accepted C-Chain block is signed by enough of the primary network. */
async function blockIsSigned({ nodeUrl }: LiveWarp, world: World, node: Node): Promise<void> {
  const ask = async (path: string, method: string, params: object) =>
    (await node.call(path, method, { ...params }, never)) as Named
  const { networkID } = await ask('/ext/info', 'info.getNetworkID', {})
  const { blockchainID } = await ask('/ext/info', 'info.getBlockchainID', { alias: 'C' })
  const reply = await world.transport.request({
    url: `${nodeUrl}/ext/bc/C/rpc`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest",false]}',
    timeoutMs: 10_000,
    maxBytes: 1_000_000,
  })
  const block = JSON.parse(new TextDecoder().decode(reply.body)) as { result: Named }
  const payload = encode(warpPayload, {
    typeId: payloadTypes.hash,
    hash: fromHex(block.result.hash),
  })
  const networkId = Number(networkID)
  const message = encode(unsignedMessage, {
    networkId,
    sourceChainId: parseId(blockchainID),
    payload,
  })
  const aggregator = await openLive(world, networkId, nodeUrl)
  try {
    const request = parseRequest({ message: toHex(message) }, networkId)
    const signed = decodeSigned(await aggregator.aggregate(request, never))
    const set = canonicalSet(await node.validatorsAt(primary, await node.height(never), never))
    let weight = 0n
    for (const index of decodeBitSet(signed.signature.signers)) {
      weight += set.signers[index]?.weight ?? 0n
    }
    assert.ok(weight * 100n >= set.totalWeight * 67n)
  } finally {
    await aggregator.close()
  }
}

/** The node merges validators as we do. */
async function setsAreMerged(node: Node): Promise<void> {
  const height = await node.height(never)
  const answer = (await node.call(
    '/ext/bc/P',
    'platform.getAllValidatorsAt',
    { height: String(height) },
    never,
  )) as {
    validatorSets: Record<
      string,
      {
        totalWeight: string
        validators: { publicKey: string; weight: string; nodeIDs: string[] }[]
      }
    >
  }
  for (const [subnet, validatorSet] of Object.entries(answer.validatorSets)) {
    const own = canonicalSet(await node.validatorsAt(parseId(subnet), height, never))
    const signers = validatorSet.validators.map(({ publicKey, weight, nodeIDs }) => ({
      publicKey: fromHex(publicKey),
      keyHex: publicKey.slice(2),
      weight: BigInt(weight),
      nodeIds: nodeIDs,
    }))
    assert.ok(equalSets(own, { signers, totalWeight: BigInt(validatorSet.totalWeight) }), subnet)
  }
}

/** A conversion is signed for the manager of its L1. */
async function conversionIsSigned({ nodeUrl, conversion }: LiveWarp, world: World): Promise<void> {
  const aggregator = await openLive(world, await networkIdOf(world, nodeUrl), nodeUrl)
  try {
    const signed = await aggregator.aggregateTransaction(parseId(conversion), never)
    const call = decode(warpPayload, decodeSigned(signed).message.payload)
    assert.ok(call.typeId === payloadTypes.addressedCall)
    const said = decode(l1Message, call.payload)
    assert.equal(said.typeId, l1MessageTypes.subnetToL1Conversion)
  } finally {
    await aggregator.close()
  }
}

async function networkIdOf(world: World, nodeUrl: string): Promise<number> {
  const node = createNode(world.transport, nodeUrl)
  const answer = (await node.call('/ext/info', 'info.getNetworkID', {}, never)) as Named
  return Number(answer.networkID)
}
