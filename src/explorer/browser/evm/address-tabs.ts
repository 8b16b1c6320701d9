/** Tabs of the page of an address. */

import { to } from '../kit/link.ts'

type Link = readonly [label: string, link: string]

/** Tabs that an address has; those of a contract lead to groups of lists, each with a row of its own. */
export function tabsOf(
  { chainId, address, view }: Readonly<Record<'chainId' | 'address' | 'view', string>>,
  is: { readonly isContract: boolean; readonly isToken: boolean; readonly isCollection: boolean },
): { readonly tabs: readonly Link[]; readonly inside: readonly Link[]; readonly chosen: string } {
  const linkOf = (list: string): string =>
    to('chain', chainId, 'address', address, ...(list === '' ? [] : [list]))
  const linked = (lists: readonly (readonly [list: string, label: string])[]): readonly Link[] =>
    lists.map(([list, label]) => [label, linkOf(list)])
  const ofContract = [
    ['code', 'Code'],
    ['read', 'Read'],
    ['write', 'Write'],
    ['events', 'Events'],
  ] as const
  const ofAccount = [
    ['native', 'Transactions'],
    ['token-transfers', 'Token transfers'],
    ['internal', 'Internal transactions'],
    ['nfts', 'NFTs'],
    ['messages', 'Messages'],
    ['deployments', 'Deployed contracts'],
  ] as const
  if (!is.isContract) {
    const tabs = linked([['', 'Overview'], ...ofAccount.slice(1)])
    return { tabs, inside: [], chosen: linkOf(view) }
  }
  const groups = [ofContract, ofAccount]
  const inside = groups.find((lists) => lists.some(([list]) => list === view)) ?? []
  return {
    tabs: linked([
      ['', is.isToken ? 'Transfers' : 'Overview'],
      ...(is.isToken ? [['holders', 'Holders'] as const] : []),
      ...(is.isCollection ? [['items', 'Inventory'] as const] : []),
      ['code', 'Contract'],
      ['native', 'As an account'],
    ]),
    inside: linked(inside),
    chosen: linkOf(inside[0]?.[0] ?? (view === 'transfers' ? '' : view)),
  }
}
