/** The search box of the header. */

import { h, type JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import { ask } from './answer.ts'
import { to } from './link.ts'
import { go } from './place.ts'
import { classify, type Wanted } from './search.ts'
import { primaryNetworks, type World } from './world.ts'

/** Finds addresses, transactions, blocks, nodes, ids and chains; `/` leads into it. */
export function SearchBox({
  world,
  chainId,
}: {
  readonly world: World
  readonly chainId: string
}): JSX.Element {
  const [text, setText] = useState('')
  const [note, setNote] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const typing =
        event.target instanceof HTMLElement &&
        /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      field.current?.focus()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])
  const search = async (event: Event): Promise<void> => {
    event.preventDefault()
    setNote('searching…')
    const link = await find(classify(text, world.chains), world, chainId)
    setNote(link === undefined ? 'nothing found' : '')
    if (link === undefined) return
    setText('')
    field.current?.blur()
    go(link)
  }
  return h(
    'form',
    { class: 'search', role: 'search', onSubmit: (event: Event) => void search(event) },
    h('input', {
      ref: field,
      type: 'search',
      value: text,
      placeholder: 'Address, transaction, block, node or chain',
      'aria-label': 'search',
      autocomplete: 'off',
      spellcheck: false,
      onInput: (event: Event) => {
        if (event.currentTarget instanceof HTMLInputElement) setText(event.currentTarget.value)
        setNote('')
      },
    }),
    h('kbd', { 'aria-hidden': 'true' }, '/'),
    h('span', { class: 'note', role: 'status' }, note),
  )
}

/** The place of what is wanted; asks the chains where its form does not tell. */
async function find(wanted: Wanted, world: World, here: string): Promise<string | undefined> {
  const networks = primaryNetworks(world)
  const network = networks[0]
  // The chain being looked at comes first.
  const ids = world.chains
    .map(({ chainId }) => chainId)
    .toSorted((a, b) => Number(b === here) - Number(a === here))
  switch (wanted.kind) {
    case 'chain':
      return to('chain', wanted.chainId)
    case 'address':
      return ids[0] === undefined ? undefined : addressPlace(wanted.text, ids, here)
    case 'block':
      return first(numberPlaces(wanted.text, ids, networks))
    case 'primaryAddress':
      return (
        network &&
        to(
          'primary',
          networkOf(wanted.text, networks),
          'address',
          wanted.text.replace(/^[PXC]-/i, ''),
          ...chainOfAddress(wanted.text),
        )
      )
    case 'nodeId':
      return network && to('primary', network, 'node', wanted.text)
    case 'hash':
      return first(hashPlaces(wanted.text, ids))
    case 'id':
      return first(networks.flatMap((name) => idPlaces(wanted.text, name)))
    default:
      return undefined
  }
}

function networkOf(address: string, networks: readonly string[]): string {
  const wanted = /^([PXC]-)?avax1/i.test(address) ? 'mainnet' : 'fuji'
  return networks.find((name) => name === wanted) ?? networks[0] ?? wanted
}

/** The list an address asks for by its prefix; the page begins with that of the P-Chain. */
function chainOfAddress(address: string): string[] {
  const [prefix] = /^[XC](?=-)/i.exec(address) ?? []
  return prefix === undefined ? [] : [`${prefix.toLowerCase()}-chain`]
}

/** On the chain being looked at, else on the first where the address was active. */
async function addressPlace(
  address: string,
  ids: readonly string[],
  here: string,
): Promise<string> {
  if (here !== '') return to('chain', here, 'address', address)
  const seen = await ask<{ indexedChains: { chainId: string }[] }>(`/v1/address/${address}/chains`)
  return to('chain', seen.data?.indexedChains[0]?.chainId ?? ids[0] ?? '', 'address', address)
}

type Place = readonly [question: string, link: string]

/** A block of the chains served, of the P-Chain, or a chain by its id. */
function numberPlaces(text: string, ids: readonly string[], networks: readonly string[]): Place[] {
  return [
    ...ids.map((id): Place => [`/v1/chains/${id}/blocks/${text}`, to('chain', id, 'block', text)]),
    [`/v1/chains/${text}`, to('chain', text)],
    ...networks.map((network): Place => [
      `/v1/networks/${network}/blockchains/p-chain/blocks/${text}`,
      to('primary', network, 'block', 'p-chain', text),
    ]),
  ]
}

function hashPlaces(text: string, ids: readonly string[]): Place[] {
  const hash = (text.startsWith('0x') ? text : `0x${text}`).toLowerCase()
  return [
    ...ids.map((id): Place => [
      `/v1/chains/${id}/transactions/${hash}`,
      to('chain', id, 'tx', hash),
    ]),
    ...ids.map((id): Place => [`/v1/chains/${id}/blocks/${hash}`, to('chain', id, 'block', hash)]),
    [`/v1/icm/messages/${hash.slice(2)}`, to('message', hash.slice(2))],
  ]
}

function idPlaces(id: string, network: string): Place[] {
  const base = `/v1/networks/${network}`
  const ofChain = (chain: string): Place[] => [
    [`${base}/blockchains/${chain}/transactions/${id}`, to('primary', network, 'tx', chain, id)],
    [`${base}/blockchains/${chain}/blocks/${id}`, to('primary', network, 'block', chain, id)],
  ]
  // A subnet has the id of the transaction that made it.
  return [
    [`${base}/subnets/${id}`, to('primary', network, 'subnet', id)],
    ...['p-chain', 'x-chain', 'c-chain'].flatMap(ofChain),
  ]
}

/** The first place whose question has an answer; all are asked at once. */
async function first(places: readonly Place[]): Promise<string | undefined> {
  const answers = await Promise.all(places.map(([question]) => ask(question)))
  return places[answers.findIndex(({ data }) => data !== undefined)]?.[1]
}
