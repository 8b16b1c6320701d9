import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'

import Fastify from 'fastify'

import {
  amount,
  assetName,
  brief,
  cutAmount,
  ends,
  failureText,
  figure,
  gasPrice,
  moment,
  named,
  percent,
  progress,
  share,
  span,
  speed,
  tick,
  ticks,
  took,
  visible,
  words,
} from '../../src/explorer/browser/kit/format.ts'
import { changed, pages, paramsOf, segmentsOf, to } from '../../src/explorer/browser/kit/link.ts'
import { ordered, orderOf } from '../../src/explorer/browser/kit/order.ts'
import { mostBytes, qrOf } from '../../src/explorer/browser/kit/qr.ts'
import { primaryHeights } from '../../src/explorer/browser/kit/world.ts'
import { daysLeft, fewestHolding } from '../../src/explorer/browser/primary/stake.ts'
import { validatorQuery } from '../../src/explorer/browser/primary/validator-query.ts'
import {
  foundOf,
  messageOf,
  offered,
  placeByForm,
  questionOf,
} from '../../src/explorer/browser/search/search.ts'
import { explorerPage } from '../../src/explorer/page.ts'
import { contentPolicy } from '../../src/explorer/routes.ts'
import {
  type ExplorerFiles,
  firnBrand,
  mountExplorer,
  readExplorerFiles,
} from '../../src/service/web/explorer-mount.ts'
import type { Preview } from '../../src/service/web/previews.ts'
import type { SearchHit } from '../../src/shape/search-hit.ts'
import type { Status } from '../../src/shape/status.ts'

const status: Status = {
  version: '1.2.3',
  role: 'all',
  chains: [
    {
      chain: 'fuji-one',
      kind: 'evm',
      network: 'fuji',
      name: '<b>One & "two"</b>',
      state: 'stopped',
      reason: "parent's hash",
      indexedHeight: 41,
      headHeight: 42,
      blocksPerSecond: 1.26,
      stages: [],
    },
    {
      chain: 'primary-fuji',
      kind: 'primary',
      network: 'fuji',
      name: 'Waiting',
      state: 'syncing',
      indexedHeight: -1,
      headHeight: -1,
      blocksPerSecond: 0,
      stages: [],
    },
  ],
}
const http = Fastify()
mountExplorer(http, () => Promise.resolve(status))
// AVAX of networks with the local genesis.
const demoAvax = '2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe'
const names = [
  'chunk.js',
  'explorer.css',
  'logo.svg',
  'main.js',
  'preview.png',
  'rare.js',
  'uPlot.esm.js',
  'uplot.css',
]
const warnings: string[] = []
let all: ExplorerFiles

before(async () => {
  process.on('warning', ({ message }) => warnings.push(message))
  all = await readExplorerFiles()
})

function urlOf(name: string): string {
  return `/explorer/${all.version}/${name}`
}

void test('explorer: the whole of it is at most 140 kB by gzip', () => {
  const page = gzipSync(
    explorerPage({
      folder: '/explorer/x',
      status,
      brand: { ...firnBrand, logo: '/x' },
      path: '/',
      origin: '',
      description: '',
      facts: [],
      picture: '',
    }),
  ).length
  const bytes = [...all.files.values()].reduce((sum, { gzip }) => sum + gzip.length, page)
  assert.ok(bytes <= 140_000, `${bytes} bytes`)
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  assert.match(readme, /under 140 kB/)
})

void test('explorer: every file has its type, its validator, its policy, and both encodings', async () => {
  const types = {
    js: 'text/javascript; charset=utf-8',
    css: 'text/css; charset=utf-8',
    svg: 'image/svg+xml',
    png: 'image/png',
  } as const
  assert.deepEqual([...all.files.keys()], names)
  for (const [name, file] of all.files) {
    const plain = await http.inject({
      url: urlOf(name),
      headers: { 'accept-encoding': 'identity' },
    })
    assert.equal(plain.statusCode, 200, name)
    const ending = Object.entries(types).find(([one]) => name.endsWith(`.${one}`))
    assert.equal(plain.headers['content-type'], ending?.[1], name)
    assert.equal(plain.headers['content-security-policy'], contentPolicy, name)
    assert.equal(plain.headers['content-encoding'], undefined, name)
    assert.match(String(plain.headers['cache-control']), /immutable/, name)
    assert.equal(plain.headers['vary'], 'accept-encoding', name)
    assert.deepEqual(plain.rawPayload, Buffer.from(file.body), name)

    const etag = String(plain.headers['etag'])
    const again = await http.inject({
      url: urlOf(name),
      headers: { 'if-none-match': `"x", W/${etag}` },
    })
    assert.equal(again.statusCode, 304, name)
    assert.equal(again.body, '', name)

    const small = await http.inject({
      url: urlOf(name),
      headers: { 'accept-encoding': 'gzip, br;q=0' },
    })
    assert.equal(small.headers['content-encoding'], 'gzip', name)
    assert.deepEqual(gunzipSync(small.rawPayload), Buffer.from(file.body), name)
    const best = await http.inject({ url: urlOf(name), headers: { 'accept-encoding': 'gzip, br' } })
    assert.equal(best.headers['content-encoding'], 'br', name)
    assert.deepEqual(brotliDecompressSync(best.rawPayload), Buffer.from(file.body), name)
  }
})

