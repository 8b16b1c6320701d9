/** NFTs by the name in their metadata. */

import { jsonOf, isObject } from '../../../core/json.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { metadataOfTokens } from '../nft/nft-details.ts'
import { itemOf, type NftPlace } from '../nft/nft-place.ts'

/** Characters that are kept of a name: enough to tell names apart. */
const longestName = 40

/** An item whose metadata give it a name. */
export type NamedNft = NftPlace & { readonly standard: 721 | 1155; readonly name: string }

/** A name, which is anybody's text, as `nft_metadata` has it: PostgreSQL takes no zero byte and no half of a character. */
export function nameKey(name: string): string {
  const text = name
    .toWellFormed()
    .normalize('NFKC')
    .replaceAll(/\p{Cc}/gu, ' ')
  return Array.from(text.trim().toLowerCase()).slice(0, longestName).join('')
}

const question = statement(
  `select contract_id, standard, item, fields from nft_metadata where name >= ? and name < ?
   order by name, contract_id, standard, item limit ?`,
)

/** After every text that begins with the one before it. */
const last = '\u{10ffff}'

/** Items whose name begins with `text`, in order of names. Cost: one range of an index. */
export async function nftsNamed(store: Reader, text: string, limit: number): Promise<NamedNft[]> {
  const wanted = nameKey(text)
  if (wanted === '') return []
  const rows = await store.all(question, [wanted, wanted + last, limit])
  return rows.map(([contractId, standard, item, fields]) => ({
    contractId,
    item: itemOf(item),
    standard: standard === 1155 ? 1155 : 721,
    name: nameIn(fields) ?? '',
  }))
}

/** The name that its metadata give an item, where they were read. Cost: one look-up by key. */
export async function nameOfNft(
  store: Reader,
  standard: 721 | 1155,
  place: NftPlace,
): Promise<string | undefined> {
  const [row] = await metadataOfTokens(store, standard, [place])
  return nameIn(row?.fields ?? '')
}

/** The name in the stored fields of metadata. */
export function nameIn(stored: string): string | undefined {
  const fields: unknown = stored === '' ? {} : jsonOf(stored)
  const name = isObject(fields) ? fields['name'] : undefined
  return typeof name === 'string' && name.trim() !== '' ? name : undefined
}
