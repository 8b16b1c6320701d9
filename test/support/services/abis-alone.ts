/** A book of contracts for servers that are measured: beside the test runner every promise is dearer. */

import type { AbiBook } from '../../../src/api/evm/abi/abi-book.ts'
import type { ContractBook } from '../../../src/api/evm/contracts/contract-book.ts'

/** A book of contracts that has ABIs and no contract. */
export function abisAlone(abis: AbiBook): ContractBook {
  return {
    versions: async () => undefined,
    methods: async () => new Map(),
    names: () => [],
    projectNames: () => [],
    named: async () => [],
    newest: async () => [],
    listed: async () => [],
    find: async () => undefined,
    projectAt: async () => undefined,
    seek: () => undefined,
    ahead: () => undefined,
    proxyAt: async () => undefined,
    verify: () => Promise.reject(new Error('nothing is verified here')),
    abisOf: async () => abis,
  }
}
