/** The X-Chain: assets of its three extensions, and everything that can be done with them. */

import type { XUnsignedOf } from '../../src/codec/primary/x-transaction.ts'
import { equalBytes } from '../../src/core/bytes.ts'
import { ewoq, type Key } from './keys.ts'
import type { Scene } from './scene.ts'
import type { XUtxo } from './utxo-wallet.ts'

const owner = { locktime: 0n, threshold: 1, addresses: [ewoq.address] }
const signatureIndices = [0]

type Operation = XUnsignedOf<'OperationTx'>['operations'][number]['operation']

/** Types 1 and 2: an asset that can be minted, NFTs and properties; minted, moved and burned. */
export async function workWithAssets(scene: Scene): Promise<void> {
  const { wallet, friend, say } = scene
  const assetId = await wallet.issueX({}, (base) => ({
    typeId: 1,
    ...base,
    name: 'Everything',
    symbol: 'EVE',
    denomination: 3,
    initialStates: [
      {
        fxIndex: 0,
        outputs: [
          { typeId: 6, ...owner },
          { typeId: 7, amount: 5_000n, ...owner },
        ],
      },
      { fxIndex: 1, outputs: [{ typeId: 10, groupId: 1, ...owner }] },
      { fxIndex: 2, outputs: [{ typeId: 15, ...owner }] },
    ],
  }))
  say('an asset of all extensions is made')
  const payload = new TextEncoder().encode('a picture')
  await operate(scene, assetId, 6, {
    typeId: 8,
    signatureIndices,
    mintOutput: owner,
    transferOutput: { amount: 700n, ...owner },
  })
  await operate(scene, assetId, 10, {
    typeId: 12,
    signatureIndices,
    groupId: 1,
    payload,
    owners: [owner],
  })
  await operate(scene, assetId, 11, {
    typeId: 13,
    signatureIndices,
    groupId: 1,
    payload,
    ...owner,
    addresses: [friend.address],
  })
  await operate(scene, assetId, 15, {
    typeId: 17,
    signatureIndices,
    mintOutput: owner,
    ownedOutput: owner,
  })
  await operate(scene, assetId, 16, { typeId: 18, signatureIndices })
  const both = [ewoq.address, friend.address]
  await wallet.issueX(
    {
      payments: [
        { amount: 11n, owners: both, assetId },
        { amount: 12n, owners: both, threshold: 2, assetId },
        { amount: 13n, owners: both },
        { amount: 14n, owners: [friend.address], locktime: 4_000_000_000n },
      ],
    },
    (base) => ({ typeId: 0, ...base, memo: new TextEncoder().encode('several owners') }),
  )
  say('minted, moved, burned, paid to several owners')
}

/** Does something with the output of a type that the key ewoq owns. */
async function operate(
  { wallet }: Scene,
  assetId: Uint8Array,
  outputType: XUtxo['output']['typeId'],
  operation: Operation,
): Promise<void> {
  const utxo = (await wallet.xUtxos()).find(
    (one) => equalBytes(one.assetId, assetId) && one.output.typeId === outputType,
  )
  if (utxo === undefined) throw new Error(`no output of type ${outputType}`)
  const { txId, outputIndex } = utxo
  const keys: readonly Key[] = [ewoq]
  const credential = operation.typeId === 8 ? 9 : operation.typeId < 15 ? 14 : 19
  await wallet.issueX({ more: [{ typeId: credential, keys }] }, (base) => ({
    typeId: 2,
    ...base,
    operations: [{ assetId, utxos: [{ txId, outputIndex }], operation }],
  }))
}
