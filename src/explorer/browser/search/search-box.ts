/** The search box of the header: suggestions as one types, a choice where several things fit. */

import { h, type JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import { get } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { to } from '../kit/link.ts'
import { pill } from '../kit/parts.ts'
import { isTyping, go } from '../kit/place.ts'
import { chainName, primaryNetworks, type World } from '../kit/world.ts'
import { messageOf, offered, placeByForm, questionOf, type Found } from './search.ts'

// Long enough that a word typed in one go is searched once.
const pauseMs = 220

/** A question, and the hits for it. */
type Offer = { readonly searched: string; readonly found: readonly Found[] }

/** Where the search looks from. */
export type SearchProps = { readonly world: World; readonly chainId: string }

/** Finds addresses, transactions, blocks, nodes, ids, tokens and chains; `/` leads into it. */
export function SearchBox({ world, chainId }: SearchProps): JSX.Element {
  const [text, setText] = useState('')
  const [note, setNote] = useState('')
  const [open, setOpen] = useState(false)
  const field = useSlashKey()
  const question = questionOf(text)
  const { offer, setOffer, at, setAt } = useOffer(question, { world, chainId })
  const leave = (link: string): void => {
    setText('')
    setNote('')
    setOpen(false)
    field.current?.blur()
    go(link)
  }
  const search = async (event: Event): Promise<void> => {
    event.preventDefault()
    const chosen = open ? offer.found[at] : undefined
    if (chosen !== undefined) return leave(chosen.link)
    if (question === '') return undefined
    setNote('Searching…')
    const found =
      offer.searched === question ? offer.found : await searchHits(question, { world, chainId })
    setOffer({ searched: question, found })
    if (found.length > 1) {
      setOpen(true)
      return setNote(`${found.length} results: choose one`)
    }
    const link = await linkOf(text, found, { world, chainId })
    return link === undefined ? setNote('No results on the chains indexed here') : leave(link)
  }
  const shown = open && offer.searched === question ? offer.found : []
  const pressed = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') setOpen(false)
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0 || shown.length === 0) return
    event.preventDefault()
    setAt((before) => Math.min(shown.length - 1, Math.max(-1, before + step)))
  }
  const typed = (event: Event): void => {
    if (event.currentTarget instanceof HTMLInputElement) setText(event.currentTarget.value)
    setNote('')
    setOpen(true)
  }
  const submit = (event: Event): void => void search(event)
  return h('form', { class: 'search', role: 'search', onSubmit: submit }, [
    h('input', {
      ...fixed,
      ref: field,
      value: text,
      'aria-expanded': shown.length > 0,
      'aria-activedescendant': at < 0 || shown.length === 0 ? undefined : `found-${at}`,
      onKeyDown: pressed,
      // A press on a suggestion ends before the list goes.
      onBlur: () => setTimeout(() => setOpen(false), 150),
      onInput: typed,
    }),
    h('kbd', { 'aria-hidden': 'true' }, '/'),
    h('span', { class: 'note', role: 'status' }, note),
    suggestions(shown, at, leave),
  ])
}

async function linkOf(
  text: string,
  [only]: readonly Found[],
  { world, chainId }: SearchProps,
): Promise<string | undefined> {
  // A prefix says which list of the address is wanted.
  const prefixed = /^[XC]-/i.test(text.trim())
  const hit = prefixed ? undefined : only?.link
  return hit ?? (await otherPlace(text, world, chainId)) ?? only?.link
}

/** Attributes of the field that never change. */
const fixed = {
  type: 'search',
  placeholder: 'Name, address, transaction, block, node, token or chain',
  'aria-label': 'search',
  role: 'combobox',
  'aria-controls': 'found',
  'aria-autocomplete': 'list',
  autocomplete: 'off',
  spellcheck: false,
  maxLength: 128,
} as const

type OfferState = {
  readonly offer: Offer
  readonly setOffer: (offer: Offer) => void
  /** The hit that the keyboard has chosen; -1 for none. */
  readonly at: number
  readonly setAt: (change: (before: number) => number) => void
}

/** Hits for a question of at least two characters, read when typing pauses. */
function useOffer(question: string, from: SearchProps): OfferState {
  const [offer, setOffer] = useState<Offer>({ searched: '', found: [] })
  const [at, setAt] = useState(-1)
  useEffect(() => {
    if (question.length < 2 || question === offer.searched) return undefined
    const over = new AbortController()
    const timer = setTimeout(() => {
      searchHits(question, from, over.signal)
        .then((found) => {
          setOffer({ searched: question, found })
          setAt(-1)
        })
        .catch(() => undefined)
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      over.abort()
    }
  }, [question, offer.searched, from.chainId])
  return { offer, setOffer, at, setAt }
}

function suggestions(
  found: readonly Found[],
  at: number,
  leave: (link: string) => void,
): JSX.Element {
  return h(
    'ul',
    {
      id: 'found',
      class: 'found',
      role: 'listbox',
      'aria-label': 'found',
      hidden: found.length === 0,
    },
    found.map(({ link, label, note, isSpam }, index) =>
      h(
        'li',
        {
          id: `found-${index}`,
          role: 'option',
          'aria-selected': index === at,
          onClick: () => leave(link),
        },
        [
          label,
          ' ',
          h('small', { class: 'id quiet' }, note),
          isSpam === true ? [' ', pill('spam', 'bad')] : null,
        ],
      ),
    ),
  )
}

/** The field of the box, into which the key `/` leads from anywhere but another field. */
function useSlashKey(): { current: HTMLInputElement | null } {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.key !== '/' || isTyping(event) || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      field.current?.focus()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])
  return field
}

async function searchHits(
  q: string,
  { world, chainId }: SearchProps,
  signal?: AbortSignal,
): Promise<readonly Found[]> {
  const { data } = await get(urlOf('/v1/search', { q }), signal)
  return offered(data?.hits ?? [], chainId, (id) => chainName(world, id))
}

/** Pages that no operation finds: places by their form, and messages between chains. */
async function otherPlace(text: string, world: World, here: string): Promise<string | undefined> {
  const chainIds = world.chains.map(({ chainId }) => chainId)
  const link = placeByForm(text, { chainIds, networks: primaryNetworks(world), here })
  const messageId = link === undefined ? messageOf(text) : undefined
  if (messageId === undefined) return link
  const { data } = await get(urlOf('/v1/icm/messages/{messageId}', { messageId }))
  return data === undefined ? undefined : to('message', messageId)
}
