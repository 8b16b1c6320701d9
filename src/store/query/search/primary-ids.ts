/** Finds the things with a 32-byte id on a primary network, and its chains and assets by name. */

import { type Reader, statement } from '../../engine/database.ts'
import { bytes, integer, maybe, type RowOf, storedRow, text } from '../stored-row.ts'

const questions = {
  subnet: statement('select 1 from subnet where subnet_id = ?'),
  blockchain: statement('select 1 from blockchain where blockchain_id = ?'),
  l1Validator: statement('select 1 from l1_validator where validation_id = ?'),
  asset: statement('select 1 from asset where asset_id = ? and name is not null'),
} as const

/** Kinds of things that have this id. Four seeks. */
export async function kindsOfId(
  reader: Reader,
  id: Uint8Array,
): Promise<(keyof typeof questions)[]> {
  const found: (keyof typeof questions)[] = []
  for (const kind of ['subnet', 'blockchain', 'l1Validator', 'asset'] as const)
    if ((await reader.get(questions[kind], [id])) !== undefined) found.push(kind)
  return found
}

/** A chain by its name. */
const chainRow = storedRow({
  blockchainId: bytes('blockchain_id'),
  subnetId: bytes('subnet_id'),
  name: text('name'),
  evmChainId: maybe(integer('evm_chain_id')),
})
/** Such a chain. */
export type NamedChain = RowOf<typeof chainRow>

const chains = chainRow.statement((columns) => `select ${columns} from blockchain`)

/** Names of all chains: some thousands on mainnet, so callers keep the answer. */
export async function chainNames(reader: Reader): Promise<readonly NamedChain[]> {
  return chainRow.all(reader, chains)
}

/** An asset by its name and symbol. */
const assetRow = storedRow({
  assetId: bytes('asset_id'),
  name: text('name'),
  symbol: text('symbol'),
})
/** Such an asset. */
export type NamedAsset = RowOf<typeof assetRow>

const assets = assetRow.statement(
  (columns) =>
    `select ${columns} from asset where name is not null and symbol is not null order by id`,
)

/** Names of all assets that the X-Chain made: some thousands on mainnet, so callers keep the answer. */
export async function assetNames(reader: Reader): Promise<readonly NamedAsset[]> {
  return assetRow.all(reader, assets)
}
