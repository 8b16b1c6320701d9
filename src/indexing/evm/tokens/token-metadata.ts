/**
 * Names, symbols, decimals and interfaces of tokens, read from the contracts themselves.
 *
 * Runs beside the blocks and never holds them up. A contract is called when its first transfer was
 * stored, and again when its code changed or a look at it (`look-at-tokens.ts`) found it renamed.
 */

import { to0x } from '../../../core/bytes.ts'
import type { StateAnswer, StateCall } from '../../../source/evm-source.ts'
import { statement } from '../../../store/engine/database.ts'
import { wordColumns } from '../../../store/query/search/tokens-named.ts'
import { token, tokenWord } from '../../../store/schema/evm.ts'
import type { OpenChain } from '../../stream/open-chain.ts'
import { isTrue, tokenDecimals, tokenText } from './token-text.ts'

/** Tokens called in one round: with seven calls each, below the 1,000 calls of a batch. */
const tokensPerRound = 100

/** Of these, how many are read from two endpoints: at the head new tokens come one by one. */
const tokensCompared = 20

/**
 * Selectors and interface ids. Source: ERC-20, ERC-165 (`supportsInterface` must be true for its
 * own id and false for 0xffffffff), ERC-721, ERC-1155.
 */
const questions = {
  name: '0x06fdde03',
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
  introspects: `0x01ffc9a701ffc9a7${'0'.repeat(56)}`,
  liesAbout: `0x01ffc9a7ffffffff${'0'.repeat(56)}`,
  isErc721: `0x01ffc9a780ac58cd${'0'.repeat(56)}`,
  isErc1155: `0x01ffc9a7d9b67a26${'0'.repeat(56)}`,
} as const

const names = [
  'name',
  'symbol',
  'decimals',
  'introspects',
  'liesAbout',
  'isErc721',
  'isErc1155',
] as const

const unread = statement(
  `select t.id, a.bytes, t.standard, t.first_height from token t join address a on a.id = t.id
   where t.metadata_height = 0 order by t.id limit ${tokensPerRound}`,
)

/** Facts that a contract returned about itself. */
export type TokenFacts = {
  readonly name: string | undefined
  readonly symbol: string | undefined
  readonly decimals: number | undefined
  /** Why there are none. */
  readonly decimalsReason: string | undefined
  /** 20, 721 or 1155: what its logs showed, or more by its interfaces. */
  readonly standard: number
}

/** Of tokens that were never called: how many were called now, and how many answers were stored. */
export type ReadTokens = { readonly called: number; readonly stored: number }

/**
 * Calls tokens that were never called. None is stored when no source answers now. `height` is
 * written as the height of the answers.
 */
export async function readNewTokens(
  chain: OpenChain,
  height: number,
  signal: AbortSignal,
): Promise<ReadTokens> {
  const rows = await chain.database.all(unread)
  if (rows.length === 0) return { called: 0, stored: 0 }
  // Answers to all questions about `rows`. Those about the first of them are sent to a second
  // endpoint, too, where there is one: no hash covers them.
  const calls = rows.flatMap((row) => questionsTo(to0x(row[1])))
  const compared = calls.slice(0, tokensCompared * names.length)
  const agreed = await agreedAnswers(chain, compared, signal)
  const rest = calls.slice(compared.length)
  const answers =
    rest.length === 0 ? agreed : [...agreed, ...(await chain.source.state(rest, 'latest', signal))]
  const answered: { readonly row: (typeof rows)[number]; readonly facts: TokenFacts }[] = []
  for (const [at, row] of rows.entries()) {
    const own = answers.slice(at * names.length, (at + 1) * names.length)
    // A node that has no answer at all is called again later; one that lacks some has no more.
    if (own.every(({ kind }) => kind === 'not-served')) continue
    answered.push({ row, facts: factsOf(own, row[2]) })
  }
  if (answered.length === 0) return { called: rows.length, stored: 0 }
  await chain.commit(async (writer) => {
    await writer.update(token, {
      id: answered.map(({ row }) => row[0]),
      name: answered.map(({ facts }) => facts.name ?? null),
      symbol: answered.map(({ facts }) => facts.symbol ?? null),
      decimals: answered.map(({ facts }) => facts.decimals ?? null),
      decimals_reason: answered.map(({ facts }) => facts.decimalsReason ?? null),
      standard: answered.map(({ facts }) => facts.standard),
      metadata_height: answered.map(({ row }) => Math.max(1, height, row[3])),
      metadata_at: answered.map(() => Math.floor(chain.clock.now() / 1_000)),
    })
    const named = answered.map(({ row, facts }) => ({ id: row[0], ...facts }))
    await writer.insertNew(tokenWord, wordColumns(named))
  })
  return { called: rows.length, stored: answered.length }
}

