/** Verified contracts, the forms of Etherscan and Sourcify, and reasons of reverts, of a recorded chain. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { encodeAbiParameters, encodeFunctionData, parseAbi } from 'viem'

import { abiOfStandard } from '../../../src/api/evm/abi/known-abis.ts'
import { toChecksumAddress } from '../../../src/core/address.ts'
import { fromHex } from '../../../src/core/bytes.ts'
import {
  contractChain,
  contractInput,
  contractService,
  made,
  sendForm,
  solcVersion,
} from '../../support/services/contract-service.ts'
import { evmService, type Json } from '../../support/services/evm-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'
import { expectedTransfers } from './replay.ts'

const service = await contractService()
const path = `/v1/chains/${contractChain}`
const etherscan = async (query: string): Promise<Json> =>
  (await service.get(`${path}/api?${query}`)).body

/** Hashes of all transactions, oldest first, and what they are by their place among them. */
const transactions: Json[] = (
  await service.readAll(`${path}/transactions?pageSize=100`, 'transactions')
).toReversed()
const reasonOf = async (place: number): Promise<Json> => {
  const { body } = await service.get(`${path}/transactions/${transactions[place].txHash}`)
  return body.nativeTransaction.revertReason
}

// Of the order of `record-contracts.ts`.
const places = {
  make: 4,
  clone: 5,
  proxy: 6,
  beaconProxy: 8,
  diamond: 9,
  tooFar: 11,
  proxyFails: 15,
}

/** Addresses that the creations made, as the node's receipts told them when it was recorded. */
const history: Json = await etherscan(
  'module=account&action=txlist&address=0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
)
const createdAt = (place: number): string => history.result[place].contractAddress

void test('contracts: before one is verified, tools are told so', async () => {
  const abi = await etherscan(`module=contract&action=getabi&address=${made.counter}`)
  assert.deepEqual(abi, {
    status: '0',
    message: 'NOTOK',
    result: 'Contract source code not verified',
  })
  const source = await service.get(`${path}/contracts/${made.counter}`)
  assert.deepEqual(source.body, {
    address: toChecksumAddress(fromHex(made.counter)),
    compilers: [solcVersion],
  })
  // The form of a 404 that Sourcify's clients read.
  const sourcify = await service.get(`/v2/contract/${contractChain}/${made.counter}`)
  assert.equal(sourcify.status, 404, JSON.stringify(sourcify.body))
  assert.deepEqual(sourcify.body, {
    match: null,
    creationMatch: null,
    runtimeMatch: null,
    chainId: String(contractChain),
    address: toChecksumAddress(fromHex(made.counter)),
  })
})

void test('contracts: reasons of reverts are told by traces, those of errors once their ABI is known', async () => {
  const texts = await Promise.all([12, 13, 14].map(reasonOf))
  assert.deepEqual(
    texts.map(({ message }) => message),
    ['told to fail', 'an assertion failed (panic 0x01)', 'execution reverted'],
  )
  assert.equal((await reasonOf(places.tooFar)).decoded, undefined)
  assert.equal((await reasonOf(places.tooFar)).data.slice(0, 10), '0xe3dbd75b')
})

void test('contracts: standard JSON in the form of Etherscan is compiled and compared', async () => {
  const told = encodeAbiParameters([{ type: 'string' }, { type: 'uint256' }], ['my counter', 100n])
  const sent = await sendForm(service, {
    module: 'contract',
    action: 'verifysourcecode',
    contractaddress: made.counter,
    codeformat: 'solidity-standard-json-input',
    sourceCode: JSON.stringify(contractInput()),
    contractname: 'contracts.sol:Counter',
    compilerversion: `v${solcVersion}`,
    constructorArguements: told.slice(2),
  })
  assert.equal(sent.message, 'OK')
  const state = await etherscan(`module=contract&action=checkverifystatus&guid=${sent.result}`)
  assert.deepEqual(state, { status: '1', message: 'OK', result: 'Pass - Verified' })

  const { body } = await service.get(`${path}/contracts/${made.counter}`)
  assert.equal(body.source.match, 'full')
  assert.equal(body.source.creationMatch, 'full')
  assert.equal(body.source.compilerVersion, solcVersion)
  assert.deepEqual(
    body.source.decodedConstructor.parameters.map(({ value }: Json) => value),
    ['my counter', '100'],
  )
  const source = await etherscan(`module=contract&action=getsourcecode&address=${made.counter}`)
  const [found] = source.result
  assert.equal(found.ContractName, 'Counter')
  assert.equal(`0x${found.ConstructorArguments}`, told)
  assert.deepEqual(JSON.parse(found.SourceCode.slice(1, -1)), contractInput())
})

