/** Address of a bucket of object storage. */

import { Fault } from '../../core/fault.ts'

/** A bucket, and where in it the files of a deployment lie. */
export type BucketAddress = {
  /** Server with the bucket's path, without a slash at its end: `https://s3.eu-central-1.amazonaws.com/history`. */
  readonly url: string
  readonly region: string
  /** Beginning of all keys: empty, or with a slash at its end. */
  readonly prefix: string
}

/** Source: AWS S3's general purpose buckets, which other servers follow. */
const bucketForm = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const prefixForm = /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/
const regionForm = /^[a-z0-9-]{1,32}$/
const ownServer = 'us-east-1'

/** Of a drive a path has one letter. */
const addressForm = /^(?:s3:|[a-z][a-z\d+.-]+:\/\/)/i

/** Returns whether a place of history is the address of a bucket, also one with a mistake, and not a folder. */
export function isBucket(place: string): boolean {
  return addressForm.test(place)
}

/**
 * The bucket of `s3://bucket/prefix?endpoint=https://host:port&region=name`; without an endpoint that of AWS in
 * the region. Throws `bad-config` that names the setting.
 */
export function bucketAddress(text: string, setting = 'index.store'): BucketAddress {
  const bad = (why: string): Fault => new Fault('bad-config', `${setting} ${why}: ${text}`)
  const parsed = URL.canParse(text) ? new URL(text) : undefined
  if (parsed?.protocol !== 's3:') throw bad('is no address like s3://bucket/prefix')
  const { host, pathname, searchParams, username, password } = parsed
  if (username !== '' || password !== '')
    throw new Fault('bad-config', `${setting} takes no keys: they come from the environment`)
  const problem = problemOf(parsed)
  if (problem !== undefined) throw bad(problem)
  const prefix = pathname.replaceAll(/^\/+|\/+$/g, '')
  if (prefix !== '' && !prefixForm.test(prefix))
    throw bad('has a prefix of other characters than A-Z a-z 0-9 . _ - and /')
  const region = searchParams.get('region') ?? ownServer
  if (!regionForm.test(region)) throw bad('names no region')
  const server = originOf(searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`)
  if (server === undefined) throw bad('has an endpoint that is no http:// or https:// server')
  return { url: `${server}/${host}`, region, prefix: prefix === '' ? '' : `${prefix}/` }
}

/** The mistake in the bucket's name or behind the path of an address; `undefined` where there is none. */
function problemOf({ host, searchParams, hash }: URL): string | undefined {
  if (!bucketForm.test(host)) return 'names no bucket'
  const names = [...searchParams.keys()]
  const other = names.find((name) => name !== 'endpoint' && name !== 'region')
  if (other !== undefined) return `takes endpoint and region, not ${other}`
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) return `takes one ${twice}`
  return hash === '' ? undefined : 'takes no part behind #'
}

function originOf(server: string): string | undefined {
  const { protocol, href, origin } = URL.canParse(server) ? new URL(server) : {}
  const isPlain = (protocol === 'http:' || protocol === 'https:') && href === `${origin}/`
  return isPlain ? origin : undefined
}
