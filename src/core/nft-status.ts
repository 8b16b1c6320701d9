/** States of the metadata of an NFT. */

/**
 * All states, in the order of the public clients' list. A store keeps their places: the order
 * must not change.
 *
 * - `UNINDEXED`: nothing was fetched yet, or fetching is off
 * - `MISSING_TOKEN`: the contract knows neither a URI nor an owner
 * - `INVALID_TOKEN_URI`, `INVALID_TOKEN_URI_SCHEME`: no URI we can read, or of a scheme we do not
 * - `UNREACHABLE_TOKEN_URI`, `THROTTLED_TOKEN_URI`: its host does not answer, or wants us to wait
 * - `METADATA_CONTENT_TOO_LARGE`: beyond the limit, or media instead of a document
 * - `INVALID_METADATA_JSON`, `INVALID_METADATA`: not JSON, or JSON that is not an object
 * - `INDEXED`: known
 * - `UNKNOWN`: something we did not foresee
 *
 * Source: `NftTokenMetadataStatus` of the public clients.
 */
export const nftStatuses = [
  'UNKNOWN',
  'MISSING_TOKEN',
  'INVALID_TOKEN_URI',
  'INVALID_TOKEN_URI_SCHEME',
  'UNREACHABLE_TOKEN_URI',
  'THROTTLED_TOKEN_URI',
  'METADATA_CONTENT_TOO_LARGE',
  'INVALID_METADATA',
  'INVALID_METADATA_JSON',
  'INDEXED',
  'UNINDEXED',
] as const

/** One of {@link nftStatuses}. */
export type NftStatus = (typeof nftStatuses)[number]

/** Place of a state in the list. */
export function placeOfStatus(status: NftStatus): number {
  return nftStatuses.indexOf(status)
}

/** Values of a metadata document; a value that it does not have is absent. */
export type NftFields = {
  readonly name?: string
  readonly symbol?: string
  readonly imageUri?: string
  readonly description?: string
  readonly animationUri?: string
  readonly externalUrl?: string
  readonly background?: string
  /** JSON text. */
  readonly attributes?: string
  /** JSON text. */
  readonly properties?: string
  readonly decimals?: number
}
