/** Messages between the C-Chain and the L1, both ways: sent, signed by Firn, delivered, receipted. */

import assert from 'node:assert/strict'

import { concatBytes, fromBigint, to0x, toHex } from '../../src/core/bytes.ts'
import { parseId, toCb58 } from '../../src/core/cb58.ts'
import { keccak256 } from '../../src/core/hash.ts'
import { predicateOf } from './evm-steps.ts'
import { EvmWallet } from './evm-wallet.ts'
import { ewoq, keyNamed } from './keys.ts'
import { type L1, warpPrecompile } from './l1-steps.ts'
import {
  type Message,
  messengerAddress,
  messengerCreation,
  messengerMaker,
  receiveCall,
  sendCall,
} from './messenger.ts'
import { list, text, type JsonObject } from './node-rpc.ts'
import { settled } from './real-network.ts'
import type { Signing } from './warp-steps.ts'

/** One end: its chain's id, who pays there, and whose validators vouch for what arrives there. */
type End = {
  readonly chainId: Uint8Array
  readonly evm: EvmWallet
  /** Absent: those of the chain that sends. */
  readonly signingSubnetId?: string
}

/** Both ends, and how many messages each has sent. */
export type Messengers = { readonly c: End; readonly l1: End; readonly sent: Map<End, bigint> }

/** Makes the messenger on both chains, at the same address. */
export async function makeMessengers(scene: Signing, l1: L1): Promise<Messengers> {
  const node = (): ReturnType<Signing['network']['node']> => scene.network.node(1)
  for (const [wallet, path] of [
    [scene.c, '/ext/bc/C/rpc'],
    [l1.evm, l1.path],
  ] as const) {
    await wallet.send({ to: messengerMaker.evm, value: 10n ** 19n })
    const made = await new EvmWallet(node, path, messengerMaker).send({ data: messengerCreation })
    assert.equal(made['contractAddress'], to0x(messengerAddress))
  }
  const { blockchainID } = await node().call('/ext/info', 'info.getBlockchainID', { alias: 'C' })
  scene.say('a messenger lies on the C-Chain and on the L1')
  return {
    c: { chainId: parseId(String(blockchainID)), evm: scene.c },
    // What the primary network says is verified on an L1 by the validators of the L1.
    l1: { chainId: l1.chainId, evm: l1.evm, signingSubnetId: toCb58(l1.subnetId) },
    sent: new Map(),
  }
}

/**
 * A message from the C-Chain is delivered on the L1, and one back with the receipt of the first; a
 * second delivery is refused. `between` happens after a message was sent and before it is signed.
 */
export async function talkBothWays(
  scene: Signing,
  { c, l1, sent }: Messengers,
  between: () => Promise<void> = async () => undefined,
): Promise<void> {
  const { firns, say } = scene
  const [sqlite, postgres] = firns
  const there = await send({ from: c, to: l1, sent, text: 'to the L1' })
  await between()
  const signed = await delivered(() => sqlite.sign(there.request), l1)
  assert.equal(await takes(l1, signed), false, 'delivered twice')
  const receipt = { nonce: there.nonce, relayer: ewoq.evm }
  const back = await send({ from: l1, to: c, sent, text: 'to the C-Chain', receipt })
  await between()
  await delivered(() => postgres.sign(back.request), c)
  const waiting = await send({ from: l1, to: c, sent, text: 'never delivered' })
  await Promise.all(firns.map((firn) => firn.caughtUp()))
  for (const firn of firns) {
    const stateOf = async (id: string): Promise<string> => {
      const { status, receiptDelivered } = await firn.get(`/v1/icm/messages/${id}`)
      return `${String(status)} ${String(receiptDelivered)}`
    }
    await settled(`${firn.name} joined the messages`, async () => {
      const states = await Promise.all([there, back, waiting].map(({ id }) => stateOf(id)))
      if (states.join() === 'delivered true,delivered false,pending false') return true
      const { messages } = await firn.get('/status')
      throw new Error(`${states.join()}: ${JSON.stringify(messages)}`)
    })
  }
  say('messages went both ways, with a receipt')
}

type Sent = {
  /** Hex without 0x. */
  readonly id: string
  readonly nonce: bigint
  /** For operation 1. */
  readonly request: object
}

async function send(of: {
  readonly from: End
  readonly to: End
  readonly sent: Map<End, bigint>
  readonly text: string
  readonly receipt?: NonNullable<Message['receipt']>
}): Promise<Sent> {
  const { from, to, receipt } = of
  const nonce = (of.sent.get(from) ?? 0n) + 1n
  of.sent.set(from, nonce)
  const call = sendCall({
    nonce,
    sender: ewoq.evm,
    destinationChainId: to.chainId,
    destination: keyNamed('first').evm,
    data: new TextEncoder().encode(of.text),
    ...(receipt === undefined ? {} : { receipt }),
  })
  const done = await from.evm.send({ to: messengerAddress, data: call })
  const words = [from.chainId, to.chainId, fromBigint(nonce, 32)]
  const id = keccak256(concatBytes(new Uint8Array(12), messengerAddress, ...words))
  const { signingSubnetId } = to
  const subnet = signingSubnetId === undefined ? {} : { signingSubnetId }
  return { id: toHex(id), nonce, request: { message: warpLogOf(done), ...subnet } }
}

function warpLogOf(receipt: JsonObject): string {
  const log = list(receipt, 'logs').find(({ address }) => address === to0x(warpPrecompile))
  if (log === undefined) throw new Error('no message was sent')
  return text(log, 'data')
}

/**
 * Signs and delivers until the chain takes it: it verifies with the validators of its own epoch, which
 * begins with a block after theirs. Gives the signed message.
 */
async function delivered(
  sign: () => ReturnType<Signing['firns'][0]['sign']>,
  to: End,
): Promise<Uint8Array> {
  let signed: Uint8Array | undefined
  await settled('a message arrives', async () => {
    const { message, text: said } = await sign()
    if (message === undefined) throw new Error(said)
    signed = message
    return takes(to, message)
  })
  if (signed === undefined) throw new Error('not signed')
  return signed
}

async function takes({ evm }: End, signed: Uint8Array): Promise<boolean> {
  const accessList = [[warpPrecompile, predicateOf(signed)]] as const
  const data = receiveCall(keyNamed('second').evm)
  const receipt = await evm.send({ to: messengerAddress, data, accessList }, true)
  return receipt['status'] === '0x1'
}