void test('contracts: a verified ABI is read for inputs and errors, through proxies of every kind', async () => {
  const words = 'TooFar(asked: 1007, most: 100)'
  assert.equal((await reasonOf(places.tooFar)).message, words)
  // The form of Etherscan tells the same reason.
  for (const [place, told] of [
    [places.tooFar, { isError: '1', errDescription: words }],
    [places.make, { isError: '0', errDescription: '' }],
  ] as const) {
    const { txHash } = transactions[place]
    const { result } = await etherscan(`module=transaction&action=getstatus&txhash=${txHash}`)
    assert.deepEqual(result, told)
  }
  const { result: modules } = await etherscan('module=tokens&action=list')
  assert.match(modules, /^Error! Missing Or invalid Module name; here are: account, contract,/)
  const { body } = await service.get(
    `${path}/transactions/${transactions[places.proxyFails].txHash}`,
  )
  assert.equal(body.nativeTransaction.decodedInput.signature, 'fail(uint256)')
  // Lists ask no node whose method it is: its selector alone tells.
  assert.equal(transactions[places.tooFar].method.methodName, undefined)
  const newest = await service.readAll(`${path}/transactions?pageSize=100`, 'transactions')
  assert.equal(newest.toReversed()[places.tooFar].method.methodName, 'add(uint256)')

  const counter = made.counter.toLowerCase()
  const cloneAddress = (
    await etherscan(
      `module=account&action=txlistinternal&txhash=${transactions[places.clone].txHash}`,
    )
  ).result[0].contractAddress
  const kinds = [
    [createdAt(places.proxy), 'erc1967'],
    [cloneAddress, 'minimal'],
    [createdAt(places.beaconProxy), 'beacon'],
    [createdAt(places.diamond), 'diamond'],
  ] as const
  for (const [address, kind] of kinds) {
    const { body: code } = await service.get(`${path}/contracts/${address}`)
    assert.equal(code.proxy.kind, kind, address)
    assert.equal(code.proxy.implementations[0].address.toLowerCase(), counter)
    assert.equal(code.proxy.implementations[0].source.name, 'Counter')
    assert.equal(code.source, undefined)
  }
  const proxied = await etherscan(
    `module=contract&action=getsourcecode&address=${createdAt(places.proxy)}`,
  )
  assert.equal(proxied.result[0].Proxy, '1')
  assert.equal(proxied.result[0].Implementation, counter)
})

