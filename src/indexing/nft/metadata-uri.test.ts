import assert from 'node:assert/strict'
import { test } from 'node:test'

import { planOf } from './metadata-uri.ts'

const gateways = {
  ipfs: ['https://ipfs.example/ipfs/'],
  arweave: 'https://arweave.example/folder/',
}
// Forms of real ids: 43 letters of base64url, and a content id of version 0.
const arweaveId = 'Ab3_-'.padEnd(43, 'x')
const contentId = `Qm${'Y'.repeat(44)}`

/** Addresses a URI leads to, as whoever requests them reads them. */
function placesOf(uri: string): readonly string[] {
  const plan = planOf(uri, gateways)
  return plan.kind === 'fetch' ? plan.urls.map((url) => new URL(url).href) : []
}

void test('token URI: a path of Arweave or IPFS content stays below its gateway', () => {
  assert.deepEqual(placesOf(`ar://${arweaveId}/1.json`), [
    `https://arweave.example/folder/${arweaveId}/1.json`,
  ])
  const climbs = [
    '..',
    '.',
    '%2e%2e',
    '%2E%2E',
    '.%2e',
    '%2e.',
    '%2e',
    '..%2f..',
    '..\\..',
    '%5c..',
  ]
  for (const step of climbs) {
    for (const path of [`${step}/admin`, `${step}/${step}/admin`, `a/${step}`, `a/${step}/b`]) {
      for (const uri of [`ar://${arweaveId}/${path}`, `ipfs://${contentId}/${path}`])
        for (const place of placesOf(uri))
          assert.match(place, /^https:\/\/(arweave\.example\/folder|ipfs\.example\/ipfs)\//, uri)
      assert.deepEqual(placesOf(`ar://${arweaveId}/${path}`), [], path)
    }
  }
})
