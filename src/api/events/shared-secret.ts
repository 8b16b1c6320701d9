/** The secret that signs the messages of a caller's webhooks. */

import { toHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { NoPath } from '../../shape/evm/path.ts'
import { NoQuery } from '../../shape/evm/query.ts'
import { Type } from '../../shape/type.ts'
import { secretOfOwner, setSecret } from '../../store/query/events/webhooks.ts'
import { ownerOf } from '../operation/caller.ts'
import { operation, type Operation } from '../operation/operation.ts'
import type { EventParts } from './parts.ts'

const Secret = Type.Object({ secret: Type.String({ description: '64 hex digits, 32 bytes' }) })

const RotateSecret = {
  id: 'generateOrRotateSharedSecret',
  method: 'POST',
  path: '/v1/webhooks:generateOrRotateSharedSecret',
  summary: 'A new secret for the webhooks of the API key; the one before ends at once',
  tag: 'Webhooks',
  weight: 20,
  status: 201,
  parameters: { path: NoPath, query: NoQuery },
  response: Secret,
} as const

const GetSecret = {
  id: 'getSharedSecret',
  method: 'GET',
  path: '/v1/webhooks:getSharedSecret',
  summary: 'The secret that signs messages of the webhooks of the API key',
  tag: 'Webhooks',
  weight: 10,
  parameters: { path: NoPath, query: NoQuery },
  response: Secret,
} as const

const secretBytes = 32

/** Makes a secret; messages are signed with it from the next attempt on. */
export function rotateSharedSecret(parts: EventParts): Operation {
  return operation(RotateSecret, async ({ caller }) => {
    const owner = ownerOf(caller)
    const secret = toHex(parts.random.bytes(secretBytes))
    const database = await parts.webhooks()
    await database.transaction((writer) => setSecret(writer, owner, secret))
    return { body: { secret } }
  })
}

/** The secret; there is one from the first webhook on. Throws `not-found` before. */
export function getSharedSecret(parts: EventParts): Operation {
  return operation(GetSecret, async ({ caller }) => {
    const secret = await secretOfOwner(await parts.webhooks(), ownerOf(caller))
    if (secret === undefined)
      throw new Fault('not-found', 'there is no secret yet: it is made with the first webhook')
    return { body: { secret } }
  })
}
