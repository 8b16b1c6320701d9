/**
 * Tables of NFTs, in the store of their EVM chain.
 *
 * `item` is a token id as 32 bytes, big-endian, so that order of bytes is order of ids. `at` is
 * height × `placesPerBlock` + log index: of two owners of a token the later one holds it (0 for ERC-1155).
 * `standard` is part of every key, since one contract may log both standards for one id.
 */

import { heightsPerSum, idsPerSum } from './sums.ts'
import { sumsBy, table } from './table.ts'

/**
 * Token ids that a transfer named.
 *
 * `owner_id` is NULL when burned and for ERC-1155, where amounts say who has it. `uris_read` is 1
 * once its URI was read.
 */
export const nftToken = table(
  'nft_token',
  {
    contract_id: 'integer',
    standard: 'integer',
    item: 'bytes',
    owner_id: 'integer?',
    at: 'integer',
    uris_read: 'integer',
  },
  {
    key: ['contract_id', 'standard', 'item'],
    layout: 'keyed',
    sums: sumsBy('contract_id', idsPerSum, ['uris_read']),
    indexes: [
      {
        name: 'nft_token_by_owner',
        columns: ['owner_id', 'contract_id', 'item'],
        where: 'owner_id is not null',
      },
      {
        name: 'nft_token_unread',
        columns: ['contract_id', 'standard', 'item'],
        where: 'uris_read = 0',
      },
    ],
  },
)

/**
 * ERC-721 tokens that one ConsecutiveTransfer log gave away: all ids from `first_item` to
 * `last_item`. Ranges of a contract never overlap: a later one cuts the earlier. A token with a
 * row of its own and a later `at` is not the range's. `uris_read` counts the ids, from the first,
 * whose URI was read.
 *
 * Source: ERC-2309.
 */
export const nftRange = table(
  'nft_range',
  {
    contract_id: 'integer',
    first_item: 'bytes',
    last_item: 'bytes',
    owner_id: 'integer?',
    at: 'integer',
    uris_read: 'integer',
  },
  {
    key: ['contract_id', 'first_item'],
    layout: 'keyed',
    sums: sumsBy('contract_id', idsPerSum, ['uris_read']),
    indexes: [
      {
        name: 'nft_range_by_owner',
        columns: ['owner_id', 'contract_id', 'first_item'],
        where: 'owner_id is not null',
      },
      {
        name: 'nft_range_unread',
        columns: ['contract_id', 'first_item'],
        where: 'uris_read >= 0',
      },
    ],
  },
)

/**
 * Running ERC-1155 amounts from logs, one row per block that changed one. `amount` is
 * the magnitude, big-endian; `negative` 1 says that more left than ever came.
 */
export const nftAmount = table(
  'nft_amount',
  {
    owner_id: 'integer',
    contract_id: 'integer',
    item: 'bytes',
    height: 'integer',
    amount: 'bytes',
    negative: 'integer',
  },
  {
    key: ['owner_id', 'contract_id', 'item', 'height'],
    layout: 'keyed',
    sums: sumsBy('height', heightsPerSum),
  },
)

/**
 * Metadata of tokens. No row: never read.
 *
 * `status` is the place in the list of states; `updated` and `due` are Unix seconds, `due` when
 * to try again, NULL for never; `attempts` counts failures in a row. `fields` is the JSON text
 * of what the document gave. `name` is the beginning of its name in small letters, empty without
 * one, and NULL in a row of before layout 7 until the stage of NFTs has filled it.
 */
export const nftMetadata = table(
  'nft_metadata',
  {
    contract_id: 'integer',
    standard: 'integer',
    item: 'bytes',
    uri: 'text',
    status: 'integer',
    updated: 'integer',
    attempts: 'integer',
    due: 'integer?',
    fields: 'text',
    name: 'text?',
  },
  {
    key: ['contract_id', 'standard', 'item'],
    layout: 'keyed',
    sums: { ...sumsBy('contract_id', idsPerSum, ['attempts', 'due']), later: ['name'] },
    indexes: [
      { name: 'nft_metadata_due', columns: ['due'], where: 'due is not null' },
      { name: 'nft_metadata_by_name', columns: ['name', 'contract_id', 'standard', 'item'] },
    ],
  },
)

/** In order of creation. */
export const nftTables = [nftToken, nftRange, nftAmount, nftMetadata] as const

/**
 * Callers' requests to read metadata again, in a store of their own: the API writes it, the
 * indexer of the chain reads it. One row per token; `requested_at` is Unix milliseconds.
 */
export const nftRequest = table(
  'nft_request',
  { chain: 'text', contract: 'bytes', item: 'bytes', standard: 'integer', requested_at: 'integer' },
  {
    key: ['chain', 'contract', 'item'],
    layout: 'keyed',
    indexes: [{ name: 'nft_request_by_time', columns: ['chain', 'requested_at'] }],
  },
)

/**
 * Holders whose balance by logs was not what a node gave the API, in the same store: the newest one
 * of each token. `requested_at` is Unix milliseconds.
 */
export const tokenDoubt = table(
  'token_doubt',
  { chain: 'text', contract: 'bytes', holder: 'bytes', requested_at: 'integer' },
  {
    key: ['chain', 'contract'],
    layout: 'keyed',
    indexes: [{ name: 'token_doubt_by_time', columns: ['chain', 'requested_at'] }],
  },
)

/** Name of the store of requests, one for all chains. */
export const nftRequestStore = 'nft-requests'

/** All tables of the store of requests. */
export const nftRequestTables = [nftRequest, tokenDoubt] as const
