import assert from 'node:assert/strict'

import {
  changeDocument,
  documentRevisions,
  storedDocument,
} from '../../src/store/query/deployment.ts'
import { deploymentTables } from '../../src/store/schema/deployment.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const textOf = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : Buffer.from(bytes).toString()

onBothEngines(
  'documents: changes at the same moment all count',
  deploymentTables,
  async (store) => {
    const [one, other] = [await store.open('write'), await store.open('write')]
    const add = (of: typeof one, word: string): Promise<void> =>
      changeDocument(of, 'list', (bytes) => Buffer.from(`${textOf(bytes) ?? ''}${word},`))
    const words = Array.from({ length: 12 }, (_, at) => `word-${at}`)
    if (store.engine === 'sqlite') for (const word of words) await add(one, word)
    else await Promise.all(words.map((word, at) => add(at % 2 === 0 ? one : other, word)))
    const stored = await storedDocument(other, 'list')
    assert.deepEqual(textOf(stored?.content)?.split(',').toSorted(), ['', ...words].toSorted())
    assert.equal(stored?.revision, words.length)

    await changeDocument(one, 'list', () => undefined)
    await changeDocument(one, 'second', () => Uint8Array.of(0, 255))
    assert.deepEqual(
      await documentRevisions(other),
      new Map([
        ['list', words.length],
        ['second', 1],
      ]),
    )
    const second = await storedDocument(other, 'second')
    assert.deepEqual([...(second?.content ?? [])], [0, 255])
    assert.equal(await storedDocument(other, 'third'), undefined)
  },
)
