/** Ten contracts of three Vyper compilers, verified by standard JSON and as single files, in both forms of the API. */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { symlinkSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { freshFolder, until } from '../support/processes/firn-process.ts'
import { account, firnOverAnvil } from './anvil.ts'

const chainId = 43_995
const folderOf = (version: string): string =>
  join(import.meta.dirname, `node_modules/.vyper/vyper-${version}`)

/** Words that differ between the versions of the language. */
type Words = { readonly deploy: string; readonly log: string; readonly pragma: string }
const old: Words = { pragma: '# @version', deploy: '@external', log: 'msg.sender, amount' }
const versions: Readonly<Record<string, Words>> = {
  '0.3.9': old,
  '0.3.10': old,
  '0.4.3': { pragma: '# pragma version', deploy: '@deploy', log: 'by=msg.sender, amount=amount' },
}

type Sources = Readonly<Record<string, { readonly content: string }>>

/** Sources by path, of which the first has the contract, and the constructor's arguments. */
type Sample = { readonly version: string; readonly sources: Sources; readonly given: string }

const word = (value: number): string => value.toString(16).padStart(64, '0')

function samplesOf(version: string, { pragma, deploy, log }: Words): Sample[] {
  const head = `${pragma} ${version}\n`
  const plain = `${head}
event Stored:
    by: indexed(address)
    amount: uint256

value: public(uint256)

@external
def store(amount: uint256):
    self.value = amount
    log Stored(${log})
`
  const constructed = `${head}
value: public(uint256)

${deploy}
def __init__(first: uint256):
    self.value = first
`
  const fixed = `${head}
MOST: immutable(uint256)
NAME: immutable(String[40])

${deploy}
def __init__(most: uint256, name: String[40]):
    MOST = most
    NAME = name

@external
@view
def name() -> String[40]:
    return NAME

@external
@view
def most() -> uint256:
    return MOST
`
  const text = `${word(5)}${Buffer.from('glass').toString('hex').padEnd(64, '0')}`
  return [
    { version, sources: { 'src/Plain.vy': { content: plain } }, given: '' },
    { version, sources: { 'src/Constructed.vy': { content: constructed } }, given: word(7) },
    {
      version,
      sources: { 'src/Fixed.vy': { content: fixed } },
      given: word(100) + word(64) + text,
    },
  ]
}

const module: Sample = {
  version: '0.4.3',
  given: '',
  sources: {
    'src/Uses.vy': {
      content: `# pragma version 0.4.3
from src import sums

@external
@pure
def twice(a: uint256) -> uint256:
    return sums.add(a, a)
`,
    },
    'src/sums.vy': {
      content: `# pragma version 0.4.3
@internal
@pure
def add(a: uint256, b: uint256) -> uint256:
    return a + b
`,
    },
  },
}

function inputOf(sources: Sources): object {
  return { language: 'Vyper', sources, settings: { evmVersion: 'paris' } }
}

function codeOf({ version, sources }: Sample, path: string, name: string): string {
  const outputSelection = { '*': ['evm.bytecode'] }
  const input = { ...inputOf(sources), settings: { evmVersion: 'paris', outputSelection } }
  const printed = execFileSync(join(folderOf(version), 'bin/vyper-json'), {
    input: JSON.stringify(input),
    encoding: 'utf8',
  })
  const { contracts } = JSON.parse(printed) as {
    contracts: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>
  }
  return contracts[path]?.[name]?.evm.bytecode.object ?? ''
}

void test('vyper: ten contracts of three compilers are verified in both forms, and others refused', async (t) => {
  const folder = await freshFolder(t)
  mkdirSync(join(folder, 'compilers'))
  for (const version of Object.keys(versions)) {
    const made = folderOf(version)
    symlinkSync(made, join(folder, `compilers/vyper-${version}`))
  }
  const settings = `contracts: { compilers: ${join(folder, 'compilers')} }`
  const { anvil, firn } = await firnOverAnvil(t, { folder, chainId, settings })
  const api = `${firn.apiUrl}/v1/chains/${chainId}/api`
  const samples = [
    ...Object.entries(versions).flatMap(([version, words]) => samplesOf(version, words)),
    module,
  ]
  const deployed = new Array<{ sample: Sample; path: string; name: string; address: string }>()
  for (const sample of samples) {
    const [path = ''] = Object.keys(sample.sources)
    const name = /(\w+)\.vy$/.exec(path)?.[1] ?? ''
    const data = codeOf(sample, path, name) + sample.given
    const hash = await anvil.call('eth_sendTransaction', { from: account, data, gas: '0x2dc6c0' })
    let address: unknown
    await until('a receipt', async () => {
      const receipt = await anvil.call('eth_getTransactionReceipt', hash)
      address = Reflect.get(Object(receipt), 'contractAddress')
      return receipt !== null
    })
    deployed.push({ sample, path, name, address: String(address) })
  }
  await until('all are read', async () => {
    const reply = await fetch(`${api}?module=account&action=txlist&address=${account}`)
    return ((await reply.json()) as { result: unknown[] }).result.length === samples.length
  })

  const sourcify = async (address: string, body: object): Promise<string> => {
    const headers = { 'content-type': 'application/json' }
    const url = `${firn.apiUrl}/v2/verify/${chainId}/${address}`
    const sent = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    const { verificationId: id } = (await sent.json()) as { verificationId: string }
    const job = await (await fetch(`${firn.apiUrl}/v2/verify/${id}`)).json()
    return String(Reflect.get(Object(Reflect.get(Object(job), 'error')), 'message'))
  }
  const etherscan = async (fields: Readonly<Record<string, string>>): Promise<string> => {
    const form = { module: 'contract', action: 'verifysourcecode', ...fields }
    const sent = await fetch(api, { method: 'POST', body: new URLSearchParams(form) })
    const { result: guid } = (await sent.json()) as { result: string }
    const query = new URLSearchParams({ module: 'contract', action: 'checkverifystatus', guid })
    return ((await (await fetch(`${api}?${query}`)).json()) as { result: string }).result
  }
  for (const { sample, path, name, address } of deployed) {
    const { version, sources, given } = sample
    const words = `${version} ${name}`
    const contractIdentifier = `${path}:${name}`
    const claim = { stdJsonInput: inputOf(sources), compilerVersion: version, contractIdentifier }
    const [first, ...rest] = Object.entries(sources)
    const changed = { content: first?.[1].content.replace('uint256', 'uint128') ?? '' }
    const wrong = inputOf({ ...sources, [path]: changed })
    assert.match(
      await sourcify(address, { ...claim, stdJsonInput: wrong }),
      /the code is not|refuses/,
      words,
    )
    assert.equal(await sourcify(address, claim), 'undefined', words)
    const fields = {
      contractaddress: address,
      contractname: contractIdentifier,
      compilerversion: `vyper:${version}`,
      constructorArguements: given,
    }
    const json = { codeformat: 'vyper-json', sourceCode: JSON.stringify(inputOf(sources)) }
    assert.equal(await etherscan({ ...fields, ...json }), 'Pass - Verified', words)
    const single = { codeformat: 'vyper-single-file', sourceCode: first?.[1].content ?? '' }
    if (rest.length === 0)
      assert.equal(
        await etherscan({ ...fields, ...single, evmversion: 'paris' }),
        'Pass - Verified',
        words,
      )
    const { source } = (await firn.get(`/v1/chains/${chainId}/contracts/${address}`)) as {
      source: Record<string, unknown>
    }
    assert.equal(source['language'], 'Vyper', words)
    assert.equal(source['compilerVersion'], version, words)
    assert.equal(source['creationMatch'], 'partial', words)
    assert.equal(source['constructorArguments'], `0x${given}`, words)
  }
})
