/** Verification of what is hard to tell apart, and sources that are meant to do harm. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { compile, type CompileLimits, usualCompileLimits } from '../../src/contracts/compiler.ts'
import { Fault } from '../../src/core/fault.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import {
  contractInput,
  contractService,
  made,
  npmCompiler,
  sendForm,
  solcVersion,
} from '../support/services/contract-service.ts'
import type { Json } from '../support/services/evm-service.ts'

const patient: CompileLimits = { ...usualCompileLimits, ms: 600_000 }

/** Compiles one source with the compiler of npm. */
async function compiled(content: string, limits: CompileLimits): Promise<unknown> {
  const { signal } = new AbortController()
  const outputSelection = { '*': { '*': ['evm.bytecode'] } }
  const settings = { optimizer: { enabled: true, runs: 200 }, viaIR: true, outputSelection }
  const input = { language: 'Solidity', sources: { 'a.sol': { content } }, settings }
  const compiler = await npmCompiler.load(solcVersion)
  return compile({ compiler, input }, { clock: systemClock, limits, signal })
}

/** A contract that takes long: many functions with many branches. */
const bomb = `pragma solidity ^0.8.0; contract Bomb { ${Array.from(
  { length: 400 },
  (_, at) =>
    `function f${at}(uint a, uint b) external pure returns (uint c) { ${'if (a > b) { c += a * b; } else { c ^= a + b; } '.repeat(20)} }`,
).join('\n')} }`

void test('compiling: a bomb ends with a sentence, in time', async () => {
  await assert.rejects(
    compiled(bomb, { ...patient, ms: 3_000 }),
    (error) => error instanceof Fault && error.message === 'compiling takes longer than 3 s',
  )
})

void test('compiling: more memory than is allowed ends with a sentence', async () => {
  await assert.rejects(
    compiled(bomb, { ...patient, memoryBytes: 33_554_432 }),
    (error) => error instanceof Fault && error.code === 'bad-parameter',
  )
})

void test('compiling: what the compiler refuses is told in its words', async () => {
  await assert.rejects(
    compiled('contract A { uint a = b; }', patient),
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

void test('contracts: of ten at once those that would wait too long are told so', async () => {
  const all = await Promise.all(Array.from({ length: 10 }, () => verify(made.counter, 'Counter')))
  const busy = all.filter((result) => /contracts are being verified: try again/.test(result))
  assert.equal(busy.length, 6)
  assert.equal(all.filter((result) => result === 'Pass - Verified').length, 4)
})
