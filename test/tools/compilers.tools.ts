/** Solidity compilers of each age, which are spoken to by different names. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'

import { compile } from '../../src/contracts/compiler.ts'
import { compileLimits } from '../support/services/contract-service.ts'

for (const version of ['0.4.26', '0.5.17', '0.6.12', '0.7.6', '0.8.20'])
  void test(`compiling: ${version} is spoken to`, async () => {
    const path = createRequire(import.meta.url).resolve(`solc-${version}/soljson.js`)
    const input = {
      language: 'Solidity',
      sources: { 'a.sol': { content: 'contract A { function f() public {} }' } },
      settings: { outputSelection: { '*': { '*': ['evm.bytecode'] } } },
    }
    const { signal } = new AbortController()
    const compiled = await compile(
      { compiler: readFileSync(path), input },
      { limits: compileLimits, signal },
    )
    assert.ok(compiled.version.startsWith(`${version}+commit.`), compiled.version)
    assert.ok(JSON.stringify(compiled.output).includes('"object":"60'))
  })
