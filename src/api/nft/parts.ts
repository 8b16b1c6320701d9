/** What the NFT operations are handed. */

import type { EvmParts } from '../evm/parts.ts'
import type { NftRequests } from './nft-requests.ts'

/** What the EVM operations have, and where wishes to read metadata again go. */
export type NftParts = EvmParts & { readonly requests: NftRequests }
