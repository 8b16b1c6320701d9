/** Module `contract`: sources, ABIs, creations and verification. */

import {
  contractNameOf,
  readStandardInput,
  singleFileInput,
  type StandardInput,
} from '../../contracts/standard-input.ts'
import { toChecksumAddress } from '../../core/address.ts'
import { fromHex, to0x } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { isObject, ownValue } from '../../core/json.ts'
import { Etherscan } from '../../shape/operations/etherscan.ts'
import { EvmContracts } from '../../shape/operations/evm-contracts.ts'
import { addressId } from '../../store/query/evm/addresses.ts'
import { creationOfContract } from '../../store/query/evm/contracts.ts'
import { heightOf } from '../../store/query/evm/position.ts'
import { transactionAt } from '../../store/query/evm/transactions.ts'
import type { VerifiedContract } from '../../store/query/verified-contracts.ts'
import { answerOfNode } from '../evm/answers.ts'
import { creationCode } from '../evm/contracts/creation-code.ts'
import { endedOf, verification } from '../evm/contracts/verification.ts'
import { type Action, addressOf, type Query, needed, readAddress, type Result } from './query.ts'

const mostCreations = 5

/** Actions by name. */
export const contract: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['getabi', abi],
  ['getsourcecode', sourceCode],
  ['getcontractcreation', creations],
  ['verifysourcecode', verify],
  ['checkverifystatus', status],
  ['verifyproxycontract', proxy],
  ['checkproxyverification', checkProxy],
])

const unverified = 'Contract source code not verified'

async function abi(query: Query): Promise<Result> {
  const { context, chain, signal } = query
  const known = await context.contracts.find(chain, addressOf(query, 'address'), signal)
  if (known === undefined) throw new Fault('not-found', unverified)
  return { value: JSON.stringify(known.contract.body.abi) }
}

async function sourceCode(query: Query): Promise<Result> {
  const { context, chain, signal } = query
  const address = addressOf(query, 'address')
  const [known, led] = await Promise.all([
    context.contracts.find(chain, address, signal),
    answerOfNode(context.clock, signal, (until) =>
      context.contracts.proxyAt(chain, address, until),
    ),
  ])
  const [implementation] = led?.implementations ?? []
  return {
    list: [
      {
        ...(known === undefined ? noSource : sourceOf(known.contract)),
        Proxy: implementation === undefined ? '0' : '1',
        Implementation: implementation === undefined ? '' : to0x(implementation),
        SimilarMatch:
          known === undefined || known.isOwn ? '' : toChecksumAddress(known.contract.address),
      },
    ],
  }
}

const noSource = {
  SourceCode: '',
  ABI: unverified,
  ContractName: '',
  ContractFileName: '',
  CompilerVersion: '',
  CompilerType: '',
  OptimizationUsed: '',
  Runs: '',
  ConstructorArguments: '',
  EVMVersion: 'Default',
  Library: '',
  LicenseType: 'Unknown',
  SwarmSource: '',
}

const compilerTypes = { Solidity: 'solc-j', Yul: 'solc-yul', Vyper: 'vyper' }

function sourceOf({ name, version, body }: VerifiedContract): typeof noSource {
  const { input, constructorArguments = '0x' } = body
  const { optimizer, evmVersion } = input.settings
  const { path = '', name: own } = contractNameOf(name)
  const { enabled, runs } = isObject(optimizer) ? optimizer : {}
  return {
    ...noSource,
    // Two braces distinguish standard JSON from a single file.
    SourceCode: `{${JSON.stringify(input)}}`,
    ABI: JSON.stringify(body.abi),
    ContractName: own,
    ContractFileName: path,
    CompilerVersion: `${input.language === 'Vyper' ? 'vyper:' : 'v'}${version}`,
    CompilerType: ownValue(compilerTypes, input.language) ?? '',
    OptimizationUsed: enabled === true ? '1' : '0',
    Runs: String(typeof runs === 'number' ? runs : 200),
    ConstructorArguments: constructorArguments.slice(2),
    EVMVersion: typeof evmVersion === 'string' ? evmVersion : 'Default',
  }
}

