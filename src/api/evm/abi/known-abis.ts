/** Events and methods that most contracts share, for where no ABI is given. */

import { entryOfText, itemOfText } from '../../../codec/evm/abi/abi-encode.ts'
import type { Decoded } from '../../../shape/evm/log.ts'
import { createAbiBook, type AbiBook } from './abi-book.ts'

// Sources: ERC-20, ERC-721, ERC-1155, ERC-173, WAVAX, ICM Teleporter, the Warp precompile.
const named = ['name() view returns (string)', 'symbol() view returns (string)']
const forAll = {
  events: ['ApprovalForAll(address indexed owner, address indexed operator, bool approved)'],
  methods: [
    'isApprovedForAll(address owner, address operator) view returns (bool)',
    'setApprovalForAll(address operator, bool approved)',
  ],
}
const standards = {
  20: {
    events: [
      'Transfer(address indexed from, address indexed to, uint256 value)',
      'Approval(address indexed owner, address indexed spender, uint256 value)',
    ],
    methods: [
      ...named,
      'decimals() view returns (uint8)',
      'totalSupply() view returns (uint256)',
      'balanceOf(address account) view returns (uint256)',
      'allowance(address owner, address spender) view returns (uint256)',
      'transfer(address to, uint256 value) returns (bool)',
      'transferFrom(address from, address to, uint256 value) returns (bool)',
      'approve(address spender, uint256 value) returns (bool)',
    ],
  },
  721: {
    events: [
      'Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
      'Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)',
      ...forAll.events,
    ],
    methods: [
      ...named,
      'balanceOf(address owner) view returns (uint256)',
      'ownerOf(uint256 tokenId) view returns (address)',
      'tokenURI(uint256 tokenId) view returns (string)',
      'getApproved(uint256 tokenId) view returns (address)',
      ...forAll.methods,
      'approve(address to, uint256 tokenId)',
      'transferFrom(address from, address to, uint256 tokenId)',
      'safeTransferFrom(address from, address to, uint256 tokenId)',
    ],
  },
  1155: {
    events: [
      'TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
      'TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
      ...forAll.events,
    ],
    methods: [
      'balanceOf(address account, uint256 id) view returns (uint256)',
      'balanceOfBatch(address[] accounts, uint256[] ids) view returns (uint256[])',
      'uri(uint256 id) view returns (string)',
      ...forAll.methods,
      'safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)',
      'safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)',
    ],
  },
} as const
const others = {
  events: [
    'Deposit(address indexed to, uint256 value)',
    'Withdrawal(address indexed from, uint256 value)',
    'OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
    'SendWarpMessage(address indexed sender, bytes32 indexed messageID, bytes message)',
    'MessageExecuted(bytes32 indexed messageID, bytes32 indexed sourceBlockchainID)',
  ],
  methods: [
    'increaseAllowance(address spender, uint256 value)',
    'decreaseAllowance(address spender, uint256 value)',
    'mint(address to, uint256 value)',
    'burn(uint256 value)',
  ],
}
const families = [...Object.values(standards), others]

/** ABI that a token has by its standard: 20, 721 or 1155; as compilers write it. */
export function abiOfStandard(standard: number): object[] {
  const found = Object.entries(standards).find(([of]) => of === String(standard))?.[1]
  if (found === undefined) return []
  return [
    ...found.methods.map((text) => itemOfText('function', text)),
    ...found.events.map((text) => itemOfText('event', text)),
  ]
}

const bookOf = (kind: 'event' | 'function', texts: readonly string[]): AbiBook =>
  createAbiBook([{ entries: texts.flatMap((text) => entryOfText(kind, text) ?? []) }])

/** They count for every contract, after all other ABIs. */
export const wellKnown: AbiBook = {
  ...bookOf(
    'function',
    families.flatMap(({ methods }) => methods),
  ),
  log: bookOf(
    'event',
    families.flatMap(({ events }) => events),
  ).log,
}

/** An input by the signature of its method, which names no argument; `undefined` where it does not fit. */
export function inputBySignature(signature: string, input: Uint8Array): Decoded | undefined {
  return bookOf('function', [signature]).input({ chainId: '', address: '' }, input)
}

/**
 * An input and its method by the ABIs of its contract or, without names of its arguments, by the signature that is
 * `listed` for its selector: selectors are four bytes, and other contracts have the same for other methods.
 */
export function inputInWords(
  abis: AbiBook,
  contract: Parameters<AbiBook['input']>[0],
  { bytes, listed }: { readonly bytes: Uint8Array; readonly listed: string | undefined },
): { readonly methodName: string | undefined; readonly decodedInput: Decoded | undefined } {
  const own = abis.input(contract, bytes)
  if (own !== undefined || abis.isWhole(contract))
    return { methodName: own?.signature, decodedInput: own }
  return { methodName: listed, decodedInput: inputBySignature(listed ?? '', bytes) }
}
