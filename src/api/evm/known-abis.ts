/** Events and methods that most contracts share, for where no ABI is given. */

import { entryOfText } from '../../codec/evm/abi-text.ts'
import type { Decoded } from '../../shape/evm/decoded.ts'
import { createAbiBook, type AbiBook } from './abi-book.ts'

// Sources: ERC-20, ERC-721, ERC-1155, ERC-173, WAVAX, ICM Teleporter, the Warp precompile.
const events = [
  'Transfer(address indexed from, address indexed to, uint256 value)',
  'Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'Approval(address indexed owner, address indexed spender, uint256 value)',
  'Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)',
  'ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
  'TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  'Deposit(address indexed to, uint256 value)',
  'Withdrawal(address indexed from, uint256 value)',
  'OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
  'SendWarpMessage(address indexed sender, bytes32 indexed messageID, bytes message)',
  'MessageExecuted(bytes32 indexed messageID, bytes32 indexed sourceBlockchainID)',
] as const

const methods = [
  'transfer(address to, uint256 value)',
  'transferFrom(address from, address to, uint256 value)',
  'approve(address spender, uint256 value)',
  'increaseAllowance(address spender, uint256 value)',
  'decreaseAllowance(address spender, uint256 value)',
  'mint(address to, uint256 value)',
  'burn(uint256 value)',
] as const

const bookOf = (kind: 'event' | 'function', texts: readonly string[]): AbiBook =>
  createAbiBook([{ entries: texts.flatMap((text) => entryOfText(kind, text) ?? []) }])

/** They count for every contract, after all other ABIs. */
export const wellKnown: AbiBook = {
  ...bookOf('function', methods),
  log: bookOf('event', events).log,
}

/** An input by the signature of its method, which names no argument; `undefined` where it does not fit. */
export function inputBySignature(signature: string, input: Uint8Array): Decoded | undefined {
  return bookOf('function', [signature]).input({ chainId: '', address: '' }, input)
}