async function creations(query: Query): Promise<Result> {
  const { context, chain, signal } = query
  const { store } = chain
  const texts = needed(query, 'contractaddresses')
    .split(',')
    .map((one) => one.trim())
  if (texts.length > mostCreations)
    throw new Fault('bad-parameter', `Error! at most ${mostCreations} contracts`)
  const found = await Promise.all(
    texts.map(async (text) => {
      const address = readAddress(text)
      const id = await addressId(store, address)
      const creation = id === undefined ? undefined : await creationOfContract(store, id)
      if (creation === undefined) return []
      const transaction = await transactionAt(store, creation.txPos)
      if (transaction === undefined) return []
      const { creatorId } = creation
      const ids = creatorId === undefined ? [transaction.fromId] : [transaction.fromId, creatorId]
      const named = await context.addressBooks(chain).load(ids)
      const code = await creationCode(chain, address, { clock: context.clock, signal })
      return [
        {
          contractAddress: text.toLowerCase(),
          contractCreator: named(transaction.fromId).address.toLowerCase(),
          txHash: transaction.hash,
          blockNumber: String(heightOf(transaction.pos)),
          timestamp: String(transaction.timestamp),
          contractFactory: creatorId === undefined ? '' : named(creatorId).address.toLowerCase(),
          creationBytecode: code === undefined ? '' : to0x(code),
        },
      ]
    }),
  )
  return { list: found.flat() }
}

/** Takes the fields of the form, some of whose names are spelled as their inventor spelled them. */
async function verify(query: Query): Promise<Result> {
  const { context, chain, of, charge, caller, signal } = query
  const encoded = of('constructorArguements') ?? of('constructorArguments')
  const claim = {
    input: inputOf(query),
    contract: contractNameOf(needed(query, 'contractname')),
    version: needed(query, 'compilerversion'),
    constructorArguments: encoded === undefined ? undefined : fromHex(encoded),
  }
  const address = addressOf(query, 'contractaddress')
  const before = await context.contracts.find(chain, address, signal)
  if (before?.isOwn === true && before.contract.runtimeMatch === 'full')
    throw new Fault('bad-parameter', 'Contract source code already verified')
  await charge(EvmContracts.verifyContract.weight - Etherscan.etherscan.weight)
  const { id } = await verification(context, { chain, address, claim, caller, signal })
  return { value: id }
}

function inputOf(query: Query): StandardInput {
  const { of } = query
  const source = needed(query, 'sourceCode')
  const format = of('codeformat') ?? 'solidity-single-file'
  if (format === 'solidity-standard-json-input' || format === 'vyper-json')
    return readStandardInput(source)
  if (format !== 'solidity-single-file' && format !== 'vyper-single-file')
    throw new Fault('bad-parameter', `codeformat is not offered here: ${format.slice(0, 80)}`)
  const evmVersion = (of('evmversion') ?? 'default').toLowerCase()
  const places = Array.from({ length: mostLibraries }, (_, at) => at + 1)
  return singleFileInput({
    ...contractNameOf(needed(query, 'contractname')),
    language: format === 'vyper-single-file' ? 'Vyper' : 'Solidity',
    source,
    optimizer: { enabled: of('optimizationUsed') === '1', runs: Number(of('runs') ?? 200) },
    evmVersion: evmVersion === 'default' ? undefined : evmVersion,
    libraries: Object.fromEntries(
      places.flatMap((at) => {
        const [name, address] = [of(`libraryname${at}`), of(`libraryaddress${at}`)]
        return name === undefined || address === undefined ? [] : [[name, address]]
      }),
    ),
  })
}

const mostLibraries = 10

async function status(query: Query): Promise<Result> {
  const ended = endedOf(query.context, needed(query, 'guid'))
  if (ended === undefined) throw new Fault('not-found', 'Fail - no verification has this guid')
  const { problem } = ended
  if (problem !== undefined) throw new Fault('bad-parameter', `Fail - Unable to verify: ${problem}`)
  return { value: 'Pass - Verified' }
}

/** Proxies are found whenever they are read: there is nothing to wait for. */
async function proxy(query: Query): Promise<Result> {
  const { context, chain, signal } = query
  const address = addressOf(query, 'address')
  const [implementation] =
    (await context.contracts.proxyAt(chain, address, signal))?.implementations ?? []
  if (implementation === undefined) throw new Fault('bad-parameter', 'this contract is no proxy')
  return { value: `${to0x(address)}${to0x(implementation).slice(2)}` }
}

async function checkProxy(query: Query): Promise<Result> {
  const guid = /^(0x[0-9a-f]{40})([0-9a-f]{40})$/.exec(needed(query, 'guid'))
  if (guid === null) throw new Fault('not-found', 'Fail - no proxy has this guid')
  return {
    value: `The proxy's (${guid[1]}) implementation contract is found at 0x${guid[2]} and is successfully updated.`,
  }
}
