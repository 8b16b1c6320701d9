/** Path parameters of the NFT operations. */

import { ChainAddressPath } from '../evm/parameters.ts'
import { Type, Optional } from '../type.ts'

/** A token of a contract. */
export const NftTokenPath = {
  ...ChainAddressPath,
  tokenId: Type.String('Token id, base 10, below 2^256', {
    pattern: '^[0-9]{1,78}$',
    allowed: 'a token id: base 10, below 2^256',
  }),
}

/** Only tokens of one contract. */
export const contractAddress = Optional.String('Only tokens of this contract', {
  pattern: '^0x[0-9a-fA-F]{40}$',
  allowed: 'an EVM address: 0x and 40 hex digits',
})