void test('contracts: Sourcify is told a partial match where a comment differs, and a job that failed', async () => {
  const verify = async (address: string, contractIdentifier: string): Promise<Json> => {
    const stdJsonInput = contractInput({ source: (text) => `${text}\n// another end` })
    const reply = await fetch(`${service.url}/v2/verify/${contractChain}/${address}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ stdJsonInput, compilerVersion: solcVersion, contractIdentifier }),
    })
    assert.equal(reply.status, 202)
    const { verificationId } = (await reply.json()) as Json
    return (await service.get(`/v2/verify/${verificationId}`)).body
  }
  const maker = await verify(made.maker, 'contracts.sol:Maker')
  assert.equal(maker.error, undefined)
  assert.equal(maker.contract.runtimeMatch, 'match')
  assert.equal(maker.contract.creationMatch, 'match')
  const other = await verify(made.maker, 'contracts.sol:Nothing')
  assert.equal(other.isJobCompleted, true)
  assert.equal(other.error.customCode, 'invalid_parameter')
  const { body } = await service.get(
    `/v2/contract/${contractChain}/${made.maker}?fields=abi,compilation,sources`,
  )
  assert.equal(body.match, 'match')
  assert.equal(body.compilation.fullyQualifiedName, 'contracts.sol:Maker')
})

void test('contracts: the verified ones are listed, newest first, and marked among all', async () => {
  const verified = await service.readAll(`${path}/contracts?verified=true&pageSize=1`, 'contracts')
  const times = verified.map(({ source }) => source.verifiedAt)
  assert.deepEqual(
    times,
    times.toSorted((a: number, b: number) => b - a),
  )
  // Each is called as it is verified, and who created it is known.
  for (const { label, symbol = '', source, deploymentDetails } of verified) {
    assert.equal(label, symbol === '' ? source.name : symbol)
    assert.match(deploymentDetails.deployerAddress, /^0x/)
  }
  const all = await service.readAll(`${path}/contracts?pageSize=2`, 'contracts')
  assert.equal(all[0].address.toLowerCase(), createdAt(places.diamond))
  const marked = all.filter(({ source }) => source !== undefined)
  const nameOf = ({ address, source: { name, match } }: Json): Json => [address, name, match]
  assert.deepEqual(
    new Set(marked.map((one) => JSON.stringify(nameOf(one)))),
    new Set(verified.map((one) => JSON.stringify(nameOf(one)))),
  )
  assert.ok(
    marked.some(
      (one) => nameOf(one).join() === `${toChecksumAddress(fromHex(made.counter))},Counter,full`,
    ),
  )
})

void test('contracts: a token that is not verified has the ABI of its standard', async () => {
  const demo = await evmService({ chains: [51002] })
  for (const wanted of [20, 721, 1155]) {
    const logged = expectedTransfers(51002).find(({ standard }) => standard === wanted)
    const { body } = await demo.get(`/v1/chains/51002/contracts/${logged?.token ?? ''}`)
    assert.deepEqual(body.standardAbi, abiOfStandard(wanted))
  }
})

void test('contracts: an account’s history in the form of Etherscan is that of the lists', async () => {
  assert.deepEqual(
    history.result.map(({ hash }: Json) => hash),
    transactions.map(({ txHash }) => txHash),
  )
  const pages = await Promise.all(
    [1, 2, 3, 4].map((page) =>
      etherscan(
        `module=account&action=txlist&address=0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266&page=${page}&offset=5&sort=desc`,
      ),
    ),
  )
  assert.deepEqual(
    pages.flatMap(({ result }) => result.map(({ hash }: Json) => hash)),
    transactions.map(({ txHash }) => txHash).toReversed(),
  )
  const beyond = await etherscan(
    'module=account&action=txlist&address=0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266&page=3&offset=5000',
  )
  assert.equal(beyond.status, '0')
  assert.match(beyond.result, /^Result window is too large/)
  const of = await service.get(
    `/v2/api?chainid=${contractChain}&module=block&action=getblocknobytime&timestamp=1&closest=after`,
  )
  assert.equal(of.body.result, '0')
  const form = await fetch(`${service.url}/v2/api?chainid=${contractChain}`, {
    method: 'POST',
    body: new URLSearchParams({ module: 'account', action: 'balance', address: made.maker }),
  })
  assert.equal(((await form.json()) as Json).result, '0')
})

void test('contracts: parameters in the form of Etherscan have names without regard to case, each once', async () => {
  const list = `module=account&action=txlist&address=${history.result[0].from}`
  const some = await etherscan(`${list}&startblock=3&endblock=5`)
  assert.equal(some.result.length, 3)
  for (const query of ['startBlock=3&endBlock=5', 'STARTBLOCK=3&endblock=5&endBlock=5'])
    assert.deepEqual(await etherscan(`${list}&${query}`), some, query)
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['startblok=3', /^Error! startblok is no parameter here, did you mean startblock\?$/],
    ['startblock=3&startBlock=4', /^Error! startBlock must be one text$/],
    ['startblock=3&startblock=4', /^Error! startblock must be one text$/],
    [`startblock=${'3'.repeat(9_000)}`, /^Error! startblock is too long$/],
  ]
  for (const [query, words] of wrong) {
    const { status, message, result } = await etherscan(`${list}&${query}`)
    assert.deepEqual([status, message], ['0', 'NOTOK'], query)
    assert.match(result, words)
  }
  const form = new URLSearchParams([
    ['module', 'account'],
    ['action', 'balance'],
    ['address', made.maker],
    ['address', made.counter],
  ])
  const reply = await fetch(`${service.url}${path}/api`, { method: 'POST', body: form })
  assert.equal(((await reply.json()) as Json).result, 'Error! address must be one text')
  const balance = `module=account&action=balance&address=${made.maker}`
  assert.equal((await etherscan(`${balance}&tag=latest`)).result, '0')
  const odd = await etherscan(`${balance}&tag=finalised`)
  assert.match(odd.result, /^Error! Invalid tag: finalised$/)
})

void test('contracts: the form of Etherscan is answered at the root of the host, too', async () => {
  const query = `chainid=${contractChain}&module=contract&action=getabi&address=${made.counter}`
  const { body: expected } = await service.get(`/v2/api?${query}`)
  assert.equal(expected.status, '1')
  assert.deepEqual((await service.get(`/?${query}`)).body, expected)
  const form = await fetch(`${service.url}/`, { method: 'POST', body: new URLSearchParams(query) })
  assert.deepEqual(await form.json(), expected)
  // Without it the root is what it is without.
  assert.equal((await service.get('/')).status, 404)
  const other = await fetch(`${service.url}/`, { method: 'POST', body: 'module=contract' })
  assert.equal(other.status, 404)
})

void test('contracts: both forms answer with a slash behind their path, too', async () => {
  const query = `module=account&action=balance&address=${made.maker}`
  const { status, body } = await service.get(`${path}/api/?${query}`)
  assert.deepEqual([status, body.result], [200, '0'])
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_getCode', params: [made.maker, 'latest'] }
  const reply = await fetch(`${service.url}${path}/rpc/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(call),
  })
  assert.match(((await reply.json()) as Json).result, /^0x60/)
})

