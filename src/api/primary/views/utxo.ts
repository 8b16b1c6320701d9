/** UTXOs as answers show them: document A's names, and beside them those of the X- and C-Chain. */

import { utxoIdOf } from '../../../codec/primary/ids.ts'
import { outputContent, type OutputContent } from '../../../codec/primary/output-content.ts'
import { concatBytes, to0x, toHex } from '../../../core/bytes.ts'
import { toCb58 } from '../../../core/cb58.ts'
import { sha256 } from '../../../core/hash.ts'
import type { Utxo } from '../../../shape/primary/utxo.ts'
import type { StoredUtxo } from '../../../store/query/primary/utxos.ts'
import { utxoKinds } from '../../../store/schema/primary/position.ts'
import type { ChainOf } from '../inputs.ts'
import type { AssetBook } from './asset.ts'
import { type Credentials, credentialsOf } from './credentials.ts'
import { heightText, seconds, ownerAddresses } from './values.ts'

/** True while a stake is locked in its staking transaction. */
function isStaked(utxo: StoredUtxo): boolean {
  return (utxo.kind & utxoKinds.staked) !== 0 && utxo.returnedAt === undefined
}

/** A UTXO in the lists of `of.chain`. */
export function utxoView(of: ChainOf, utxo: StoredUtxo, facts: UtxoFacts): Utxo {
  const content = outputContent(utxo.output)
  const { book } = facts
  if (of.chain === 'P') return pView(of, utxo, content, book)
  const credentials = facts.credentials.get(utxo.id)
  return { ...otherView(of, utxo, content, book), credentials: credentials && [...credentials] }
}

/** Facts that the views of a page use. */
export type UtxoFacts = { readonly book: AssetBook; readonly credentials: Credentials }

/** Reads what views of `utxos` in the lists of `of.chain` say of who signed for them. */
export async function credentialsShown(
  of: ChainOf,
  utxos: readonly StoredUtxo[],
): Promise<Credentials> {
  // The P-Chain's UTXOs show none.
  return of.chain === 'P' ? new Map() : credentialsOf(of, utxos)
}

function pView(of: ChainOf, utxo: StoredUtxo, content: OutputContent, book: AssetBook): Utxo {
  const { stakeableLocktime } = content
  const staked = isStaked(utxo)
  const wasStaked = (utxo.kind & utxoKinds.staked) !== 0
  return {
    ...commonView(of, utxo, content, book),
    // Outputs on their way between chains have no platform lock to show.
    platformLocktime: utxo.createdOn === utxo.consumableOn ? seconds(content.locktime) : undefined,
    stakeableLocktime: stakeableLocktime > 0n ? seconds(stakeableLocktime) : undefined,
    utxoStartTimestamp: wasStaked ? utxo.stakeStart : undefined,
    utxoEndTimestamp: wasStaked ? utxo.stakeEnd : undefined,
    staked,
    utxoType: wasStaked || stakeableLocktime > 0n ? 'STAKE' : 'TRANSFER',
  }
}

function otherView(of: ChainOf, utxo: StoredUtxo, content: OutputContent, book: AssetBook): Utxo {
  const { groupId, payload } = content
  const common = commonView(of, utxo, content, book)
  return {
    ...common,
    platformLocktime: seconds(content.locktime),
    staked: isStaked(utxo),
    utxoType: kindWords[content.type] ?? 'TRANSFER',
    creationTxHash: common.txHash,
    timestamp: utxo.createdAt,
    locktime: seconds(content.locktime),
    consumingTxTimestamp: utxo.spentAt,
    groupId,
    payload: payload && to0x(payload),
  }
}

/** By wire type of the output. */
const kindWords: Readonly<Record<number, string>> = {
  6: 'MINT',
  7: 'TRANSFER',
  10: 'MINT',
  11: 'TRANSFER',
  15: 'MINT',
  16: 'TRANSFER',
}

function commonView(
  of: ChainOf,
  utxo: StoredUtxo,
  content: OutputContent,
  book: AssetBook,
): Omit<Utxo, 'utxoType'> {
  const asset = book.view(utxo.asset, content.amount)
  return {
    addresses: ownerAddresses(of.hrp, content),
    asset,
    consumedOnChainId: of.blockchainIds[utxo.consumableOn],
    createdOnChainId: of.blockchainIds[utxo.createdOn],
    utxoId: toCb58(utxoIdOf(utxo.txId, utxo.outputIndex)),
    utxoBytes: utxoBytes(utxo, book.idOf(utxo.asset)),
    amount: asset.amount,
    assetId: asset.assetId,
    blockNumber: heightText(utxo.createdPos),
    blockTimestamp: utxo.createdAt,
    outputIndex: utxo.outputIndex,
    threshold: content.threshold,
    txHash: toCb58(utxo.txId),
    consumingTxHash: utxo.spentBy && toCb58(utxo.spentBy),
    consumingBlockNumber: utxo.spentPos === undefined ? undefined : heightText(utxo.spentPos),
    consumingBlockTimestamp: utxo.spentAt,
  }
}

/** The whole UTXO as nodes give it: codec version, place, asset, output, checksum. */
function utxoBytes(utxo: StoredUtxo, assetId: Uint8Array): string {
  const place = new Uint8Array(6)
  new DataView(place.buffer).setUint32(2, utxo.outputIndex)
  const index = place.subarray(2)
  const bytes = concatBytes(place.subarray(0, 2), utxo.txId, index, assetId, utxo.output)
  return `0x${toHex(bytes)}${toHex(sha256(bytes).subarray(28))}`
}
