/**
 * The keys of object storage, from where its own tools take them: the environment, the shared file, the role of
 * the container or of the machine. Source: the guides of AWS's command line and of EC2's instance metadata (IMDSv2).
 */

import { join } from 'node:path'

import { Fault, faultOf } from '../../core/fault.ts'
import { isObject, jsonOf } from '../../core/json.ts'
import type { World } from '../../core/world.ts'

/** Keys to sign requests with. */
export type Credentials = {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  /** Milliseconds since 1970 at which they end; absent where they do not. */
  readonly endsMs?: number | undefined
}

/** All that finding keys takes of the process. */
export type CredentialOptions = Pick<World, 'clock' | 'transport' | 'files'> & {
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Keys are asked for again so long before they end. */
const aheadMs = 300_000
const timeoutMs = 2_000
const mostBytes = 65_536
const containerHost = 'http://169.254.170.2'
const machineHost = 'http://169.254.169.254'
const roles = '/latest/meta-data/iam/security-credentials/'

/** The keys of a process, looked up when they are first needed, and again before they end. */
export class CredentialSource {
  readonly #options: CredentialOptions
  #known: Promise<Credentials> | undefined

  constructor(options: CredentialOptions) {
    this.#options = options
  }

  /** Keys that are valid now. Throws `store-failed` where there are none now: a role may come back. */
  async get(): Promise<Credentials> {
    this.#known ??= find(this.#options)
    const asked = this.#known
    try {
      const known = await asked
      if ((known.endsMs ?? Number.POSITIVE_INFINITY) - aheadMs > this.#options.clock.now())
        return known
    } catch (error) {
      this.#forget(asked)
      throw error
    }
    this.#forget(asked)
    this.#known ??= find(this.#options)
    return this.#known
  }

  /** Has {@link CredentialSource.get} look again: the server does not take these any more. */
  renew(): void {
    this.#known = undefined
  }

  #forget(asked: Promise<Credentials>): void {
    if (this.#known === asked) this.#known = undefined
  }
}

async function find(options: CredentialOptions): Promise<Credentials> {
  const found =
    ofEnvironment(options) ??
    (await ofFile(options)) ??
    (await ofContainer(options)) ??
    (await ofMachine(options))
  if (found !== undefined) return found
  throw new Fault(
    'store-failed',
    'object storage needs keys: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a credentials file, or a role of the machine',
  )
}

function ofEnvironment({ env }: CredentialOptions): Credentials | undefined {
  return keysIn(env, ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'])
}

async function ofFile({ env, files }: CredentialOptions): Promise<Credentials | undefined> {
  const home = env['HOME'] ?? env['USERPROFILE'] ?? ''
  const path = env['AWS_SHARED_CREDENTIALS_FILE'] ?? join(home, '.aws', 'credentials')
  const text = Buffer.from((await files.read(path)) ?? []).toString('utf8')
  const profile = env['AWS_PROFILE'] ?? 'default'
  const values: Record<string, string> = {}
  let section = ''
  for (const line of text.split(/\r?\n/)) {
    section = /^\s*\[\s*(.+?)\s*\]/.exec(line)?.[1] ?? section
    const [, name, value] = /^\s*([a-z_]+)\s*=\s*(\S+)\s*$/.exec(line) ?? []
    if (section === profile && name !== undefined && value !== undefined) values[name] = value
  }
  return keysIn(values, ['aws_access_key_id', 'aws_secret_access_key', 'aws_session_token'])
}

async function ofContainer(options: CredentialOptions): Promise<Credentials | undefined> {
  const { env, files } = options
  const relative = env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI']
  const url =
    relative === undefined
      ? env['AWS_CONTAINER_CREDENTIALS_FULL_URI']
      : `${containerHost}${relative}`
  if (url === undefined) return undefined
  const tokenFile = env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE']
  const token =
    tokenFile === undefined
      ? env['AWS_CONTAINER_AUTHORIZATION_TOKEN']
      : Buffer.from((await files.read(tokenFile)) ?? []).toString('utf8')
  const headers: Record<string, string> = token === undefined ? {} : { authorization: token.trim() }
  return ofRole(await answer(options, { url, headers }))
}

async function ofMachine(options: CredentialOptions): Promise<Credentials | undefined> {
  if (options.env['AWS_EC2_METADATA_DISABLED'] === 'true') return undefined
  try {
    const token = await answer(options, {
      url: `${machineHost}/latest/api/token`,
      method: 'PUT',
      headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' },
    })
    const headers = { 'x-aws-ec2-metadata-token': token }
    const [role = ''] = (await answer(options, { url: machineHost + roles, headers })).split('\n')
    return ofRole(await answer(options, { url: machineHost + roles + role, headers }))
  } catch (error) {
    // Outside of AWS nobody answers there.
    if (faultOf(error) === undefined) throw error
    return undefined
  }
}

async function answer(
  { transport }: CredentialOptions,
  request: {
    readonly url: string
    readonly method?: 'GET' | 'PUT'
    readonly headers: Readonly<Record<string, string>>
  },
): Promise<string> {
  const limits = { timeoutMs, maxBytes: mostBytes }
  const { status, body } = await transport.request({ method: 'GET', ...request, ...limits })
  if (status !== 200) throw new Fault('node-answer', `no keys are offered: status ${status}`)
  return Buffer.from(body).toString('utf8')
}

function ofRole(text: string): Credentials | undefined {
  const value = jsonOf(text)
  if (!isObject(value)) return undefined
  const keys = keysIn(value, ['AccessKeyId', 'SecretAccessKey', 'Token'])
  const endsMs = Date.parse(String(value['Expiration']))
  return keys && { ...keys, endsMs: Number.isNaN(endsMs) ? undefined : endsMs }
}

function keysIn(
  values: Readonly<Record<string, unknown>>,
  [id, secret, token]: readonly [id: string, secret: string, token: string],
): Credentials | undefined {
  const text = (name: string): string | undefined => {
    const value = values[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const [accessKeyId, secretAccessKey, sessionToken] = [text(id), text(secret), text(token)]
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  const keys = { accessKeyId, secretAccessKey }
  return sessionToken === undefined ? keys : { ...keys, sessionToken }
}
