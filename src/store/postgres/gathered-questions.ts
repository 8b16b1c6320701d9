/**
 * Questions that the stores of a server are asked at the same moment, as one statement.
 *
 * A process looks at the leases of all chains that it waits for, and at the heads of all whose messages it joins,
 * several times a second: one statement for each chain would be most of the work of a server at rest.
 */

import type { Row, Statement, Value } from '../engine/database.ts'
import { type Link, queryRows } from './link.ts'
import { typesOf } from './sql.ts'

/** Questions of one statement; the server plans each for itself. */
const mostTogether = 500

type Question = {
  readonly link: Link
  readonly statement: Statement
  readonly parameters: readonly Value[]
  readonly resolve: (row: Row | undefined) => void
  readonly reject: (error: unknown) => void
}

/** The questions of the stores of one thread and server. */
export class GatheredQuestions {
  /** Those of this moment, by their texts. */
  readonly #waiting = new Map<string, Question[]>()

  /** The row of `statement` in the store of `link`; `undefined` where it gives none. */
  ask<R extends Row>(
    link: Link,
    statement: Statement<R>,
    parameters: readonly Value[] = [],
  ): Promise<R | undefined> {
    return new Promise((resolve, reject) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the text says what it selects
      const answered = (row: Row | undefined): void => resolve(row as R | undefined)
      const question = { link, statement, parameters, resolve: answered, reject }
      const known = this.#waiting.get(statement.postgres)
      if (known !== undefined && known.length < mostTogether) {
        known.push(question)
        return
      }
      const questions = [question]
      this.#waiting.set(statement.postgres, questions)
      // Whoever sleeps until the same moment asks before this.
      setImmediate(() => {
        if (this.#waiting.get(statement.postgres) === questions)
          this.#waiting.delete(statement.postgres)
        void this.#answer(questions)
      })
    })
  }

  async #answer(questions: readonly Question[]): Promise<void> {
    const rows = await answersOf(questions)
    if (rows === undefined) await Promise.all(questions.map(answerAlone))
    else for (const [at, { resolve }] of questions.entries()) resolve(rows.get(at))
  }
}

/** Rows by the place of their question; `undefined` where each has to be asked by itself. */
async function answersOf(
  questions: readonly Question[],
): Promise<ReadonlyMap<number, Row> | undefined> {
  const [first] = questions
  if (first === undefined || questions.length === 1) return undefined
  const values: Value[] = []
  const parts = questions.map(({ link, statement, parameters }, at) => {
    const before = values.length
    values.push(...parameters)
    const text = link.names
      .question(statement.postgres)
      .replaceAll(/\$(\d+)/g, (_, number) => `$${before + Number(number)}`)
    return `select ${at}, q.* from (${text}) q`
  })
  try {
    return await first.link.use(async ({ client, hasCitus }) => {
      // Its stores lie on several workers.
      if (hasCitus) return undefined
      const { rows } = await client.query<[number, ...Row]>({
        text: parts.join(' union all '),
        values,
        rowMode: 'array',
        types: typesOf(false),
      })
      return new Map(rows.map(([at, ...row]) => [at, row]))
    })
  } catch {
    // A store that was removed meanwhile, or a server that is away: each says so itself.
    return undefined
  }
}

async function answerAlone(question: Question): Promise<void> {
  const { link, statement, parameters, resolve, reject } = question
  await queryRows(link, statement, parameters).then((rows) => resolve(rows[0]), reject)
}
