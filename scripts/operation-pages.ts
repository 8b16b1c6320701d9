/** The contract, page, questions and test of every operation, found in the sources. */

import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

import { operations } from '../src/shape/operations/operations.ts'

/** Where an operation is written; paths start at the root of the package. */
export type OperationPage = {
  readonly method: string
  /** Path of the URL. */
  readonly path: string
  readonly id: string
  /** File of `src/shape/operations`. */
  readonly contract: string
  /** File of `src/api` that answers. */
  readonly page: string
  /** Files of `src/store/query` of which the page and the files of its area import values. */
  readonly questions: readonly string[]
  /** Absent where nothing proves the operation. */
  readonly test: string | undefined
}

/** All operations in the order of the OpenAPI document. Throws when an id has not one page. */
export function operationPages(): OperationPage[] {
  const texts = textsOf('src/api/**/*.ts')
  const contracts = textsOf('src/shape/operations/*.ts')
  const answered = [...texts].flatMap(([page, text]) => answersIn(page, text))
  return Object.values(operations).map(({ id, method, path }) => {
    const [contract = ''] =
      [...contracts].find(([, text]) => new RegExp(`^  '?${id}'?: `, 'm').test(text)) ?? []
    const pages = answered.filter((answer) => answer.id === id)
    const [first] = pages
    if (first === undefined || contract === '' || new Set(pages.map(({ page }) => page)).size > 1)
      throw new Error(`${id} must be answered in one page: ${pages.map(({ page }) => page)}`)
    return {
      method,
      path,
      id,
      contract,
      page: first.page,
      questions: importsOf(first.page, texts).filter(isQuestion),
      test: testOf(id, first),
    }
  })
}

function textsOf(pattern: string): Map<string, string> {
  const files = globSync(pattern).filter((file) => !file.endsWith('.test.ts'))
  return new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
}

type Answered = { readonly id: string; readonly page: string; readonly name: string }

/** Contracts that functions of a page tie to their answers: `operation(EvmBlocks.getBlock, …)`. */
function answersIn(page: string, text: string): Answered[] {
  return text.split(/^export function /m).flatMap((part) => {
    const [name = ''] = /^\w+/.exec(part) ?? []
    const ids = part.matchAll(/\b[A-Z]\w+(?:\.(\w+)|\['([\w-]+)'\])(?:,|$)/gm)
    return [...ids].map(([, id, quoted]) => ({ id: id ?? quoted ?? '', page, name }))
  })
}

/** The file of tests that says it proves an operation, else the one named as the function that answers. */
function testOf(id: string, { page, name }: Answered): string | undefined {
  const claimed = globSync('test/**/*.test.ts').find((file) => {
    const [, claims = ''] = readFileSync(file, 'utf8').split(/^provesOperations\(/m)
    return claims.includes(`'${id}'`)
  })
  // `listErc20Transfers` has its test in `list-erc20-transfers.test.ts`.
  const words = name.replaceAll(/[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
  const named = join('test/conformance', areaOf(page), `${words}.test.ts`)
  return claimed ?? (existsSync(named) ? named : undefined)
}

/** Of `src/store/query`, but what nearly every page needs: numbers of names, rows, heights. */
function isQuestion(file: string): boolean {
  return file.startsWith('src/store/query/') && !/\/(addresses|position|heights)\.ts$/.test(file)
}

/** Folder of `src/api` that a file is in. */
function areaOf(file: string): string {
  return /^src\/api\/(\w+)\//.exec(file)?.[1] ?? ''
}

/** Files of which a page imports values, and of which those of its area do. */
function importsOf(page: string, texts: ReadonlyMap<string, string>): string[] {
  const found = new Set<string>()
  const waiting = [page]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue
    found.add(file)
    for (const [, target = ''] of (texts.get(file) ?? '').matchAll(
      /^import (?!type )[^';]*? from '(\.[^']+)'/gm,
    )) {
      const path = normalize(join(dirname(file), target))
      if (areaOf(path) === areaOf(page) && areaOf(path) !== '') waiting.push(path)
      else found.add(path)
    }
  }
  return [...found].toSorted()
}
