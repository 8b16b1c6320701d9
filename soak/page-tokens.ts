/** Page tokens changed in every way a forger has: none may open but the very token that was sealed. */

import { type Binding, createPageTokens } from '../src/api/operation/page-token.ts'
import { Fault } from '../src/core/fault.ts'
import { virtualClock } from '../test/support/processes/virtual-clock.ts'
import { drawsOf, type Outcome, type SoakPlan, type Step, triesOf } from './report.ts'

const million = 1_000_000
const forms = ['text', 'uuids'] as const
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

type Draw = () => number

/** Ways to change a token; `other` is a token of another query. */
const mutations: Readonly<Record<string, (token: string, draw: Draw, other: string) => string>> = {
  'a letter changed': (token, draw) => replaced(token, place(token, draw), letter(draw)),
  'a letter left out': (token, draw) => replaced(token, place(token, draw), ''),
  'a letter put in': (token, draw) => {
    const at = place(token, draw)
    return replaced(token, at, letter(draw) + token.charAt(at))
  },
  'two letters swapped': (token, draw) => {
    const [a, b] = [place(token, draw), place(token, draw)]
    return replaced(replaced(token, a, token.charAt(b)), b, token.charAt(a))
  },
  'the other case': (token, draw) => {
    const at = place(token, draw)
    const one = token.charAt(at)
    return replaced(token, at, one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase())
  },
  'cut off': (token, draw) => token.slice(0, place(token, draw)),
  'joined to another': (token, draw, other) => {
    const at = place(token, draw)
    return token.slice(0, at) + other.slice(at)
  },
  'of another query': (_token, _draw, other) => other,
}

/** Tokens of one step. */
const atOnce = 5_000

/** A million changed tokens, in both of their forms. */
export async function* pageTokens({ share, soFar }: SoakPlan): AsyncGenerator<Step> {
  const kinds = Object.keys(mutations)
  const tries = triesOf(million / (kinds.length * forms.length), share)
  for (const form of forms)
    for (const mutation of kinds) {
      const kind = `page token as ${form}: ${mutation}`
      for (let from = soFar(kind).tries; from < tries; from += atOnce)
        yield [
          { kind, ...changed({ form, mutation, from, count: Math.min(atOnce, tries - from) }) },
        ]
    }
}

const secret = new Uint8Array(32).fill(7)
const older = { id: 2, secret: new Uint8Array(32).fill(9) }
const tokens = createPageTokens([{ id: 1, secret }, older], virtualClock())
const binding: Binding = { route: 'listTransfers', filter: 'address=0x1' }
const another: Binding = { route: 'listTransfers', filter: 'address=0x2' }

/** Changes `count` tokens, those after the first `from`, and tries to open each. */
function changed(of: {
  readonly form: (typeof forms)[number]
  readonly mutation: string
  readonly from: number
  readonly count: number
}): Omit<Outcome, 'kind'> {
  const { form, mutation, from, count } = of
  const mutate = mutations[mutation]
  if (mutate === undefined) throw new Error(`no such change: ${mutation}`)
  const draw = drawsOf(mutation.length + form.length + from)
  let bad = 0
  let first: string | undefined
  for (let at = 0; at < count; at++) {
    const cursor = Uint8Array.from({ length: 1 + Math.floor(draw() * 60) }, () => draw() * 256)
    const token = tokens.seal(cursor, binding, form)
    const text = mutate(token, draw, tokens.seal(cursor, another, form))
    if (text === token || text === '') continue
    if (isRefused(() => tokens.open(text, binding))) continue
    bad++
    first ??= text
  }
  return { tries: count, bad, ...(first === undefined ? {} : { first }) }
}

function isRefused(open: () => unknown): boolean {
  try {
    open()
    return false
  } catch (error) {
    return error instanceof Fault && error.code === 'bad-page-token'
  }
}

function place(token: string, draw: Draw): number {
  return Math.floor(draw() * token.length)
}

function letter(draw: Draw): string {
  return letters.charAt(Math.floor(draw() * letters.length))
}

function replaced(token: string, at: number, by: string): string {
  return token.slice(0, at) + by + token.slice(at + 1)
}
