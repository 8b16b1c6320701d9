/** A chain's id on the P-Chain, as its warp precompile gives it. */

/** The call getBlockchainID(). Source: subnet-evm precompile/contracts/warp. */
export const blockchainIdCall = {
  to: '0x0200000000000000000000000000000000000005',
  data: '0x4213cf78',
} as const

/** The id in an answer to the call, `0x` lower-case hex; `undefined` where there is none. */
export function blockchainIdIn(answer: unknown): string | undefined {
  const isId =
    typeof answer === 'string' && /^0x[0-9a-f]{64}$/i.test(answer) && !/^0x0+$/.test(answer)
  return isId ? answer.toLowerCase() : undefined
}
