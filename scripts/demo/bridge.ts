/** Messages between the chains of the demo: a token that crosses, comes back, and is turned away. */

import { concatBytes, fromBigint, fromHex } from '../../src/core/bytes.ts'
import { keccak256 } from '../../src/core/hash.ts'
import { list, type JsonObject } from '../../test/network/node-rpc.ts'
import type { Scene } from '../../test/network/scene.ts'
import { hexOf } from './abi.ts'
import { type Market, sameAddress } from './market.ts'
import { type Relay, type Sent, sentBy } from './relay.ts'
import { call, type Cast, type Chain, type Codes, deploy, keyOf } from './stage.ts'

const coin = 10n ** 18n
const all = (1n << 256n) - 1n

/** Chains with a messenger at one address, a bridge on the first, and its token on the others. */
export type Bridges = {
  readonly home: Chain
  readonly harbor: Chain
  readonly c: Chain
  readonly messenger: Uint8Array
  readonly bridge: Uint8Array
  readonly onHarbor: Uint8Array
  readonly onC: Uint8Array
  readonly market: Market
}

/** The messenger of a chain: the first thing that the builder makes, so that it lies where the others do. */
export function makeMessenger(codes: Codes, chain: Chain): Promise<Uint8Array> {
  return deploy(codes, chain.of.builder, { name: 'Messenger' })
}

/** Makes the bridge and its tokens. */
export async function build(
  codes: Codes,
  of: Pick<Bridges, 'home' | 'harbor' | 'c' | 'market'> & {
    readonly messengers: readonly Uint8Array[]
  },
): Promise<Bridges> {
  const { home, harbor, c, market, messengers } = of
  const messenger = messengers.reduce(sameAddress)
  const bridge = await deploy(codes, home.of.builder, {
    name: 'Bridge',
    with: [messenger, market.token],
  })
  const remote = (chain: Chain, mark: string): Promise<Uint8Array> =>
    deploy(codes, chain.of.builder, {
      name: 'BridgedToken',
      with: [messenger, `Glacier on ${chain.name}`, `GLC.${mark}`],
    })
  const [onHarbor, onC] = await Promise.all([remote(harbor, 'h'), remote(c, 'c')])
  const { trader } = home.of
  await call(trader, market.token, 'approve(address,uint256)', bridge, all)
  await call(trader, market.stable, 'approve(address,uint256)', messenger, all)
  return { home, harbor, c, messenger, bridge, onHarbor, onC, market }
}

/** Sends tokens from home to another chain; the transaction. */
async function cross(bridges: Bridges, to: 'harbor' | 'c', tokens: bigint): Promise<JsonObject> {
  const { home, bridge, market, onHarbor, onC } = bridges
  const fee = [market.stable, 2_000_000n] as const
  const signature = 'cross(bytes32,address,address,uint256,(address,uint256))'
  return call(
    home.of.trader,
    bridge,
    signature,
    bridges[to].blockchainId,
    to === 'harbor' ? onHarbor : onC,
    keyOf('traveller').evm,
    tokens * coin,
    ...fee,
  )
}

/** Sends tokens of the traveller back home; the transaction. */
function crossBack(bridges: Bridges, from: 'harbor' | 'c', tokens: bigint): Promise<JsonObject> {
  const { home, bridge, onHarbor, onC } = bridges
  return call(
    bridges[from].of.traveller,
    from === 'harbor' ? onHarbor : onC,
    'crossBack(bytes32,address,address,uint256)',
    home.blockchainId,
    bridge,
    keyOf('trader').evm,
    tokens * coin,
  )
}

const topicOfFailure = `0x${Buffer.from(
  keccak256(
    new TextEncoder().encode(
      'MessageExecutionFailed(bytes32,bytes32,(uint256,address,bytes32,address,uint256,address[],(uint256,address)[],bytes))',
    ),
  ),
).toString('hex')}`

/** Everything that can happen to a message. `homeSubnet` signs what the C-Chain sends home. */
export async function sendMessages(
  scene: Scene,
  bridges: Bridges,
  with_: { readonly relay: Relay; readonly homeSubnet: string; readonly cast: Cast },
): Promise<void> {
  const { relay, homeSubnet, cast } = with_
  const { home, harbor, c, messenger, market, onHarbor } = bridges
  for (const tokens of [40n, 125n, 60n]) {
    const sent = await cross(bridges, 'harbor', tokens)
    const { message } = messageOf(sent, messenger)
    if (tokens === 125n) {
      cast.note('tx message', String(sent['transactionHash']))
      await call(home.of.trader, messenger, 'addFee(bytes32,uint256)', message, 1_500_000n)
      cast.note('deliveredMessage', message)
    }
    await relay.deliver({ message: sentBy(sent) }, harbor, messenger)
  }
  scene.say('tokens crossed to Harbor')
  const back = await crossBack(bridges, 'harbor', 30n)
  await relay.deliver({ message: sentBy(back) }, home, messenger)
  await call(home.of.relayer, messenger, 'redeem(address)', market.stable)
  scene.say('some came back, with receipts; the relayer was paid')
  await turnedAway(bridges, relay)
  scene.say('a message was turned away, and taken later')
  const toC = await cross(bridges, 'c', 75n)
  await relay.deliver({ message: sentBy(toC) }, c, messenger)
  const fromC = await crossBack(bridges, 'c', 20n)
  const signed: Sent = { message: sentBy(fromC), signingSubnetId: homeSubnet }
  await relay.deliver(signed, home, messenger)
  scene.say('tokens crossed to the C-Chain and back')
  const waiting = await cross(bridges, 'harbor', 15n)
  relay.signed.push({ message: sentBy(waiting) })
  cast.note('waitingMessage', messageOf(waiting, messenger).message)
  cast.note('waitingMessageLog', sentBy(waiting))
  cast.note('bridgedToken', onHarbor)
}

async function turnedAway(bridges: Bridges, relay: Relay): Promise<void> {
  const { harbor, home, messenger, onHarbor } = bridges
  const { builder, relayer } = harbor.of
  await call(builder, onHarbor, 'setOpen(bool)', false)
  const sent = await cross(bridges, 'harbor', 10n)
  const receipt = await relay.deliver({ message: sentBy(sent) }, harbor, messenger)
  const failure = list(receipt, 'logs').find((log) => topicsOf(log)[0] === topicOfFailure)
  if (failure === undefined) throw new Error('a closed token took a message')
  await call(builder, onHarbor, 'setOpen(bool)', true)
  // The message as its log has it, behind its own offset.
  const envelope = hexOf(failure['data']).subarray(32)
  const retry =
    'retry(bytes32,(uint256,address,bytes32,address,uint256,address[],(uint256,address)[],bytes))'
  const selector = keccak256(new TextEncoder().encode(retry)).subarray(0, 4)
  const data = concatBytes(selector, home.blockchainId, fromBigint(64n, 32), envelope)
  await relayer.send({ to: messenger, data })
}

function topicsOf(log: JsonObject): readonly string[] {
  return log['topics'] as readonly string[]
}

/** The id of the message that a transaction sent by the messenger. */
function messageOf(receipt: JsonObject, messenger: Uint8Array): { readonly message: Uint8Array } {
  const address = `0x${Buffer.from(messenger).toString('hex')}`
  const log = list(receipt, 'logs').find((one) => one['address'] === address)
  if (log === undefined) throw new Error('the messenger sent nothing')
  return { message: fromHex(topicsOf(log)[1] ?? '') }
}