/**
 * Answers of two endpoints. What they answer differently, twice, counts as
 * not answered by the contract: better no name than a wrong one.
 */
async function agreedAnswers(
  { source, log }: OpenChain,
  calls: readonly StateCall[],
  signal: AbortSignal,
): Promise<readonly StateAnswer[]> {
  const read = async (): Promise<{ first: readonly StateAnswer[]; differ: readonly number[] }> => {
    const [first = [], second = first] = await source.stateTwice(calls, 'latest', signal)
    // Places of answers that two endpoints gave differently; a value not served counts as no answer.
    const text = (answer: StateAnswer): string =>
      answer.kind === 'value' ? answer.value.toLowerCase() : answer.kind
    return {
      first,
      differ: first.flatMap((one, at) => {
        const other = second[at]
        if (other === undefined || one.kind === 'not-served' || other.kind === 'not-served')
          return []
        return text(one) === text(other) ? [] : [at]
      }),
    }
  }
  let answered = await read()
  if (answered.differ.length > 0) answered = await read()
  const agreed = [...answered.first]
  for (const at of answered.differ) {
    agreed[at] = { kind: 'reverted' }
    const target = calls[at]?.target
    const contract = typeof target === 'object' ? target.to : target
    log.warn('endpoints give different answers', { contract, question: names[at % names.length] })
  }
  return agreed
}

/** Facts about a token whose logs showed `standard`, from answers to all {@link questions}. */
export function factsOf(answers: readonly StateAnswer[], standard: number): TokenFacts {
  const of = (name: (typeof names)[number]): StateAnswer | undefined => answers[names.indexOf(name)]
  const introspects = isTrue(of('introspects')) && !isTrue(of('liesAbout'))
  const declared = !introspects
    ? 0
    : isTrue(of('isErc1155'))
      ? 1155
      : isTrue(of('isErc721'))
        ? 721
        : 0
  const decimals = tokenDecimals(of('decimals'))
  return {
    name: tokenText(of('name')),
    symbol: tokenText(of('symbol')),
    decimals,
    decimalsReason: decimals === undefined ? silenceOf(of('decimals')) : undefined,
    standard: Math.max(standard, declared),
  }
}

function silenceOf(answer: StateAnswer | undefined): string {
  switch (answer?.kind) {
    case 'reverted':
      return `decimals() fails: ${answer.reason ?? 'reverted'}`
    case 'value':
      return 'decimals() gives no number up to 255'
    default:
      return 'no node answers'
  }
}

/** The calls whose answers {@link factsOf} reads, to the contract `to`, `0x` hex. */
export function questionsTo(to: string): StateCall[] {
  return names.map((name) => questionTo(to, questions[name]))
}

/** Honest answers take less; what burns all it gets must not take a node half a second. */
const gasOfQuestion = `0x${(1_000_000).toString(16)}`

/** A question to a contract about itself or a holder, with a limit of its own: others wait for it. */
export function questionTo(to: string, data: string): StateCall {
  return { method: 'eth_call', target: { to, data, gas: gasOfQuestion } }
}