void test('explorer: every script is a module that imports served files only', () => {
  for (const [name, file] of all.files) {
    if (!name.endsWith('.js')) continue
    const text = Buffer.from(file.body).toString()
    const checked = spawnSync(process.execPath, ['--input-type=module', '--check'], { input: text })
    assert.equal(checked.status, 0, `${name}: ${checked.stderr.toString()}`)
    for (const [, target = ''] of text.matchAll(
      /(?:\bfrom\s*|\bimport\s*\(?\s*)["']([\w./@-]+)["']/g,
    )) {
      // Text that the console shows.
      if (target === '@avalanche-sdk/chainkit/core.js') continue
      assert.match(target, /^\.\//, `${name} imports ${target}`)
      assert.ok(all.files.has(target.slice(2)), `${name} imports ${target}`)
    }
    assert.doesNotMatch(text, /sourceMappingURL|\beval\(|new Function\(/, name)
  }
})

void test('explorer: making it warns of nothing', () => {
  assert.deepEqual(warnings, [])
})

void test('explorer: nothing is loaded from elsewhere', () => {
  for (const [name, file] of all.files) {
    const foreign = Buffer.from(file.body)
      .toString()
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .match(/(?:https?:)?\/\/[\w-]+\.[\w.]+/g)
    // Names of XML vocabularies are not addresses to load from.
    assert.deepEqual(
      (foreign ?? []).filter((one) => !one.includes('www.w3.org')),
      [],
      name,
    )
  }
})

void test('explorer: the document holds no script or style of its own and names served files', async () => {
  const reply = await http.inject('/')
  assert.equal(reply.statusCode, 200)
  assert.equal(reply.headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(reply.headers['content-security-policy'], contentPolicy)
  assert.equal(reply.headers['cache-control'], 'no-cache')
  assert.doesNotMatch(reply.body, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/)
  const named = [...reply.body.matchAll(/(?:src|href)="(\/explorer\/[^"]+)"/g)].map(([, url]) =>
    String(url),
  )
  assert.equal(new Set(named).size, 6)
  for (const url of named) assert.equal((await http.inject(url)).statusCode, 200, url)
  const again = await http.inject({
    url: '/',
    headers: { 'if-none-match': String(reply.headers['etag']) },
  })
  assert.equal(again.statusCode, 304)
})

void test('explorer: an operator gives it a name, a picture, colours and links, and pages have previews', async () => {
  const own = Fastify()
  const logo = { contentType: 'image/svg+xml', bytes: Buffer.from('<svg/>') } as const
  const brand = {
    ...firnBrand,
    title: 'Glacier <Explorer>',
    description: 'All of "Glacier"',
    links: [['Bridge', 'https://bridge.example']],
    colour: '#aa0000',
    darkColour: '#ff8888',
    pictures: { logo, 'dark-logo': { ...logo, bytes: Buffer.from('<svg id="dark"/>') } },
    hasDocs: false,
    pages: [{ name: 'about', title: 'About us', html: '<h1>About us</h1>' }],
  } as const
  const preview = async (path: string): Promise<Preview> =>
    path.includes('/tx/')
      ? { isMissing: false, text: 'Trader sent 2 <GLC>' }
      : { isMissing: path.startsWith('/message/') }
  mountExplorer(own, () => Promise.resolve(status), { brand, preview })
  const hash = `0x${'ab'.repeat(32)}`
  const { body, headers } = await own.inject({
    url: `/chain/7/tx/${hash}?page=2`,
    headers: { host: 'glacier.example' },
  })
  assert.equal(headers['content-security-policy'], contentPolicy)
  const metaOf = (property: string): string | undefined =>
    new RegExp(`<meta property="og:${property}" content="([^"]*)">`).exec(body)?.[1]
  assert.equal(metaOf('title'), 'Transaction 0xababab…ababab on 7 · Glacier &lt;Explorer&gt;')
  assert.equal(metaOf('description'), 'Trader sent 2 &lt;GLC&gt;')
  // Nobody draws an SVG: it is Firn's picture.
  const image = metaOf('image')?.replace('http://glacier.example', '') ?? ''
  const drawn = await own.inject(image)
  assert.deepEqual([drawn.statusCode, drawn.headers['content-type']], [200, 'image/png'])
  assert.equal((await own.inject('/message/unknown')).statusCode, 404)
  assert.equal(metaOf('url'), `http://glacier.example/chain/7/tx/${hash}`)
  assert.ok(!body.includes('<Explorer>'))
  assert.equal((await own.inject('/explorer/logo')).body, '<svg/>')
  const css = await own.inject('/explorer/brand.css')
  assert.match(css.body, /:root\{--accent:#aa0000;/)
  assert.match(css.body, /data-theme='dark'\]\{--accent:#ff8888;/)
  assert.match(css.body, /data-theme='dark'\] \.brand img\{[^}]*url\(\/explorer\/dark-logo\)/)
  assert.equal((await own.inject('/explorer/dark-logo')).body, '<svg id="dark"/>')
  // Own pages are there and in the menu; documentation and console are switched off.
  const about = await own.inject('/pages/about')
  assert.match(about.body, /<h1>About us<\/h1>/)
  assert.doesNotMatch(about.body, /\/docs/)
  assert.match(body, /\[&quot;About us&quot;,&quot;\/pages\/about&quot;\]/)
  for (const path of ['/docs', '/api', '/pages/other'])
    assert.equal((await own.inject(path)).statusCode, 404, path)
  for (const path of pages.filter((page) => !['api', 'message', 'chain'].includes(page)))
    assert.equal((await own.inject(`/${path}`)).statusCode, 200, path)
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  for (const path of ['/elsewhere', '/chains', '/v1/nothing', '/']) {
    const [called, read] = [await own.inject(path), await own.inject({ url: path, headers: html })]
    const isHome = path === '/'
    assert.equal(called.statusCode, isHome ? 200 : 404, path)
    assert.equal(read.statusCode, called.statusCode, path)
    // A browser has the page that says so, a program words about the route.
    assert.equal(
      String(read.headers['content-type']).startsWith('text/html'),
      !path.startsWith('/v1'),
    )
    assert.equal(String(called.headers['content-type']).startsWith('text/html'), isHome, path)
  }
  const icon = await own.inject('/favicon.ico')
  assert.deepEqual([icon.statusCode, icon.headers.location], [302, '/explorer/logo'])
  assert.match((await own.inject('/robots.txt')).body, /^User-agent: \*\nDisallow: \/v1\/$/m)
  await own.close()
})

const someone = `/chain/7/address/0x${'ab'.repeat(20)}`
const views: readonly (readonly [there: string, ...absent: string[]])[] = [
  ['/primary/fuji', '/primary/bogus', '/primary/fuji/bogus'],
  ['/primary/fuji/blocks/p-chain', '/primary/fuji/blocks', '/primary/fuji/blocks/q-chain'],
  ['/primary/fuji/transactions/c-chain', '/primary/fuji/transactions/fuji'],
  ['/primary/mainnet/l1', '/primary/mainnet/l1s'],
  ['/staking/fuji', '/staking/xx'],
  ['/l1s/testnet', '/l1s/l1s'],
  ['/metrics/total/week/txCount', '/metrics/total/year', '/metrics/total/day/bogus'],
  ['/chain/7/tokens', '/chain', '/chain/7/bogus'],
  [someone, `${someone}/bogus`],
  [`${someone}/holders`, `${someone}/holder`],
  [`${someone}/events`, `${someone}/erc-20`],
]

void test('explorer: a view that there is not is not found', async () => {
  for (const [there, ...absent] of views) {
    assert.equal((await http.inject(there)).statusCode, 200, there)
    for (const path of absent) assert.equal((await http.inject(path)).statusCode, 404, path)
  }
})

void test('explorer: without scripts the document tells the status, with every sign escaped', async () => {
  const { body } = await http.inject('/')
  const table = body.slice(body.indexOf('<noscript>'))
  assert.ok(table.includes('&lt;b&gt;One &amp; &quot;two&quot;&lt;/b&gt;'))
  assert.ok(table.includes('stopped: parent&#39;s hash'))
  assert.ok(table.includes('<td>41</td><td>42</td><td>1.3</td>'))
  assert.ok(table.includes('<td>Waiting</td><td>syncing</td><td>–</td><td>–</td><td>–</td>'))
})

void test('explorer: without scripts a page tells its thing', async () => {
  const own = Fastify()
  const told = {
    text: 'Trader sent 2 <GLC>',
    facts: [['From', '<b> 0x12']],
    url: '/v1/x?a&b',
  } as const
  mountExplorer(own, () => Promise.resolve(status), {
    preview: async () => ({ isMissing: false, ...told }),
  })
  const { body } = await own.inject(`/chain/7/tx/0x${'ab'.repeat(32)}`)
  const shown = body.slice(body.indexOf('<noscript>'))
  assert.match(shown, /<h1>Transaction 0xababab…ababab on 7<\/h1>/)
  assert.match(shown, /<p class="said">Trader sent 2 &lt;GLC&gt;<\/p>/)
  assert.match(shown, /<dt>From<\/dt><dd>&lt;b&gt; 0x12<\/dd>/)
  assert.match(shown, /<a href="\/v1\/x\?a&amp;b">This page as JSON<\/a>/)
  await own.close()
})

void test('explorer: other versions and names are not found', async () => {
  for (const url of [`/explorer/old/main.js`, urlOf('main.ts'), urlOf('..%2fpage.ts'), '/explorer'])
    assert.equal((await http.inject(url)).statusCode, 404, url)
})

void test('explorer: amounts are exact whatever their size', () => {
  const cases: [string, number, string, string][] = [
    ['0', 18, '0', '0'],
    ['1', 0, '1', '1'],
    ['1', 18, '0.000000000000000001', '< 0.000001'],
    ['1000000000000000000', 18, '1', '1'],
    ['1234567890123456789', 18, '1.234567890123456789', '1.234567…'],
    ['999999807286290986958066657', 18, '999,999,807.286290986958066657', '999,999,807.286290…'],
    ['20003628688143801', 9, '20,003,628.688143801', '20,003,628.688143801'],
    ['1500000', 6, '1.5', '1.5'],
    [
      (2n ** 256n - 1n).toString(),
      0,
      (2n ** 256n - 1n).toLocaleString('en-US'),
      (2n ** 256n - 1n).toLocaleString('en-US'),
    ],
    ['-1500', 3, '−1.5', '−1.5'],
  ]
  for (const [units, decimals, whole, cut] of cases) {
    assert.equal(amount(units, decimals), whole, units)
    assert.equal(cutAmount(units, decimals), cut, units)
  }
})

void test('explorer: ids, spans, moments and names read well', () => {
  assert.deepEqual(['0', '1', '999999', '1000000', '25000000001'].map(gasPrice), [
    '0 gwei',
    '1 wei',
    '999,999 wei',
    '0.001 gwei',
    '25.000000001 gwei',
  ])
  assert.equal(ends('0x1234567890abcdef1234'), '0x123456…ef1234')
  assert.equal(ends('short'), 'short')
  assert.deepEqual([0, 59, 60, 3_599, 86_400, 31_536_000].map(span), [
    '0 s',
    '59 s',
    '1 min',
    '59 min',
    '1 d',
    '1 y',
  ])
  assert.equal(moment(1_775_555_877), '2026-04-07 09:57:57')
  assert.equal(moment(Number.NaN), '')
  assert.equal(tick(1_775_555_877, false), 'Apr 7')
  assert.equal(tick(1_775_552_400, true), 'Apr 7 09:00')
  const day = 86_400
  const year = [0, 100, 200, 300, 400].map((at) => 1_775_555_877 + at * day)
  assert.deepEqual(ticks(year, false), ['Apr 7, 2026', 'Jul 16', 'Oct 24', 'Feb 1, 2027', 'May 12'])
  assert.deepEqual(ticks(year.slice(0, 3), false), ['Apr 7', 'Jul 16', 'Oct 24'])
  assert.equal(words('last90Days'), 'Last 90 days')
  assert.equal(words('cumulativeTxCount'), 'Cumulative tx count')
  assert.equal(brief(1_822), '1,822')
  assert.equal(figure(1_234_567), '1,234,567')
  assert.equal(figure(0.3583154000143326), '0.3583154')
  assert.equal(figure(25.000000001), '25')
  assert.equal(brief(102_281_234), '102.28M')
})

void test('explorer: invisible characters are named, and a symbol comes with its address', () => {
  const token = '0xA51c1fc2f0D1a1b8494Ed1FE312d7C3a78Ed91C0'
  // Zero width, bidi override, isolate, control, soft hyphen, Hangul filler, line separator, tag.
  const cases: [string, string][] = [
    ['AVAX', 'AVAX'],
    ['A\u200bVAX', 'A⟨200B⟩VAX'],
    ['\u202eXAVA', '⟨202E⟩XAVA'],
    ['A\u2067V\u0000AX\n', 'A⟨2067⟩V⟨0000⟩AX⟨000A⟩'],
    ['A\u00adV\u3164AX\u2028', 'A⟨00AD⟩V⟨3164⟩AX⟨2028⟩'],
    ['AVAX\u{e0041}', 'AVAX⟨E0041⟩'],
    ['AVAX\u00a0', 'AVAX⟨00A0⟩'],
    ['Ледник 雪 é $ 1', 'Ледник 雪 é $ 1'],
  ]
  for (const [text, seen] of cases) assert.equal(visible(text), seen)
  assert.equal(named('A\u200bVAX', token), 'A⟨200B⟩VAX 0xA51c…91C0')
  assert.equal(named('AVAX', token), 'AVAX 0xA51c…91C0')
  for (const nothing of [undefined, '', '  ']) assert.equal(named(nothing, token), '0xA51c…91C0')
  assert.equal(assetName({ symbol: 'AVAX', assetId: demoAvax }), 'AVAX')
  assert.equal(assetName({ symbol: 'AVAX', assetId: `${demoAvax}2` }), 'AVAX 2fombh…Dbe2')
})

void test('explorer: page, filters and order of a list are part of the address', () => {
  const link = to('primary', 'fuji', 'a?b/c')
  assert.deepEqual(segmentsOf(`${link}?page=2.tok&status=active`), ['primary', 'fuji', 'a?b/c'])
  const second = changed(link, { page: '2.a/b+c=' })
  assert.equal(paramsOf(second).get('page'), '2.a/b+c=')
  const both = changed(second, { status: 'active' })
  assert.equal(paramsOf(both).get('page'), '2.a/b+c=')
  assert.equal(paramsOf(both).get('status'), 'active')
  assert.equal(changed(both, { page: '', status: '' }), link)
  assert.deepEqual(segmentsOf('/chain/1/block/2'), ['chain', '1', 'block', '2'])
})

void test('explorer: validators that hold a quorum are counted of the whole weight, also of validators without a balance', () => {
  // Weights of the demo's L1: 100, 13 and 11 can sign, 12 and 14 cannot.
  assert.equal(fewestHolding([11, 100, 13], 150, 67), 2)
  assert.equal(fewestHolding([67, 33], 100, 67), 1)
  assert.equal(fewestHolding([66, 34], 100, 67), 2)
  assert.equal(fewestHolding([66], 100, 67), undefined)
  assert.equal(fewestHolding([], 5, 67), undefined)
  // 999,997,089 nAVAX at 86,400 a day: what the API says of the same validator.
  assert.equal(daysLeft('999997089', '86400')?.toFixed(2), '11574.04')
  assert.equal(daysLeft(5, '0'), undefined)
  assert.deepEqual(
    [share(100, 150), share(1, 1), share(1, 100_000), share(0, 5), share(0, 0)],
    ['66.67 %', '100 %', '< 0.01 %', '0 %', '–'],
  )
})

void test('explorer: rows are ordered both ways, those without a value come last', () => {
  const rows = [{ at: 2 }, { at: undefined }, { at: 10 }, { at: 1 }]
  const by = (down: boolean): (number | undefined)[] =>
    ordered(rows, ({ at }) => at, down).map(({ at }) => at)
  assert.deepEqual(by(false), [1, 2, 10, undefined])
  assert.deepEqual(by(true), [10, 2, 1, undefined])
  assert.deepEqual(orderOf('-weight'), { name: 'weight', down: true })
  assert.deepEqual(orderOf('weight'), { name: 'weight', down: false })
})

void test('explorer: percentages end where they have no more to say', () => {
  const written = ['2.0000', '12.5000', '100.0000', '0', '100', '0.0001', '10']
  assert.deepEqual(written.map(percent), [
    '2 %',
    '12.5 %',
    '100 %',
    '0 %',
    '100 %',
    '0.0001 %',
    '10 %',
  ])
})

void test('explorer: a message that came before it was sent shows no duration', () => {
  assert.equal(took(100, 160), '1 min')
  assert.equal(took(100, 100), '0 s')
  assert.equal(took(100, 99), '')
})

void test('explorer: a 503 reads "Not known", other failures have their status', () => {
  const textOf = (status: number): string => failureText({ status, message: 'no block' })
  assert.deepEqual([503, 404, 0].map(textOf), ['Not known: no block', 'no block (404)', 'no block'])
})

void test('explorer: the progress of a chain leaves unknown heights out', () => {
  const cases: [number, number, string][] = [
    [-1, -1, ''],
    [7, -1, '7'],
    [-1, 1_000, 'nothing of 1,000'],
    [0, 0, '0 of 0'],
    [41, 1_000, '41 of 1,000'],
  ]
  for (const [indexedHeight, headHeight, text] of cases)
    assert.equal(progress({ indexedHeight, headHeight }), text, `${indexedHeight} ${headHeight}`)
})

void test('explorer: the speed is that of the stage with the longest way to go', () => {
  const idle = { indexedHeight: -1, headHeight: -1, blocksPerSecond: 0 } as const
  const health = { stage: 'health', state: 'live', ...idle } as const
  const far = { stage: 'P', state: 'syncing', indexedHeight: 100, headHeight: 900 } as const
  const near = { ...far, stage: 'X', indexedHeight: 20, headHeight: 50 } as const
  const stages = [
    { ...near, blocksPerSecond: 3 },
    { ...far, blocksPerSecond: 1_210.4, etaSeconds: 130 },
    health,
  ]
  assert.equal(
    speed({ stages, overall: { share: 0.1549, stage: 'P', etaSeconds: 130 } }),
    '15 % · P, 1,210 blocks/s · 2 min left',
  )
  assert.equal(
    speed({ stages: [{ ...far, blocksPerSecond: 1 }, health], overall: { share: 0, stage: 'P' } }),
    '0 % · P, 1 block/s',
  )
  assert.equal(speed({ stages: [health], overall: { share: 1 } }), '')
})

void test('explorer: filters of validators in the address are those of the operation, in its units', () => {
  const queryOf = (text: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(validatorQuery(new URLSearchParams(text), 'primary')).filter(
        ([, value]) => value !== '',
      ),
    )
  assert.deepEqual(queryOf(''), {
    validationStatus: 'active',
    subnetId: 'primary',
    sortOrder: 'desc',
  })
  assert.deepEqual(queryOf('status=any&of=any&sort=timeRemaining&dir=asc&node=Node&page=2.x'), {
    sortBy: 'timeRemaining',
    sortOrder: 'asc',
    nodeIds: 'Node',
  })
  assert.deepEqual(
    queryOf('minCapacity=25.000000001&maxDays=14&minFee=2.5&maxUptime=99.5&minDays=x'),
    {
      validationStatus: 'active',
      subnetId: 'primary',
      sortOrder: 'desc',
      minDelegationCapacity: '25000000001',
      maxTimeRemaining: '1209600',
      minFeePercentage: '2.5',
      maxUptimePerformance: '99.5',
    },
  )
})

void test('explorer: typed text becomes the query that the API takes', () => {
  const cases: [string, string][] = [
    [' 402 ', '402'],
    ['1,234,567', '1234567'],
    ['chain: 51001', '51001'],
    ['Demo L1', 'Demo L1'],
    ['1inch', '1inch'],
    ['', ''],
  ]
  for (const [typed, query] of cases) assert.equal(questionOf(typed), query, typed)
})

void test('explorer: every kind of hit leads to its page, those of the chain looked at first', () => {
  const nameOf = (chainId: string): string => `chain ${chainId}`
  const id = 'RgaiPNa9xRnVcVgr4Jp3cvANSJEFeqn1x4GaKNbDS758pYWpu'
  const fuji = { network: 'fuji', match: 'id', label: 'x' } as const
  const base = '/v1/networks/mine'
  const cases: [SearchHit, string][] = [
    [
      { ...fuji, kind: 'chain', id: '51001', chainId: '51001', path: '/v1/chains/51001' },
      '/chain/51001',
    ],
    [{ ...fuji, kind: 'subnet', id, path: `${base}/subnets/${id}` }, `/primary/mine/subnet/${id}`],
    [
      { ...fuji, kind: 'blockchain', id, path: `${base}/blockchains/${id}` },
      `/primary/mine/tx/p-chain/${id}`,
    ],
    [
      {
        ...fuji,
        kind: 'transaction',
        id,
        blockchainId: 'x-chain',
        path: `${base}/blockchains/x-chain/transactions/${id}`,
      },
      `/primary/mine/tx/x-chain/${id}`,
    ],
    [
      {
        ...fuji,
        kind: 'block',
        id: '7',
        blockchainId: 'p-chain',
        path: `${base}/blockchains/p-chain/blocks/7`,
      },
      '/primary/mine/block/p-chain/7',
    ],
    [
      { ...fuji, kind: 'block', id: '7', chainId: '5', path: '/v1/chains/5/blocks/7' },
      '/chain/5/block/7',
    ],
    [
      {
        ...fuji,
        kind: 'transaction',
        id: '0xab',
        chainId: '5',
        path: '/v1/chains/5/transactions/0xab',
      },
      '/chain/5/tx/0xab',
    ],
    [
      { ...fuji, kind: 'asset', id, path: `${base}/blockchains/x-chain/assets/${id}` },
      `/primary/mine/tx/x-chain/${id}`,
    ],
    [
      { ...fuji, kind: 'l1Validator', id, path: `${base}/l1Validators?l1ValidationId=${id}` },
      `/primary/mine/validation/${id}`,
    ],
    [
      { ...fuji, kind: 'node', id: 'NodeID-7', path: `${base}/validators/NodeID-7` },
      '/primary/mine/node/NodeID-7',
    ],
    [
      { ...fuji, kind: 'token', id: '0xcd', chainId: '6', path: '/v1/chains/6/addresses/0xcd' },
      '/chain/6/address/0xcd',
    ],
    [
      {
        ...fuji,
        kind: 'address',
        id: '0xcd',
        chainId: '6',
        path: '/v1/chains/6/addresses/0xcd/transactions',
      },
      '/chain/6/address/0xcd',
    ],
    [
      {
        ...fuji,
        kind: 'address',
        id: 'P-fuji1q',
        path: `${base}/blockchains/p-chain/balances?addresses=P-fuji1q`,
      },
      '/primary/mine/address/fuji1q',
    ],
  ]
  for (const [hit, link] of cases) assert.equal(foundOf([hit], nameOf).link, link, hit.kind)
  const hits = cases.map(([hit]) => hit)
  // The asset is the transaction that made it, the token is an address: a place is offered once.
  assert.equal(offered(hits, '', nameOf).length, hits.length - 2)
  assert.equal(offered(hits, '6', nameOf)[0]?.link, '/chain/6/address/0xcd')
  // What looks like spam comes last, also on the chain that is looked at.
  const spam = hits.map((hit) => (hit.chainId === '6' ? { ...hit, isSpam: true as const } : hit))
  assert.equal(offered(spam, '6', nameOf).at(-1)?.isSpam, true)
  const hit: SearchHit = {
    ...fuji,
    kind: 'token',
    id: '0xA51c1fc2f0D1a1b8494Ed1FE312d7C3a78Ed91C0',
    label: 'A\u200bVAX',
    chainId: '6',
    path: '/v1/chains/6/addresses/0xA5',
  }
  const token = foundOf([hit], nameOf)
  assert.deepEqual([token.label, token.note], ['A⟨200B⟩VAX', '0xA51c…91C0 on chain 6'])
  // One address on several chains is one row, which leads to the chain that is looked at.
  const person = { ...hit, kind: 'address' as const, label: 'Trader', isLabelled: true as const }
  const both = [person, { ...person, chainId: '7' }]
  assert.deepEqual(
    offered(both, '7', nameOf).map(({ link, label, note }) => [link, label, note]),
    [[`/chain/7/address/${hit.id}`, 'Trader', '0xA51c…91C0 on chain 7, chain 6']],
  )
  const [nameless] = offered(
    both.map(({ isLabelled: _no, ...one }) => one),
    '',
    nameOf,
  )
  assert.equal(nameless?.label, 'address')
})

void test('explorer: an unused address, node id or hash has the page of its form', () => {
  const from = { chainIds: ['51001', '51002'], networks: ['fuji'], here: '51002' }
  const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
  const bech = 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'
  const node = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'
  const hash = 'a443404db3af3eb1f8a5a23583218581730a0e417d935aa566e95327282a7f40'
  const cases: [string, string | undefined][] = [
    [address, `/chain/51002/address/${address}`],
    [address.slice(1), undefined],
    [`P-${bech}`, `/primary/fuji/address/${bech}`],
    [`X-${bech}`, `/primary/fuji/address/${bech}/x-chain`],
    [bech, `/primary/fuji/address/${bech}`],
    [node, `/primary/fuji/node/${node}`],
    ['nowhere', undefined],
    ['', undefined],
  ]
  for (const [typed, link] of cases) assert.equal(placeByForm(typed, from), link, typed)
  assert.equal(placeByForm(node, { ...from, networks: [] }), undefined)
  assert.equal(messageOf(`0x${hash.toUpperCase()}`), hash)
  assert.equal(messageOf(hash), hash)
  assert.equal(messageOf(address), undefined)
})

void test('explorer: a block leads to those beside it, as far as its chain is indexed', () => {
  const [, primary] = status.chains
  assert.ok(primary !== undefined)
  const idle = { state: 'live', headHeight: 9, blocksPerSecond: 0 } as const
  const stages = [
    { stage: 'P', ...idle, indexedHeight: 5 },
    { stage: 'X', ...idle, indexedHeight: 3 },
    { stage: 'C', ...idle, indexedHeight: 8 },
  ]
  const known = { chains: [], status: { ...status, chains: [{ ...primary, stages }] } }
  const cases: [Parameters<typeof primaryHeights>[0], string, string, number, number][] = [
    [known, 'fuji', 'p-chain', 0, 5],
    [known, 'fuji', 'x-chain', 0, 3],
    // Its genesis is not kept.
    [known, 'fuji', 'c-chain', 1, 8],
    [known, 'mainnet', 'p-chain', 0, -1],
    [{ chains: [], status }, 'fuji', 'p-chain', 0, -1],
    [{ chains: [], status: undefined }, 'fuji', 'p-chain', 0, -1],
  ]
  for (const [from, network, chain, first, head] of cases)
    assert.deepEqual(primaryHeights(from, network, chain), { first, head }, `${network} ${chain}`)
})

/** Relative luminance of `#rrggbb`. Source: WCAG 2.2, relative luminance. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

void test('explorer: every colour of text has a contrast of 4.5 to its grounds, light and dark', () => {
  const source = new URL('../../src/explorer/browser/explorer.css', import.meta.url)
  const css = readFileSync(source, 'utf8')
  const schemes = [...css.matchAll(/:root[^{]*\{([^}]*--ink[^}]*)\}/g)].map(
    ([, body = '']) =>
      new Map(
        [...body.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [
          name,
          value,
        ]),
      ),
  )
  assert.equal(schemes.length, 3)
  const [, system, chosen] = schemes
  assert.deepEqual(chosen, system, 'dark is the same by the system and by choice')
  const pairs = [
    ...['ink', 'quiet', 'accent', 'bad'].flatMap((text) =>
      ['ground', 'paper', 'sunk'].map((ground) => [text, ground]),
    ),
    ['good', 'good-wash'],
    ['bad', 'bad-wash'],
    ['busy', 'busy-wash'],
    ['paper', 'accent'],
    ['paper', 'ink'],
  ]
  for (const [index, scheme] of schemes.entries()) {
    for (const [text = '', ground = ''] of pairs) {
      const lights = [text, ground].map((name) => luminance(scheme.get(name) ?? ''))
      const contrast = (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05)
      assert.ok(contrast >= 4.5, `${index} ${text} on ${ground}: ${contrast}`)
    }
  }
})

void test('QR code: module for module that of another encoder', () => {
  // Source: npm's qrcode 1.5.4, version 3, correction L, mask 0; jsqr 1.4.0 reads it as the address.
  const rows =
    '1fc9637f 1047e741 175d275d 174e2e5d 1744045d 1048a341 1fd5557f 001d9800 1df6c0c4 1d964862 16c84d6f 02128ca9 17c1cc6b 1e834c69 027f416d 19259b0a 157ecd68 0c02cd61 14cc0447 0d8eb9c2 1769cdf1 0017cd11 1fdb075d 10599f1b 17564df8 1746049b 1754859d 105e0d3a 1fd50d5b'
  const code = qrOf('0x7E14e12673012417d23C6BC4019375736Fe08844') ?? []
  const drawnRows = code.map((line) =>
    Number.parseInt(line.map(Number).join(''), 2).toString(16).padStart(8, '0'),
  )
  assert.equal(drawnRows.join(' '), rows)
  assert.equal(qrOf('x'.repeat(mostBytes))?.length, 29)
  assert.equal(qrOf('x'.repeat(mostBytes + 1)), undefined)
})