void test('contracts: creations are told with their code, also of those made inside', async () => {
  const madeInside = (
    await etherscan(
      `module=account&action=txlistinternal&txhash=${transactions[places.make].txHash}`,
    )
  ).result[0].contractAddress
  const { result } = await etherscan(
    `module=contract&action=getcontractcreation&contractaddresses=${made.counter},${madeInside}`,
  )
  assert.deepEqual(
    result.map(({ contractFactory }: Json) => contractFactory),
    ['', made.maker],
  )
  const argument = encodeAbiParameters([{ type: 'string' }, { type: 'uint256' }], ['made', 50n])
  assert.ok(result[1].creationBytecode.endsWith(argument.slice(2)))
  // The same code but for an immutable: it is another contract's, to the byte of its hash.
  const inside = await service.get(`${path}/contracts/${madeInside}`)
  assert.equal(inside.body.source, undefined)
})

void test('contracts: calls are handed on, one or many, if they only read', async () => {
  const call = async (rpc: string, body: unknown): Promise<Json> => {
    const reply = await fetch(`${service.url}${rpc}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    assert.equal(reply.status, 200)
    return reply.json()
  }
  const code = (id: unknown, method = 'eth_getCode'): object => ({
    jsonrpc: '2.0',
    id,
    method,
    params: [made.maker, 'latest'],
  })
  const one = await call(`${path}/rpc`, code('a'))
  assert.equal(one.id, 'a')
  assert.match(one.result, /^0x60[0-9a-f]+$/)
  assert.deepEqual(await call(`/ext/bc/${contractChain}/rpc`, code('a')), one)
  const many = await call(`${path}/rpc`, [
    code(1),
    code(2, 'debug_traceTransaction'),
    { id: 3, method: 'eth_getCode' },
    code(4, 'eth_sendRawTransaction'),
  ])
  assert.deepEqual(
    many.map(({ id, error }: Json) => [id, error?.code]),
    [
      [1, undefined],
      [2, -32_601],
      [3, -32_600],
      [4, -32_601],
    ],
  )
  const flood = await call(
    `${path}/rpc`,
    Array.from({ length: 101 }, (_, id) => code(id)),
  )
  assert.equal(flood.error.code, -32_600)
  const unknown = await call('/v1/chains/43114/rpc', code(1))
  assert.match(unknown.error.message, /chain is not served here: 43114/)
  const proxied = await etherscan(`module=proxy&action=eth_getCode&address=${made.maker}`)
  assert.equal(proxied.result, one.result)
  const info = await service.get(path)
  assert.ok(info.body.rpcUrl.endsWith(`${path}/rpc`))
})

void test('contracts: the id of a call comes back digit for digit', async () => {
  const ids = ['9007199254740992', '9007199254740993', '1.50', '1e3', '-0', '"9007199254740993"']
  const calls = ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId","params":[]}`)
  const raw = async (place: string, body: string): Promise<string[]> => {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${service.url}${place}`, { method: 'POST', headers, body })
    return Array.from((await reply.text()).matchAll(/"id":([^,}]+)/g), ([, id = '']) => id)
  }
  for (const place of [`${path}/rpc`, `/ext/bc/${contractChain}/rpc`, '/v1/nowhere']) {
    for (const [at, call] of calls.entries()) assert.deepEqual(await raw(place, call), [ids[at]])
    if (place !== '/v1/nowhere')
      assert.deepEqual(await raw(place, `[1,${calls.join()}]`), ['null', ...ids])
  }
})

void test('contracts: methods are called by their ABI, each answer in its place', async () => {
  const call = async (address: string, body: object): Promise<Json> => {
    const reply = await fetch(`${service.url}${path}/contracts/${address}/calls`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: reply.status, body: await reply.json() }
  }
  const outputs = [{ type: 'address[]', name: 'all' }]
  const facets = { type: 'function', name: 'facetAddresses', inputs: [], outputs }
  const twice = {
    type: 'function',
    name: 'twice',
    inputs: [{ type: 'uint256', name: 'value' }],
    outputs: [{ type: 'uint256', name: '' }],
  }
  // The diamond was made with these two.
  const told = await call(createdAt(places.diamond), {
    calls: [{ abi: facets }, { abi: twice, arguments: ['21'] }],
  })
  assert.equal(told.status, 200)
  const [first, second] = told.body.calls
  const all = [made.counter, made.maker].map((one) => toChecksumAddress(fromHex(one)))
  const names = Object.fromEntries(all.map((one, at) => [one, ['Counter', 'Maker'][at]]))
  assert.deepEqual(first.values, [
    { name: 'all', type: 'address[]', value: JSON.stringify(all), labels: names },
  ])
  assert.equal(
    second.data,
    encodeFunctionData({ abi: parseAbi(['function twice(uint256)']), args: [21n] }),
  )
  assert.match(second.error, /the recording does not hold/)
  const refused = await call(made.counter, { calls: [{ abi: facets }] })
  assert.equal(refused.body.calls[0].error, 'reverted without a reason')
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ calls: [{ abi: twice, arguments: ['many'] }] }, /value is no uint256: "many"/],
    [{ calls: [{ abi: twice }] }, /1 arguments are due: 0/],
    [{ calls: [{ abi: { type: 'event', name: 'a', inputs: [] } }] }, /abi is not of a method/],
    [{ calls: [{ abi: 'twice' }] }, /an entry of the ABI is no object/],
    [{ calls: [] }, /calls/],
  ]
  for (const [body, message] of wrong) {
    const reply = await call(made.counter, body)
    assert.equal(reply.status, 400)
    assert.match(
      JSON.stringify(reply.body.message),
      new RegExp(message.source.replaceAll('"', '.{1,2}')),
    )
  }
})

provesOperations(
  [service],
  [
    'callContract',
    'getContractCode',
    'listContracts',
    'callChain',
    'callBlockchain',
    'verifyContract',
    'getVerification',
    'getSourcifyContract',
    'etherscan',
    'etherscanForm',
    'etherscanOfChain',
    'etherscanFormOfChain',
  ],
)
