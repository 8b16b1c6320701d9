/** A form that proves the sources of a contract. */

import { h, type JSX } from 'preact'
import { useState } from 'preact/hooks'

import { get, send } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { failureText, visible } from '../kit/format.ts'
import { card, type View } from '../kit/parts.ts'
import { textIn } from '../kit/place.ts'

/** A contract without sources, and the compilers that are here. */
export type VerifyProps = {
  readonly chainId: string
  readonly address: string
  readonly compilers: readonly string[]
  /** Is called when it is verified. */
  readonly done: () => void
}

/** Takes the standard JSON input of the compiler, or sources with the settings that matter. */
export function VerifyForm(props: VerifyProps): JSX.Element {
  const { compilers, done } = props
  const [note, show] = useState<View>(null)
  const [busy, setBusy] = useState(false)
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    setBusy(true)
    show('Compiling…')
    let isOver = false
    const look = async (): Promise<void> => {
      const text = await placeOf(props)
      if (!isOver) show(text)
    }
    const timer = setInterval(() => void look(), placeEveryMs)
    try {
      const problem = await prove(props, new FormData(event.currentTarget))
      isOver = true
      show(problem === '' ? 'Verified.' : h('span', { class: 'failed' }, visible(problem)))
      if (problem === '') done()
    } catch (error) {
      show(h('span', { class: 'failed' }, visible(error instanceof Error ? error.message : '')))
    }
    isOver = true
    clearInterval(timer)
    setBusy(false)
  }
  return card(
    'Verify this contract',
    h('form', { onSubmit: (event: Event) => void submit(event) }, [
      fields(compilers),
      h('div', { class: 'controls' }, [
        h('button', { class: 'send', type: 'submit', disabled: busy }, 'Verify'),
      ]),
      h('output', null, note),
    ]),
  )
}

const placeEveryMs = 2_000

/** How far it is, while it waits for its turn. */
async function placeOf({ chainId, address }: VerifyProps): Promise<string> {
  const { data } = await get(
    urlOf('/v1/chains/{chainId}/contracts/{address}', { chainId, address }),
  )
  const ahead = data?.verificationsAhead ?? 0
  return ahead === 0 ? 'Compiling…' : `Waiting: ${ahead} before it.`
}

/** Sends a form. Gives what is wrong, or no text once it is verified. */
async function prove({ chainId, address }: VerifyProps, form: FormData): Promise<string> {
  const body = {
    stdJsonInput: await inputOf(form),
    compilerVersion: textIn(form, 'compiler'),
    contractIdentifier: textIn(form, 'contract'),
  }
  const path = `/v2/verify/${chainId}/${encodeURIComponent(address)}`
  const sent = await send<{ verificationId: string }>(path, body)
  if (sent.data === undefined) return failureText(sent.failure ?? nothing)
  const ended = await get(
    urlOf('/v2/verify/{verificationId}', { verificationId: sent.data.verificationId }),
  )
  if (ended.data === undefined) return failureText(ended.failure ?? nothing)
  return ended.data.error?.message ?? ''
}

function fields(compilers: readonly string[]): View {
  return [
    h(
      'p',
      { class: 'quiet' },
      'The server compiles the sources and compares them with the deployed bytecode. Verified sources are public.',
    ),
    field(
      'Compiler',
      h(
        'select',
        { name: 'compiler', required: true },
        compilers.map((version) => h('option', { value: version }, version)),
      ),
    ),
    field(
      'Contract',
      h('input', {
        name: 'contract',
        required: true,
        placeholder: 'src/Token.sol:Token',
        ...plain,
      }),
      'file and name',
    ),
    field(
      'Sources',
      h('input', {
        name: 'files',
        type: 'file',
        required: true,
        multiple: true,
        accept: '.sol,.vy,.vyi,.json',
      }),
      'one standard JSON input, or all source files',
    ),
    h('details', null, [
      h('summary', null, 'Compiler settings for source files'),
      field(
        'Optimizer runs',
        h('input', {
          name: 'runs',
          inputMode: 'numeric',
          pattern: '\\d*',
          placeholder: '200',
          ...plain,
        }),
        'empty: not optimized',
      ),
      field('EVM version', h('input', { name: 'evm', placeholder: 'default', ...plain })),
    ]),
  ]
}

const plain = { autocomplete: 'off', spellcheck: false } as const
const nothing = { status: 0, message: 'no answer' }

function field(label: string, input: View, hint = ''): JSX.Element {
  return h('label', { class: 'field' }, [
    h('span', null, label),
    input,
    h('span', { class: 'quiet' }, hint),
  ])
}

/** The input of the compiler. Throws a sentence. */
async function inputOf(form: FormData): Promise<unknown> {
  const files = form.getAll('files').filter((one) => one instanceof File)
  const [first] = files
  if (first !== undefined && files.length === 1 && first.name.endsWith('.json'))
    return JSON.parse(await first.text())
  const sources = await Promise.all(
    files.map(async (file) => [file.name, { content: await file.text() }] as const),
  )
  const [runs, evmVersion] = ['runs', 'evm'].map((name) => textIn(form, name))
  const isVyper = textIn(form, 'compiler').startsWith('vyper:')
  const optimizer = { enabled: runs !== '', runs: Number(runs === '' ? 200 : runs) }
  return {
    language: isVyper ? 'Vyper' : 'Solidity',
    sources: Object.fromEntries(sources),
    settings: { ...(isVyper ? {} : { optimizer }), ...(evmVersion === '' ? {} : { evmVersion }) },
  }
}
