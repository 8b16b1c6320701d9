/**
 * The form of Etherscan's API, which most tools of EVM chains speak: one path, `module` and `action`.
 *
 * A dialect over the questions of the other operations. Answers are 200 also where something is wrong:
 * `status` 0, `message` NOTOK and the reason in `result`, as that convention has it.
 * Source: Etherscan's documentation of its endpoints, V1 and V2.
 */

import { clip } from '../../core/bytes.ts'
import { Fault, faultIn } from '../../core/fault.ts'
import { nearest } from '../../core/text.ts'
import { ChainPath, NoPath } from '../../shape/evm/parameters.ts'
import { Type, type OptionalSchema } from '../../shape/type.ts'
import { sourceBytes, verifyMs } from '../evm/contracts/sourcify.ts'
import type { EvmContext } from '../evm/evm-context.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { publicWords } from '../operation/status.ts'
import { account } from './account.ts'
import { block, gastracker, logs, stats, transaction } from './chain.ts'
import { contract } from './contract.ts'
import { proxy } from './proxy.ts'
import { type Action, formWeight, type Query, type Result } from './query.ts'

const modules: ReadonlyMap<string, ReadonlyMap<string, Action>> = new Map([
  ['account', account],
  ['contract', contract],
  ['transaction', transaction],
  ['block', block],
  ['logs', logs],
  ['stats', stats],
  ['gastracker', gastracker],
  ['proxy', proxy],
])

/** Most characters of a parameter, but of those that have code or sources. */
const longestText = 8_192
const longTexts: ReadonlySet<string> = new Set([
  'sourcecode',
  'constructorarguements',
  'constructorarguments',
  'data',
  'hex',
])

const text = (description: string): OptionalSchema<string> =>
  Type.Optional(Type.String({ description, maxLength: longestText }))
const longText = (description: string): OptionalSchema<string> =>
  Type.Optional(Type.String({ description, maxLength: sourceBytes }))

/** Parameters of all actions. */
const parameters = {
  module: text(`one of ${[...modules.keys()].join(', ')}`),
  action: text('the action of the module, for instance txlist'),
  apikey: text('API key; the header x-service-api-key is another place for it'),
  address: text('address, or several with commas'),
  contractaddress: text('token or contract'),
  contractaddresses: text('up to five contracts'),
  txhash: text('hash of a transaction'),
  startblock: text('first block'),
  endblock: text('last block'),
  fromBlock: text('first block of logs'),
  toBlock: text('last block of logs'),
  page: text('page, from 1 on'),
  offset: text('rows of a page; page × offset is 10,000 at most'),
  sort: text('asc or desc'),
  tag: text('latest'),
  timestamp: text('Unix seconds'),
  closest: text('before or after'),
  guid: text('what a verification was answered with'),
  topic0: text('first topic'),
  topic1: text('second topic'),
  topic2: text('third topic'),
  topic3: text('fourth topic'),
  topic0_1_opr: text('and'),
  topic1_2_opr: text('and'),
  topic2_3_opr: text('and'),
  topic0_2_opr: text('and'),
  topic0_3_opr: text('and'),
  topic1_3_opr: text('and'),
  boolean: text('true: with whole transactions'),
  index: text('place in the block'),
  position: text('place in storage'),
  hex: longText('signed transaction'),
  to: text('contract that is called'),
  from: text('caller'),
  data: longText('input of a call'),
  value: text('wei of a call'),
  gas: text('gas of a call'),
  gasPrice: text('price of a call'),
}

const response = Type.Object(
  {
    status: Type.Optional(Type.String()),
    message: Type.Optional(Type.String()),
    result: Type.Optional(Type.Unknown()),
  },
  { description: 'status 1 and OK, or 0 with what is wrong in result' },
)
const chainid = { chainid: Type.String({ description: 'EVM chain id' }) }
const common = { tag: 'Etherscan form', weight: formWeight, anyQuery: true, response } as const
const form = {
  // What the form has besides depends on the action: sources, their settings, up to ten libraries.
  body: Type.Object({}, { description: 'the parameters, and sources of a verification' }),
} as const
const sent = { takesForm: true, bodyBytes: sourceBytes, timeoutMs: verifyMs } as const
const summary = 'The API of Etherscan: ?module=account&action=txlist&address=…'

const OfChain = {
  ...common,
  id: 'etherscanOfChain',
  path: '/v1/chains/{chainId}/api',
  summary,
  parameters: { path: ChainPath, query: Type.Object(parameters) },
} as const

const FormOfChain = {
  ...common,
  ...sent,
  id: 'etherscanFormOfChain',
  method: 'POST',
  path: '/v1/chains/{chainId}/api',
  summary: `${summary}, as a form`,
  parameters: { path: ChainPath, query: Type.Object(parameters), ...form },
} as const

const OfAll = {
  ...common,
  id: 'etherscan',
  path: '/v2/api',
  summary,
  parameters: { path: NoPath, query: Type.Object({ ...chainid, ...parameters }) },
} as const

const FormOfAll = {
  ...common,
  ...sent,
  id: 'etherscanForm',
  method: 'POST',
  path: '/v2/api',
  summary: `${summary}, as a form`,
  parameters: {
    path: NoPath,
    query: Type.Object({ chainid: Type.Optional(chainid.chainid), ...parameters }),
    ...form,
  },
} as const

type Body = { readonly status?: string; readonly message?: string; readonly result?: unknown }

/** The four operations: of one chain and of all, as a query and as a form. */
export function etherscanOperations(context: EvmContext): Operation[] {
  const answer = async (
    name: string | undefined,
    given: readonly object[],
    input: CallerInput,
  ): Promise<{ body: Body }> => ({ body: await answered(context, name, given, input) })
  return [
    operation(OfChain, (input) => answer(input.path.chainId, [input.query], input)),
    operation(FormOfChain, (input) => answer(input.path.chainId, [input.query, input.body], input)),
    operation(OfAll, (input) => answer(undefined, [input.query], input)),
    operation(FormOfAll, (input) => answer(undefined, [input.query, input.body], input)),
  ]
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
  [...Object.keys(parameters), ...formNames.split(/\s/), ...libraryNames.flat()].map((name) => [
    name.toLowerCase(),
    name,
  ]),
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
    const actions = modules.get(of('module') ?? '')
    if (actions === undefined) return refused('Error! Missing Or invalid Module name')
    const action = actions.get(of('action') ?? '')
    if (action === undefined)
      return refused(
        `Error! Missing Or invalid Action name; this module has here: ${[...actions.keys()].join(', ')}`,
      )
    const chain = context.chains.find(name ?? of('chainid') ?? '')
    return shown(await action({ context, chain, of, caller, charge, signal }))
  } catch (error) {
    const fault = faultIn(error)
    return refused(publicWords(fault))
  }
}

function refused(result: string): Body {
  return { status: '0', message: 'NOTOK', result }
}

function shown(result: Result): Body {
  if ('value' in result) return { status: '1', message: 'OK', result: result.value }
  if ('body' in result) return result.body
  const { list, noun = 'records' } = result
  return list.length > 0
    ? { status: '1', message: 'OK', result: list }
    : { status: '0', message: `No ${noun} found`, result: list }
}
