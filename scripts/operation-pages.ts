/** The page, questions, schemas and test of every operation, found in the sources. */

import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'

import { operationShapes } from '../test/support/services/operation-shapes.ts'

/** Where an operation is written; paths start at the root of the package. */
export type OperationPage = {
  readonly method: string
  /** Path of the URL. */
  readonly path: string
  readonly id: string
  readonly page: string
  /** Files of `src/store/query` that the page and the files of its own folder import. */
  readonly questions: readonly string[]
  readonly schemas: readonly string[]
  /** Absent where nothing proves the operation. */
  readonly test: string | undefined
}

/** All operations in the order of the OpenAPI document. Throws when an id has not one page. */
export function operationPages(): OperationPage[] {
  const texts = new Map(
    globSync('src/api/**/*.ts')
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => [file, readFileSync(file, 'utf8')]),
  )
  return operationShapes().map(({ id, method, path }) => {
    const pages = [...texts].filter(([, text]) => text.includes(`id: '${id}'`))
    const [page = '', ...others] = pages.map(([file]) => file)
    if (page === '' || others.length > 0)
      throw new Error(`${id} must be written in one page: ${[page, ...others].join(', ')}`)
    const imported = importsOf(page, texts)
    return {
      method,
      path,
      id,
      page,
      questions: imported.filter(isQuestion),
      schemas: imported.filter(isSchema),
      test: testOf(id, page, texts.get(page) ?? ''),
    }
  })
}

/** The file of tests that says it proves an operation, else the one named as its shape or its page. */
function testOf(id: string, page: string, text: string): string | undefined {
  const claimed = globSync('test/**/*.test.ts').find((file) => {
    const [, claims = ''] = readFileSync(file, 'utf8').split(/^provesOperations\(/m)
    return claims.includes(`'${id}'`)
  })
  // `const ListErc20Transfers = { id: …` has its test in `list-erc20-transfers.test.ts`.
  const [, shape = ''] = new RegExp(`const (\\w+) = \\{\\s*id: '${id}'`).exec(text) ?? []
  const words = shape.replaceAll(/\B[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
  const named = [words, basename(page, '.ts')].map((name) =>
    join('test/conformance', areaOf(page), `${name}.test.ts`),
  )
  return claimed ?? named.find((file) => existsSync(file))
}

/** Of `src/store/query`, but what nearly every page needs: numbers of names, rows, heights. */
function isQuestion(file: string): boolean {
  return file.startsWith('src/store/query/') && !/\/(addresses|position|heights)\.ts$/.test(file)
}

/** Of `src/shape`, but builders and parameters, which nearly every page needs. */
function isSchema(file: string): boolean {
  return (
    file.startsWith('src/shape/') && !/\/(type|next-page-token|parameters|scalars)\.ts$/.test(file)
  )
}

/** Folder of `src/api` that a file is in. */
function areaOf(file: string): string {
  return /^src\/api\/(\w+)\//.exec(file)?.[1] ?? ''
}

/** Files that a page imports, and files that its neighbours in the folder import for it. */
function importsOf(page: string, texts: ReadonlyMap<string, string>): string[] {
  const found = new Set<string>()
  const waiting = [page]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue
    found.add(file)
    for (const [, target = ''] of (texts.get(file) ?? '').matchAll(/from '(\.[^']+)'/g)) {
      const path = normalize(join(dirname(file), target))
      if (areaOf(path) === areaOf(page) && areaOf(path) !== '') waiting.push(path)
      else found.add(path)
    }
  }
  return [...found].toSorted()
}
