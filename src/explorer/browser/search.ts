/** What somebody typed into the search box, and where that leads. */

/** A chain that can be found by its name or one of its ids. */
export type SearchChain = {
  readonly chainId: string
  readonly chainName: string
  readonly platformChainId?: string
}

/** What the text is, as far as its form tells. */
export type Wanted =
  | {
      readonly kind: 'address' | 'hash' | 'primaryAddress' | 'nodeId' | 'id'
      readonly text: string
    }
  | { readonly kind: 'block'; readonly text: string }
  | { readonly kind: 'chain'; readonly text: string; readonly chainId: string }
  | { readonly kind: 'nothing'; readonly text: string }

const forms = [
  ['address', /^0x[0-9a-f]{40}$/i],
  ['hash', /^(0x)?[0-9a-f]{64}$/i],
  ['primaryAddress', /^([PXC]-)?(avax|fuji|local|custom)1[02-9ac-hj-np-z]{38}$/i],
  ['nodeId', /^NodeID-[1-9A-HJ-NP-Za-km-z]{20,50}$/],
  ['block', /^[0-9][0-9,_ ]{0,20}$/],
  ['id', /^[1-9A-HJ-NP-Za-km-z]{40,55}$/],
] as const

/** Tells what `typed` is. A number is a block first, also where it is a chain's id, unless `chain:`. */
export function classify(typed: string, chains: readonly SearchChain[]): Wanted {
  const text = typed.trim()
  const name = text.toLowerCase().replace(/^chain:\s*/, '')
  const named = chains.find(
    ({ chainId, chainName, platformChainId }) =>
      chainName.toLowerCase() === name ||
      platformChainId === text ||
      (chainId === name && name !== text.toLowerCase()),
  )
  if (named !== undefined) return { kind: 'chain', text, chainId: named.chainId }
  const form = forms.find(([, pattern]) => pattern.test(text))
  if (form?.[0] === 'block') return { kind: 'block', text: text.replace(/[,_ ]/g, '') }
  if (form !== undefined) return { kind: form[0], text }
  const begun = chains.find(
    ({ chainName }) => name !== '' && chainName.toLowerCase().includes(name),
  )
  return begun === undefined
    ? { kind: 'nothing', text }
    : { kind: 'chain', text, chainId: begun.chainId }
}
