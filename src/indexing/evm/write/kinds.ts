/** The tables that a kind of transfer changes. */

import { transferKinds } from '../../../codec/evm/columns/columns.ts'

const { erc20, deposit, withdrawal, erc721, erc721OneTopic, erc1155Single, erc1155Batch } =
  transferKinds

/** Returns whether a transfer of this kind changes running ERC-20 balances. */
export function isFungible(kind: number): boolean {
  return kind === erc20 || kind === deposit || kind === withdrawal
}

/** Returns whether it gives an ERC-721 token to another owner. */
export function isUnique(kind: number): boolean {
  return kind === erc721 || kind === erc721OneTopic
}

/** Returns whether it changes ERC-1155 amounts. */
export function isMultiToken(kind: number): boolean {
  return kind === erc1155Single || kind === erc1155Batch
}
