/**
 * Genesis of the primary network as bytes, and what follows from them: ids of the first P-Chain
 * block, of the other two chains and of AVAX.
 *
 * Source: avalanchego vms/platformvm/genesis/genesis.go, vms/platformvm/state/state.go (block 0).
 */

import { Fault } from '../../core/fault.ts'
import { sha256 } from '../../core/hash.ts'
import { pBlockTypes, pTypes, xTypes } from '../../core/type-ids.ts'
import { decode, type Decoded, encode } from '../cursor.ts'
import { array, sliced, struct, versioned } from '../kit.ts'
import { bytes, text, u32, u64 } from '../primitives.ts'
import { transactionIdOf } from './ids.ts'
import { maxItems, maxTextBytes } from './limits.ts'
import { pBlock } from './p-block.ts'
import { pOutput, pTransaction, type PUnsignedOf } from './p-transaction.ts'
import { commonAssetId, id } from './secp.ts'
import { xGenesis, type XGenesis, xGenesisTransaction } from './x-transaction.ts'

const place = { txId: id, outputIndex: u32, assetId: commonAssetId } as const

/** A P-Chain UTXO without codec version, as genesis holds it. */
const pUtxoBare = struct({ ...place, output: pOutput })

/** A P-Chain UTXO as `platform.getUTXOs` gives it. */
export const pUtxo = versioned(pUtxoBare)

// Mainnet has 15_344; a custom network may have more.
const maxGenesisItems = 1_048_576

/**
 * The P-Chain's genesis. `time` is Unix seconds, `initialSupply` nAVAX. UTXOs have the all-zero
 * transaction id; `message` of one is an EVM address nobody reads.
 */
export const pGenesis = versioned(
  struct({
    utxos: array(struct({ utxo: pUtxoBare, message: bytes(maxTextBytes) }), maxGenesisItems),
    validators: array(sliced(pTransaction), maxItems),
    chains: array(sliced(pTransaction), maxItems),
    time: u64,
    initialSupply: u64,
    message: text(maxTextBytes),
  }),
)
/** Decoded {@link pGenesis}. */
export type PGenesis = Decoded<typeof pGenesis>

/** VM ids: the name in ASCII, padded with zeros. */
export const vmIds = {
  platformvm: paddedId('platformvm'),
  avm: paddedId('avm'),
  evm: paddedId('evm'),
  subnetevm: paddedId('subnetevm'),
} as const

/** Feature extension ids: the name in ASCII, padded with zeros. */
export const fxIds = {
  secp256k1fx: paddedId('secp256k1fx'),
  nftfx: paddedId('nftfx'),
  propertyfx: paddedId('propertyfx'),
} as const

function paddedId(name: string): Uint8Array {
  const id = new Uint8Array(32)
  id.set(new TextEncoder().encode(name))
  return id
}

/** A genesis and the ids that follow from it. */
export type GenesisFacts = {
  readonly genesis: PGenesis
  readonly genesisId: Uint8Array
  /** Id of P-Chain block 0, the parent of block 1. */
  readonly pBlockId: Uint8Array
  readonly xChainId: Uint8Array
  readonly cChainId: Uint8Array
  readonly avaxAssetId: Uint8Array
  readonly networkId: number
  readonly xGenesis: XGenesis
}

/** Reads genesis bytes. Throws `bad-bytes`. */
export function readGenesis(genesisBytes: Uint8Array): GenesisFacts {
  const genesis = decode(pGenesis, genesisBytes)
  const genesisId = sha256(genesisBytes)
  const x = chainOf(genesis, vmIds.avm)
  const c = chainOf(genesis, vmIds.evm)
  const assets = decode(xGenesis, x.unsigned.genesis)
  const avax = assets.find((asset) => asset.alias === 'AVAX')
  if (avax === undefined) throw new Fault('bad-bytes', 'the X-Chain genesis holds no AVAX')
  return {
    genesis,
    genesisId,
    pBlockId: sha256(
      encode(pBlock, { typeId: pBlockTypes.ApricotCommitBlock, parentId: genesisId, height: 0n }),
    ),
    xChainId: x.id,
    cChainId: c.id,
    avaxAssetId: genesisAssetId(avax),
    networkId: x.unsigned.networkId,
    xGenesis: assets,
  }
}

function chainOf(
  genesis: PGenesis,
  vmId: Uint8Array,
): { readonly id: Uint8Array; readonly unsigned: PUnsignedOf<'CreateChainTx'> } {
  for (const { record, bytes: slice } of genesis.chains) {
    const { unsigned } = record
    if (
      unsigned.typeId === pTypes.CreateChainTx &&
      unsigned.vmId.every((byte, at) => byte === vmId[at])
    ) {
      return { id: transactionIdOf(slice), unsigned }
    }
  }
  throw new Fault('bad-bytes', 'genesis creates no chain with a VM every primary network has')
}

/** Id of an asset the X-Chain begins with: that of the transaction that would have made it. */
export function genesisAssetId(asset: XGenesis[number]): Uint8Array {
  const { alias: _alias, ...fields } = asset
  const transaction = {
    unsigned: { typeId: xTypes.CreateAssetTx, ...fields } as const,
    credentials: [],
  }
  return transactionIdOf(encode(xGenesisTransaction, transaction))
}
