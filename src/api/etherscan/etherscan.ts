/**
 * The form of Etherscan's API, which most tools of EVM chains speak: one path, `module` and `action`.
 *
 * A dialect over the questions of the other operations. Answers are 200 also where something is wrong:
 * `status` 0, `message` NOTOK and the reason in `result`, as that convention has it.
 * Source: Etherscan's documentation of its endpoints, V1 and V2.
 */

import { clip } from '../../core/bytes.ts'
import { Fault, faultIn } from '../../core/fault.ts'
import { ownValue } from '../../core/json.ts'
import { loopTurn } from '../../core/loop-turn.ts'
import { nearest } from '../../core/text.ts'
import {
  Etherscan,
  type etherscanModules,
  etherscanParameters,
  longestText,
} from '../../shape/operations/etherscan.ts'
import { sourceBytes } from '../../shape/operations/evm-contracts.ts'
import type { EvmContext } from '../evm/evm-context.ts'
import { type AllOf, operation } from '../operation/operation.ts'
import { publicWords } from '../operation/status.ts'
import { account } from './account.ts'
import { block, gastracker, logs, stats, transaction } from './chain.ts'
import { contract } from './contract.ts'
import { proxy } from './proxy.ts'
import type { Action, Query } from './query.ts'

const actionsOf: Readonly<Record<(typeof etherscanModules)[number], ReadonlyMap<string, Action>>> =
  { account, contract, transaction, block, logs, stats, gastracker, proxy }

const longTexts: ReadonlySet<string> = new Set([
  'sourcecode',
  'constructorarguements',
  'constructorarguments',
  'data',
  'hex',
])

type Body = { readonly status?: string; readonly message?: string; readonly result?: unknown }

/** The four operations: of one chain and of all, as a query and as a form. */
export function etherscanOperations(context: EvmContext): AllOf<typeof Etherscan> {
  const answer = async (
    name: string | undefined,
    given: readonly object[],
    input: CallerInput,
  ): Promise<{ body: Body; json: () => string }> => {
    const body = await answered(context, name, given, input)
    const text = await textInTurns(body)
    return { body, json: () => text }
  }
  return {
    etherscanOfChain: operation(Etherscan.etherscanOfChain, (input) =>
      answer(input.path.chainId, [input.query], input),
    ),
    etherscanFormOfChain: operation(Etherscan.etherscanFormOfChain, (input) =>
      answer(input.path.chainId, [input.query, input.body], input),
    ),
    etherscan: operation(Etherscan.etherscan, (input) => answer(undefined, [input.query], input)),
    etherscanForm: operation(Etherscan.etherscanForm, (input) =>
      answer(undefined, [input.query, input.body], input),
    ),
  }
}

/**
 * Names of a verification, those that every query may have, and members of a transaction that clients send with a call.
 */
const formNames = `chainid minHeight rltoken sourceCode codeformat contractname compilerversion licenseType
optimizationUsed runs evmversion expectedimplementation constructorArguements constructorArguments
type nonce gasLimit maxFeePerGas maxPriorityFeePerGas accessList`

const libraryNames = Array.from({ length: 10 }, (_, at) => [
  `libraryname${at + 1}`,
  `libraryaddress${at + 1}`,
])

/** Names that parameters may have, in lower case, and how they are written. */
const known: ReadonlyMap<string, string> = new Map(
  [...Object.keys(etherscanParameters), ...formNames.split(/\s/), ...libraryNames.flat()].map(
    (name) => [name.toLowerCase(), name],
  ),
)

/**
 * Parameters by their names in lower case. Tools write them as they like, and one that counted for nothing
 * would give another list than meant. Throws `bad-parameter`.
 */
function valuesOf(given: readonly object[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of given.flatMap((one) => Object.entries(one))) {
    const key = name.toLowerCase()
    if (!known.has(key)) {
      const meant = nearest(clip(key), [...known.keys()])
      const hint = meant === undefined ? '' : `, did you mean ${known.get(meant)}?`
      throw new Fault('bad-parameter', `Error! ${clip(name)} is no parameter here${hint}`)
    }
    if (typeof value !== 'string' || (values.get(key) ?? value) !== value)
      throw new Fault('bad-parameter', `Error! ${name} must be one text`)
    if (value.length > (longTexts.has(key) ? sourceBytes : longestText))
      throw new Fault('bad-parameter', `Error! ${name} is too long`)
    if (value !== '') values.set(key, value)
  }
  return values
}

/** Entries of a list that become text at once. */
const entriesAtOnce = 200

/** JSON of a body, whose list may be long, in turns of the loop. */
async function textInTurns(body: Body): Promise<string> {
  const { result, ...rest } = body
  if (!Array.isArray(result) || result.length <= entriesAtOnce) return JSON.stringify(body)
  const parts: string[] = []
  for (let from = 0; from < result.length; from += entriesAtOnce) {
    await loopTurn.rest()
    parts.push(JSON.stringify(result.slice(from, from + entriesAtOnce)).slice(1, -1))
  }
  return `${JSON.stringify(rest).slice(0, -1)},"result":[${parts.join(',')}]}`
}

type CallerInput = Pick<Query, 'caller' | 'charge' | 'signal'>

async function answered(
  context: EvmContext,
  name: string | undefined,
  given: readonly object[],
  { caller, charge, signal }: CallerInput,
): Promise<Body> {
  try {
    const values = valuesOf(given)
    const of = (parameter: string): string | undefined => values.get(parameter.toLowerCase())
    const actions = ownValue(actionsOf, of('module') ?? '')
    if (actions === undefined)
      return refused(
        `Error! Missing Or invalid Module name; here are: ${Object.keys(actionsOf).join(', ')}`,
      )
    const action = actions.get(of('action') ?? '')
    if (action === undefined)
      return refused(
        `Error! Missing Or invalid Action name; this module has here: ${[...actions.keys()].join(', ')}`,
      )
    const chain = context.chains.find(name ?? of('chainid') ?? '')
    const result = await action({ context, chain, of, caller, charge, signal })
    if ('value' in result) return { status: '1', message: 'OK', result: result.value }
    if ('body' in result) return result.body
    const { list, noun = 'records' } = result
    return list.length > 0
      ? { status: '1', message: 'OK', result: list }
      : { status: '0', message: `No ${noun} found`, result: list }
  } catch (error) {
    const fault = faultIn(error)
    return refused(publicWords(fault))
  }
}

function refused(result: string): Body {
  return { status: '0', message: 'NOTOK', result }
}
