import { to0x } from '../../core/bytes.ts'

/** The BLS key of a validator with its proof, where it has one. */
export function blsCredentials(
  publicKey: Uint8Array | undefined,
  proofOfPossession: Uint8Array | undefined,
): { blsCredentials?: { publicKey: string; proofOfPossession: string } } {
  if (publicKey === undefined || proofOfPossession === undefined) return {}
  return {
    blsCredentials: {
      publicKey: to0x(publicKey),
      proofOfPossession: to0x(proofOfPossession),
    },
  }
}
