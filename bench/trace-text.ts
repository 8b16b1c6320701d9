/** Call traces for a made-up block, as `debug_traceBlockByNumber` with the callTracer tells them. */

type Block = {
  readonly block: { readonly transactions: readonly Transaction[] }
  readonly receipts: readonly { readonly gasUsed: string }[]
}

type Transaction = {
  readonly hash: string
  readonly from: string
  readonly to: string
  readonly value: string
  readonly gas: string
  readonly input: string
}

const pair = `0x${'5c'.repeat(20)}`
const word = '0'.repeat(63)

/**
 * Each transaction with the frames of a swap: 208 frames in a block of 40 transactions, as a busy L1
 * has them. One in four moves coins inside.
 */
export function traceText({ block, receipts }: Block): Buffer {
  const traces = block.transactions.map((tx, at) => ({
    txHash: tx.hash,
    result: {
      from: tx.from,
      gas: tx.gas,
      gasUsed: receipts[at]?.gasUsed,
      to: tx.to,
      input: tx.input,
      output: `0x${word}1`,
      calls: [
        frame('STATICCALL', tx.to, `0x0902f1ac`, `0x${word.repeat(3)}`),
        {
          ...frame('DELEGATECALL', tx.to, tx.input, `0x${word}1`),
          calls: [frame('STATICCALL', tx.to, `0x70a08231${word}2`, `0x${word}3`)],
        },
        { ...frame('CALL', tx.to, tx.input, `0x${word}1`), value: at % 4 === 0 ? '0x1234' : '0x0' },
        ...(at % 5 === 0 ? [frame('STATICCALL', tx.to, `0x70a08231${word}2`, `0x${word}3`)] : []),
      ],
      value: tx.value,
      type: 'CALL',
    },
  }))
  return Buffer.from(JSON.stringify(traces))
}

function frame(type: string, from: string, input: string, output: string): object {
  return { from, gas: '0x1d4c0', gasUsed: '0x5208', to: pair, input, output, type }
}
