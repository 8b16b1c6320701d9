/** The API console: every operation of `/openapi.json` by its subject, and a form that calls it. */

import { h, type JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { apiHeaders, apiKey, keepApiKey, useAnswer } from '../kit/answer.ts'
import type { Url } from '../kit/contract.ts'
import { to } from '../kit/link.ts'
import {
  card,
  CopyButton,
  failed,
  heading,
  keep,
  kept,
  pill,
  shown,
  table,
  type View,
} from '../kit/parts.ts'
import { useTitle } from '../kit/place.ts'
import type { World } from '../kit/world.ts'
import {
  bodyOf,
  clientCallOf,
  type Field,
  fieldsOf,
  languages,
  type OpenApi,
  type Operation,
  operationsOf,
  type Request,
  type Subject,
  urlOf,
} from './api-request.ts'
import { useSamples, type Sample } from './samples.ts'
import { schemaLines, type Schemas } from './schema-lines.ts'

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is no operation of the document
const documentUrl = '/openapi.json' as Url<OpenApi>

/** All operations, or the form of the one that `id` names beside them. */
export function ConsolePage({
  world,
  id,
}: {
  readonly world: World
  readonly id: string
}): JSX.Element {
  const answer = useAnswer(documentUrl)
  const known = answer.data !== undefined
  useEffect(() => {
    // Far down the list the chosen operation would be out of sight.
    document.querySelector('.operations [aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [id, known])
  const [key, setKey] = useState(apiKey())
  const sample = useSamples(world)
  const operations = answer.data === undefined ? [] : operationsOf(answer.data)
  const chosen = operations.find(({ operationId }) => operationId === id)
  useTitle(id === '' ? 'API' : `${chosen?.summary ?? id} · API`)
  return h('div', { class: 'stack' }, [
    heading(
      h('span', null, [
        chosen === undefined ? 'HTTP API' : h('a', { href: to('api') }, 'HTTP API'),
        ` · ${chosen?.tags[0] ?? ''}`,
        chosen === undefined && h('a', { href: '/openapi.json' }, 'openapi.json'),
      ]),
      chosen?.summary ?? 'API console',
      h('input', {
        type: 'password',
        value: key,
        placeholder: 'API key, if needed',
        'aria-label': 'API key',
        autocomplete: 'off',
        onInput: (event: Event) => {
          if (!(event.currentTarget instanceof HTMLInputElement)) return
          setKey(event.currentTarget.value)
          keepApiKey(event.currentTarget.value)
        },
      }),
    ),
    id !== '' && known && chosen === undefined
      ? failed({ status: 404, message: `no such operation: ${id}` })
      : null,
    shown(answer, ({ tags, components }) => {
      const list = h(OperationList, { operations, subjects: tags, chosen: chosen?.operationId })
      return chosen === undefined
        ? list
        : h('div', { class: 'console' }, [
            list,
            h(TryIt, {
              key: chosen.operationId,
              operation: chosen,
              sample,
              schemas: components?.schemas ?? {},
            }),
          ])
    }),
  ])
}

/**
 * Operations by their subjects, those that have all words of what is typed: in their sentences, or by their names where
 * one of them is chosen.
 */
function OperationList({
  operations,
  subjects,
  chosen,
}: {
  readonly operations: readonly Operation[]
  readonly subjects: readonly Subject[]
  readonly chosen: string | undefined
}): JSX.Element {
  const [typed, type] = useState('')
  const wanted = typed.toLowerCase().split(/\s+/)
  const found = operations.filter(({ operationId, summary, path, tags }) => {
    // Who looks for nothing needs one name of each.
    if (typed === '' && chosen === undefined && summary.startsWith('Older name of ')) return false
    const text = `${operationId} ${summary} ${path} ${tags.join(' ')}`.toLowerCase()
    return wanted.every((word) => text.includes(word))
  })
  const groups = Map.groupBy(found, ({ tags }) => tags[0] ?? '')
  const isAll = chosen === undefined
  return h('nav', { class: `card operations ${isAll ? 'all' : ''}`, 'aria-label': 'operations' }, [
    h('input', {
      type: 'search',
      'aria-label': 'filter operations',
      placeholder: isAll
        ? `Search ${operations.length} operations: holders, rewards, fees, messages…`
        : 'Filter operations',
      onInput: (event: Event) =>
        event.currentTarget instanceof HTMLInputElement && type(event.currentTarget.value),
    }),
    found.length === 0 ? h('p', { class: 'empty' }, 'No entries.') : null,
    h(
      'div',
      null,
      subjects.map((subject) =>
        h(SubjectList, { key: subject.name, subject, list: groups.get(subject.name), chosen }),
      ),
    ),
  ])
}

/** The operations of one subject that are shown. */
function SubjectList({
  subject: { name, description },
  list,
  chosen,
}: {
  readonly subject: Subject
  readonly list: readonly Operation[] | undefined
  readonly chosen: string | undefined
}): JSX.Element | null {
  if (list === undefined) return null
  const isAll = chosen === undefined
  return h('section', null, [
    h('h2', null, name),
    isAll && h('p', { class: 'quiet' }, description),
    h(
      'ul',
      null,
      list.map(({ operationId, summary, method, path }) =>
        h(
          'li',
          null,
          h(
            'a',
            {
              href: to('api', operationId),
              title: `${method} ${path}\n${isAll ? operationId : summary}`,
              'aria-current': operationId === chosen ? 'page' : undefined,
            },
            isAll ? summary : operationId,
          ),
        ),
      ),
    ),
  ])
}

type Result = {
  readonly status: number
  readonly elapsedMs: number
  readonly height: string | null
  readonly text: string
}

type TryProps = {
  readonly operation: Operation
  readonly sample: Sample
  readonly schemas: Schemas
}

/** Required, or of a list that wants one of several: of whom it is. */
function isNeeded({ name, required }: Field): boolean {
  return required === true || name === 'addresses'
}

/** A form for one operation. */
function TryIt({ operation, sample, schemas }: TryProps): JSX.Element {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [result, setResult] = useState<Result | undefined>(undefined)
  const fields = fieldsOf(operation)
  const target = urlOf(operation, values)
  const body = bodyOf(operation, values)
  const call = clientCallOf(operation, values, clientCalls)
  const request = { method: operation.method, url: location.origin + target, body, call }
  const example = (field: Field): string =>
    sample({
      name: field.name,
      path: operation.path,
      choices: field.required === true ? field.schema.enum : undefined,
    }) || (isNeeded(field) && typeof field.example === 'string' ? field.example : '')
  const fill = (): void => {
    const needed = fields.filter(isNeeded)
    setValues({ ...values, ...Object.fromEntries(needed.map((one) => [one.name, example(one)])) })
  }
  const send = async (event: Event): Promise<void> => {
    event.preventDefault()
    setResult(await callApi(operation.method, target, body))
  }
  return h('div', { class: 'stack' }, [
    card(
      [pill(operation.method, 'good'), ' ', h('code', null, target)],
      h('form', { onSubmit: (event: Event) => void send(event) }, [
        fields.some(({ required }) => required === true)
          ? h('p', { class: 'quiet' }, '* required')
          : null,
        fields.map((field) =>
          fieldRow(field, {
            value: values[field.name] ?? '',
            example: field.schema.enum === undefined ? example(field) : '',
            change: (value) => setValues({ ...values, [field.name]: value }),
          }),
        ),
        h(Languages, { request }),
        h('div', { class: 'controls' }, [
          h('button', { class: 'send', type: 'submit' }, 'Send'),
          fields.some(isNeeded)
            ? h('button', { type: 'button', onClick: fill }, 'Fill in an example')
            : null,
        ]),
      ]),
      h('code', { class: 'quiet' }, operation.operationId),
    ),
    result === undefined ? null : resultCard(result),
    answerShape(operation, schemas),
  ])
}

function resultCard({ text, height, elapsedMs, status }: Result): JSX.Element {
  return card(
    'Response',
    h('pre', { class: 'json', tabIndex: 0 }, text),
    h('span', { class: 'quiet' }, [
      height === null ? '' : `height ${height} · `,
      `${elapsedMs} ms `,
      pill(String(status), status < 400 ? 'good' : 'bad'),
    ]),
  )
}

/** Fields of the answer, as the document of the API has them. */
function answerShape({ responses = {} }: Operation, schemas: Schemas): View {
  const content = (responses['200'] ?? responses['201'])?.content ?? {}
  const lines = schemaLines(content['application/json']?.schema ?? {}, schemas)
  if (lines.length === 0) return null
  return card(
    'Response fields',
    table(
      [['Field'], ['Type', 'whole'], ['Description', 'whole']],
      lines.map(({ depth, name, kind, note }) => [
        h('code', null, `${'· '.repeat(depth)}${name}`),
        h('span', { class: 'quiet' }, kind),
        note,
      ]),
    ),
  )
}

type Input = {
  readonly value: string
  readonly example: string
  readonly change: (value: string) => void
}

function fieldRow(field: Field, { value, example, change }: Input): JSX.Element {
  const id = `field-${field.name}`
  const listen = (event: Event): void => {
    const from = event.currentTarget
    if (from instanceof HTMLInputElement || from instanceof HTMLSelectElement) change(from.value)
  }
  const common = { id, value, onInput: listen, required: field.required === true }
  const { enum: choices, type } = field.schema
  const options = choices ?? (type === 'boolean' ? ['true', 'false'] : undefined)
  const usual = field.schema.default
  const hint = usual === undefined ? example : String(usual)
  return h('div', { class: 'field' }, [
    h('label', { for: id }, [
      field.name,
      field.required === true ? ' *' : '',
      h('small', null, field.in),
    ]),
    options === undefined
      ? h('input', { ...common, placeholder: hint, autocomplete: 'off', spellcheck: false })
      : h('select', common, [
          h('option', { value: '' }, hint),
          options.map((option) => h('option', { value: option }, option)),
        ]),
    h('p', { class: 'quiet' }, field.description ?? ''),
  ])
}

/** JSON of the official client's functions by method and path; the bundle has it of the installed package. */
declare const clientCallsText: string

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by clientCalls of bundle.ts
const clientCalls = JSON.parse(clientCallsText) as Readonly<Record<string, string>>

const languageName = 'firn-language'

/** The request in the language that was chosen, with a button that copies it. */
function Languages({ request }: { readonly request: Request }): JSX.Element {
  const [name, choose] = useState(() => kept(languageName))
  const texts = Object.entries(languages).flatMap(([language, write]) => {
    const text = write(request)
    return text === undefined ? [] : [[language, text] as const]
  })
  const [chosen = '', text = ''] = texts.find(([one]) => one === name) ?? texts[0] ?? []
  return h('div', { class: 'spoken' }, [
    h(
      'div',
      { class: 'segments', role: 'group', 'aria-label': 'language of the request' },
      texts.map(([one]) =>
        h(
          'button',
          {
            type: 'button',
            'aria-pressed': String(one === chosen),
            onClick: () => {
              choose(one)
              keep(languageName, one)
            },
          },
          one,
        ),
      ),
    ),
    h('div', { class: 'curl' }, h('pre', { tabIndex: 0 }, text), h(CopyButton, { text })),
  ])
}

async function callApi(method: string, target: string, body: string | undefined): Promise<Result> {
  const startedAt = performance.now()
  const elapsed = (): number => Math.round(performance.now() - startedAt)
  try {
    const response = await fetch(target, {
      method,
      headers:
        body === undefined ? apiHeaders() : { ...apiHeaders(), 'content-type': 'application/json' },
      body: body ?? null,
      signal: AbortSignal.timeout(70_000),
    })
    const text = await response.text()
    return {
      status: response.status,
      elapsedMs: elapsed(),
      height: response.headers.get('x-indexed-height'),
      text: pretty(text),
    }
  } catch (error) {
    return { status: 0, elapsedMs: elapsed(), height: null, text: String(error) }
  }
}

/** JSON with indents; other text as it is. Long answers are cut: the console is for looking. */
function pretty(text: string): string {
  const most = 200_000
  const clip = (whole: string): string =>
    whole.length > most ? `${whole.slice(0, most)}\n…` : whole
  try {
    return clip(JSON.stringify(JSON.parse(text), null, 2))
  } catch {
    // Not JSON: shown as it came.
    return clip(text)
  }
}
