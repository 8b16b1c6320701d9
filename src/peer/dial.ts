/** Connecting to a node: TLS 1.3 with certificates on both sides, and nobody's authority. */

import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'

import { ipText } from '../codec/warp/peer-address.ts'
import { Fault } from '../core/fault.ts'
import type { NodeAddress } from './address-book.ts'
import { acceptedKey, nodeIdOf } from './certificate.ts'

/**
 * Key and certificate, prepared once: parsing them for each connection would cost a third of it.
 */
export function tlsContext(keyPem: string, certificatePem: string): SecureContext {
  return createSecureContext({ key: keyPem, cert: certificatePem, minVersion: 'TLSv1.3' })
}

/**
 * A socket to the node meant, after TLS.
 *
 * Throws `node-unreachable`, also when another answers there: the node that is meant did nothing wrong.
 * The peer has not judged our certificate yet when this resolves: a refusal comes later, as a close.
 */
export function dial(
  target: NodeAddress,
  secureContext: SecureContext,
  signal: AbortSignal,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: ipText(target.ip),
      port: target.port,
      secureContext,
      // Nobody vouches for a node's certificate: its hash is the id, compared below.
      rejectUnauthorized: false,
      minVersion: 'TLSv1.3',
    })
    const fail = (fault: Fault): void => {
      signal.removeEventListener('abort', abort)
      socket.off('close', closed)
      socket.destroy()
      reject(fault)
    }
    const abort = (): void => fail(new Fault('node-unreachable', 'connecting took too long'))
    const closed = (): void => fail(new Fault('node-unreachable', 'peer closed the connection'))
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) return abort()
    socket.setNoDelay(true)
    socket.on('error', (error) =>
      fail(new Fault('node-unreachable', 'cannot connect', { cause: error })),
    )
    socket.on('close', closed)
    socket.once('secureConnect', () => {
      const problem = strangerAt(socket, target.nodeId)
      if (problem !== undefined) return fail(problem)
      signal.removeEventListener('abort', abort)
      socket.off('close', closed)
      resolve(socket)
    })
  })
}

function strangerAt(socket: TLSSocket, nodeId: string): Fault | undefined {
  const certificate = socket.getPeerX509Certificate()?.raw
  if (certificate === undefined || acceptedKey(certificate) === undefined) {
    return new Fault('node-unreachable', `certificate is not one of a node: ${nodeId}`)
  }
  const found = nodeIdOf(certificate)
  if (found === nodeId) return undefined
  return new Fault('node-unreachable', `another node answers at the address: ${found}`)
}
