/** Verification of what is hard to tell apart, and sources that are meant to do harm. */

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setImmediate as turnOfLoop } from 'node:timers/promises'

import { compile, type CompileLimits } from '../../src/contracts/compiler.ts'
import { Fault } from '../../src/core/fault.ts'
import { until } from '../support/processes/firn-process.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import {
  compileLimits,
  contractInput,
  contractService,
  made,
  npmCompiler,
  sendForm,
  solcVersion,
} from '../support/services/contract-service.ts'
import type { Json } from '../support/services/evm-service.ts'

/** Compiles one source with the compiler of npm. */
async function compiled(content: string, limits: CompileLimits): Promise<unknown> {
  const { signal } = new AbortController()
  const outputSelection = { '*': { '*': ['evm.bytecode'] } }
  const settings = { optimizer: { enabled: true, runs: 200 }, viaIR: true, outputSelection }
  const input = { language: 'Solidity', sources: { 'a.sol': { content } }, settings }
  const compiler = await npmCompiler.load(solcVersion)
  return compile({ compiler, input }, { limits, signal })
}

/** A contract that takes long: many functions with many branches. */
const bombOf = (functions: number): string =>
  `pragma solidity ^0.8.0; contract Bomb { ${Array.from(
    { length: functions },
    (_, at) =>
      `function f${at}(uint a, uint b) external pure returns (uint c) { ${'if (a > b) { c += a * b; } else { c ^= a + b; } '.repeat(20)} }`,
  ).join('\n')} }`

void test('compiling: a bomb ends with a sentence, in time', async () => {
  await assert.rejects(
    compiled(bombOf(400), { ...compileLimits, seconds: 3 }),
    (error) =>
      error instanceof Fault && error.message === 'compiling takes more than 3 s of a processor',
  )
})

void test('compiling: more memory than is allowed ends with a sentence', async () => {
  await assert.rejects(
    compiled(bombOf(400), { ...compileLimits, memoryBytes: 33_554_432 }),
    (error) => error instanceof Fault && error.code === 'bad-parameter',
  )
})

/** Stops the compiler for so long while it works, as a machine does that has much else to do. */
async function heldUp(seconds: number): Promise<void> {
  const children = (): string[] =>
    readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
  await until('a compiler works', () => children()[0] !== '')
  const id = Number(children()[0])
  process.kill(id, 'SIGSTOP')
  await systemClock.sleep(seconds * 1_000)
  process.kill(id, 'SIGCONT')
}

void test('compiling: a busy machine has time, as only that of a processor counts', async () => {
  const seconds = 6
  const [output] = await Promise.all([
    compiled(bombOf(4), { ...compileLimits, seconds }),
    heldUp(seconds + 1),
  ])
  assert.ok(output)
})

/** Structures in structures, twice in each: the compiler's own sizes double forty times. */
const structs = `struct S0 { uint a; } ${Array.from(
  { length: 40 },
  (_, at) => `struct S${at + 1} { S${at} a; S${at} b; }`,
).join(' ')} contract A { S40 s; }`
const arrays = `contract A { uint${'[1]'.repeat(5_000)} a; }`

void test('compiling: bombs of two kinds take no more memory than is allowed', async () => {
  const stop = new AbortController()
  const peaks = watchChildren(stop.signal)
  for (const source of [structs, arrays])
    await assert.rejects(compiled(source, compileLimits), /the compiler (failed|refuses)/)
  stop.abort()
  const most = Math.max(...(await peaks))
  assert.ok(most > 100 * 2 ** 20, 'the compilers were seen')
  assert.ok(most <= compileLimits.memoryBytes * 1.1, `${most / 2 ** 20} MiB`)
})

/** Most resident bytes of each child process, as the system knows them. */
async function watchChildren(signal: AbortSignal): Promise<number[]> {
  const peaks = new Map<string, number>()
  while (!signal.aborted) {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    for (const id of children.split(' ').filter((each) => each !== '')) {
      const path = `/proc/${id}/status`
      const peak = existsSync(path) ? /VmHWM:\s+(\d+)/.exec(readFileSync(path, 'utf8'))?.[1] : '0'
      peaks.set(id, Math.max(peaks.get(id) ?? 0, Number(peak ?? 0) * 1_024))
    }
    await turnOfLoop()
  }
  return [...peaks.values()]
}

void test("compiling: a refusal carries the compiler's message", async () => {
  await assert.rejects(
    compiled('contract A { uint a = b; }', compileLimits),
    /the compiler refuses the sources: [^]*Undeclared identifier/,
  )
})

const service = await contractService()
const verify = async (address: string, name: string, input = contractInput()): Promise<string> => {
  const sent = await sendForm(service, {
    module: 'contract',
    action: 'verifysourcecode',
    contractaddress: address,
    codeformat: 'solidity-standard-json-input',
    sourceCode: JSON.stringify(input),
    contractname: `contracts.sol:${name}`,
    compilerversion: `v${solcVersion}`,
  })
  if (sent.message !== 'OK') return sent.result
  const { body } = await service.get(
    `/v1/chains/43999/api?module=contract&action=checkverifystatus&guid=${sent.result}`,
  )
  return body.result
}

void test('contracts: libraries, linked contracts and those made inside are proved', async () => {
  assert.equal(await verify(made.doubling, 'Doubling'), 'Pass - Verified')
  assert.equal(await verify(made.doubler, 'Doubler'), 'Pass - Verified')
  const { result }: Json = (
    await service.get(
      `/v1/chains/43999/api?module=account&action=txlistinternal&address=${made.maker}`,
    )
  ).body
  const inside = result.find(({ type }: Json) => type === 'create').contractAddress
  assert.equal(await verify(inside, 'Counter'), 'Pass - Verified')
  const { body } = await service.get(`/v1/chains/43999/contracts/${inside}`)
  assert.equal(body.source.decodedConstructor.parameters[0].value, 'made')
})

void test('contracts: other settings, another constructor and another contract are refused', async () => {
  const settings = { optimizer: { enabled: false } }
  assert.match(
    await verify(made.counter, 'Counter', contractInput({ settings })),
    /^Fail - Unable to verify: the code is not that of the contract: \d+ bytes were compiled, \d+ are deployed/,
  )
  const source = (text: string): string => text.replace('most = most_;', 'most = most_ + 1;')
  assert.match(
    await verify(made.counter, 'Counter', contractInput({ source })),
    /what runs is the same, but not what created it/,
  )
  assert.match(await verify(made.counter, 'Maker'), /the code is not that of the contract/)
  assert.match(await verify(made.counter, 'Delegating'), /is abstract or an interface/)
})

void test('contracts: a waiting verification shows how many are before it, until it is done', async () => {
  const places = async (): Promise<string> => {
    const paths = [made.counter, made.maker].map((each) => `/v1/chains/43999/contracts/${each}`)
    const pages = await Promise.all(paths.map((path) => service.get(path)))
    return pages.map(({ body }) => body.verificationsAhead ?? 'none').join(' ')
  }
  const source = (text: string): string => text.replace('most = most_;', 'most = most_ + 1;')
  const wrong = verify(made.counter, 'Counter', contractInput({ source }))
  const right = verify(made.maker, 'Maker')
  let isOver = false
  const both = Promise.all([wrong, right]).finally(() => (isOver = true))
  const seen = new Set<string>()
  while (!isOver) seen.add(await places())
  const [refused, proved] = await both
  assert.match(refused, /^Fail/)
  assert.equal(proved, 'Pass - Verified')
  assert.ok(seen.has('0 1') || seen.has('1 0'), [...seen].join())
  assert.equal(await places(), 'none none')
})

void test('contracts: of ten at once from one caller two are accepted, the others are refused with the reason', async () => {
  const all = await Promise.all(Array.from({ length: 10 }, () => verify(made.counter, 'Counter')))
  const busy = all.filter((result) => /of them yours: try again/.test(result))
  assert.equal(busy.length, 8)
  assert.equal(all.filter((result) => result === 'Pass - Verified').length, 2)
})

void test('contracts: a proof goes on after its caller was cut off', async () => {
  // One where nothing is proved yet.
  const fresh = await contractService()
  const gone = new AbortController()
  const body = JSON.stringify({
    stdJsonInput: contractInput(),
    compilerVersion: solcVersion,
    contractIdentifier: 'contracts.sol:Counter',
  })
  const sent = fetch(`${fresh.url}/v2/verify/43999/${made.counter}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: gone.signal,
  })
  const seen = async (): Promise<Json> =>
    (await fresh.get(`/v1/chains/43999/contracts/${made.counter}`)).body
  await until('it is compiled', async () => (await seen()).verificationsAhead === 0)
  gone.abort()
  await assert.rejects(sent, /aborted/)
  await until('it is proved', async () => (await seen()).source !== undefined)
})
