/**
 * The requests put to a real AvalancheGo node, in this order, to learn its answers byte for byte.
 *
 * `record-node.ts` sends them and writes `vectors/admin/avalanchego.json`.
 */

import type { RawRequest } from './exchange.ts'

/** A named request of the recording. */
export type NamedRequest = { readonly name: string; readonly request: RawRequest }

const named = (name: string, request: RawRequest): NamedRequest => ({ name, request })

const call = (method: string, params?: string, id = '1'): RawRequest => ({
  body: `{"jsonrpc":"2.0","id":${id},"method":"${method}"${params === undefined ? '' : `,"params":${params}`}}`,
})

const level = '"admin.getLoggerLevel","params":{"loggerName":"main"}'
const rpc = (members: string): RawRequest => ({ body: `{"jsonrpc":"2.0",${members}}` })
const info = (method: string, params?: string): RawRequest => ({
  ...call(method, params),
  path: '/ext/info',
})

const transport: readonly NamedRequest[] = [
  ...['GET', 'PUT', 'HEAD', 'DELETE', 'PATCH', 'OPTIONS'].map((method) =>
    named(`http method ${method}`, { method }),
  ),
  ...[
    '',
    'text/plain',
    'text/plain; charset=utf-8',
    'application/json ; charset=utf-8',
    'application/json;',
    'application/json; charset=latin1',
    'APPLICATION/JSON',
    'Application/Json;x=y',
    'application/json;charset=UTF-8',
    'application/xml',
    'application/json, text/plain',
  ].map((type) =>
    named(`content type "${type}"`, {
      ...rpc(`"id":1,"method":${level}`),
      headers: { 'Content-Type': type },
    }),
  ),
  ...[
    '/ext/nothing',
    '/ext/admin/',
    '/ext/admin/x',
    '/ext/bc/C',
    '/ext/bc/nothing/rpc',
    '/ext',
    '/ext/',
    '/',
    '/nothing',
    '//ext/admin',
    '/ext//admin',
    '/ext/./admin',
    '/ext/x/../admin',
  ].map((path) => named(`path ${path}`, { path })),
  ...[
    'localhost',
    'LOCALHOST',
    'localhost:1234',
    'sub.localhost',
    'example.com',
    'example.com:9650',
    '127.0.0.1',
    '10.1.2.3:80',
    '[::1]',
    '[::1]:9650',
    '::1',
    'localhost.',
    '',
  ].map((host) => named(`host "${host}"`, { ...rpc(`"id":1,"method":${level}`), host })),
  named('host absent', { ...rpc(`"id":1,"method":${level}`), host: null }),
  named('host foreign on another path', { path: '/ext/nothing', host: 'example.com' }),
  named('route header unknown', { headers: { 'Avalanche-Api-Route': 'nothing' } }),
]

const parsing: readonly NamedRequest[] = [
  ...[
    'hello',
    '',
    ' ',
    '{',
    '{"jsonrpc":"2.0"',
    '{"jsonrpc":"2.0",',
    '{"jsonrpc":"2.0","id":1,"method":"admin.alias","params":{',
    '[]',
    '[{"jsonrpc":"2.0","id":1,"method":"admin.getLoggerLevel"}]',
    '"text"',
    '5',
    'true',
    'null',
    '<',
    '{x}',
    '{"a" 1}',
    '{"a":1 "b"}',
    '{"a":tru}',
    '{"a":01}',
    '{"a":1.}',
    '{"a":"\\x"}',
    '{"a":"\n"}',
    '{,}',
    '{"a":1,}',
    '[1,]',
    '{"a":-}',
    '{"a":1e}',
    '{"a":nul}',
    '{"a":"\\u12g4"}',
    '}',
    '\u00e9',
  ].map((body) => named(`body ${JSON.stringify(body)}`, { body })),
  named('method is a number', rpc('"id":7,"method":5')),
  named('method is an object', rpc('"id":7,"method":{}')),
  named('method is a list', rpc('"id":7,"method":["a"]')),
  named('method is true', rpc('"id":7,"method":true')),
  named('method is null', rpc('"id":7,"method":null')),
  named('jsonrpc is a number', { body: `{"jsonrpc":2.0,"id":1,"method":${level}}` }),
  named('jsonrpc missing', { body: `{"id":1,"method":${level}}` }),
  named('jsonrpc 1.0', { body: `{"jsonrpc":"1.0","id":[1, 2],"method":${level}}` }),
  named('jsonrpc wrong and no id', { body: '{"jsonrpc":"1.0","method":"admin.alias"}' }),
  named('jsonrpc wrong and id null', { body: '{"jsonrpc":"","id":null,"method":"admin.alias"}' }),
  named('jsonrpc wrong with params', {
    body: '{"jsonrpc":"3","id":"<&>","method":"a<b","params":{ "a" : [ 1 , "<" ] }}',
  }),
  named('empty object', { body: '{}' }),
  named('member names in any case', {
    body: `{"JSONRPC":"2.0","Id":3,"METHOD":${level.replace('params', 'Params')}}`,
  }),
  named('last of two members wins', rpc(`"id":1,"id":2,"method":"x.y","method":${level}`)),
  named('unknown members', rpc(`"id":1,"extra":{"a":[1,2]},"method":${level}`)),
  named('trailing text', { body: `{"jsonrpc":"2.0","id":1,"method":${level}} trailing {` }),
  named('leading space', { body: ` \n\t{"jsonrpc":"2.0","id":1,"method":${level}}` }),
  ...[
    '0',
    '-0',
    '1.5',
    '1e400',
    '12345678901234567890123',
    '"text"',
    '"<a>&\u2028\u2029"',
    '"\\u003c\\n"',
    'true',
    '{"a":[1,{"b":null}]}',
    '[ 1 , 2 ]',
    'null',
    '""',
    '"é"',
  ].map((id) => named(`id ${id}`, rpc(`"id":${id},"method":${level}`))),
  named('id absent', rpc(`"method":${level}`)),
  named('id absent and unknown method', rpc('"method":"admin.nothing"')),
  named('id absent and no JSON', { body: 'x' }),
]

const methods: readonly NamedRequest[] = [
  ...[
    'admin.foo',
    'admin.Alias',
    'foo.bar',
    'alias',
    '',
    '.',
    'admin.',
    '.alias',
    'admin.a.b',
    'Admin.alias',
    'admin.aliaschain',
    'admin.élan',
    'admin.1',
    'a<b.c>d',
    'admin alias',
  ].map((method) => named(`method "${method}"`, call(method))),
  named('method absent', rpc('"id":1')),
  named('method of another service', call('info.getNetworkID')),
  ...['null', '{}', '[]', '[null]', '[{}]', '[{},{}]', '[{"loggerName":"main"},5]'].map((params) =>
    named(`params ${params}`, call('admin.getLoggerLevel', params)),
  ),
  ...[
    '5',
    '"x"',
    'true',
    '[5]',
    '["main"]',
    '{"loggerName":5}',
    '{"loggerName":null}',
    '{"LOGGERNAME":"main"}',
    '[[{}]]',
    '{"loggerName":"main","x":[]}',
  ].map((params) => named(`params ${params}`, call('admin.getLoggerLevel', params))),
  ...['{"x":1}', '[1]', '[]', '[{}]', '5', '"x"', 'null', '[null]'].map((params) =>
    named(`no-argument params ${params}`, call('admin.memoryProfile', params)),
  ),
]

const logging: readonly NamedRequest[] = [
  named('logger levels of all', call('admin.getLoggerLevel')),
  named('logger level of one', call('admin.getLoggerLevel', '{"loggerName":"C"}')),
  named('logger unknown', call('admin.getLoggerLevel', '{"loggerName":"nope"}')),
  named('logger name with quote', call('admin.getLoggerLevel', '{"loggerName":"a\\"<b"}')),
  named('set neither', call('admin.setLoggerLevel', '{"loggerName":"C"}')),
  named(
    'set nulls',
    call('admin.setLoggerLevel', '{"loggerName":"C","logLevel":null,"displayLevel":null}'),
  ),
  named('set without params', call('admin.setLoggerLevel')),
  named('set log', call('admin.setLoggerLevel', '{"loggerName":"C","logLevel":"DEBUG"}')),
  named('set display', call('admin.setLoggerLevel', '{"loggerName":"C","displayLevel":"fatal"}')),
  named(
    'set both in a list',
    call('admin.setLoggerLevel', '[{"loggerName":"C","logLevel":"VeRbO","displayLevel":"off"}]'),
  ),
  named('levels after', call('admin.getLoggerLevel', '{"loggerName":"C"}')),
  named(
    'set unknown logger',
    call('admin.setLoggerLevel', '{"loggerName":"nope","logLevel":"INFO"}'),
  ),
  ...[
    '"warning"',
    '"verbose"',
    '" info"',
    '""',
    '5',
    '{}',
    'true',
    '"INFO "',
    '"UNKNO"',
    '"trac"',
  ].map((value) =>
    named(
      `set level ${value}`,
      call('admin.setLoggerLevel', `{"loggerName":"C","logLevel":${value}}`),
    ),
  ),
  ...['VERBO', 'DEBUG', 'TRACE', 'INFO', 'WARN', 'ERROR', 'FATAL', 'OFF'].map((value) =>
    named(
      `set level ${value}`,
      call('admin.setLoggerLevel', `{"loggerName":"P","logLevel":"${value}"}`),
    ),
  ),
  named('set all', call('admin.setLoggerLevel', '{"logLevel":"INFO","displayLevel":"OFF"}')),
]

/**
 * Requests about chains; `chainId` is the id of the node's C-Chain, `other` an id it does not know.
 */
export function aliasRequests(chainId: string, other: string): readonly NamedRequest[] {
  const long = 'a'.repeat(513)
  const longest = 'é'.repeat(256)
  const alias = (endpoint: string, name: string): RawRequest =>
    call('admin.alias', JSON.stringify({ endpoint, alias: name }))
  const chain = (id: string, name: string): RawRequest =>
    call('admin.aliasChain', JSON.stringify({ chain: id, alias: name }))
  const list = (id: string): RawRequest =>
    call('admin.getChainAliases', JSON.stringify({ chain: id }))
  const probe = (path: string): RawRequest => ({ ...call('info.getNetworkID'), path })
  return [
    named('alias without params', call('admin.getChainAliases')),
    named('aliases of C', list(chainId)),
    named('aliases of P', list('11111111111111111111111111111111LpoYY')),
    named('aliases of an empty text', list('')),
    named('aliases of 0', list('0')),
    named('aliases of 0OIl', list('0OIl')),
    named('aliases of é', list('é')),
    named(
      'aliases of a bad checksum',
      list(`${chainId.slice(0, -1)}${chainId.endsWith('2') ? '3' : '2'}`),
    ),
    named('aliases of a short id', list('45PJLL')),
    named('aliases of a number', call('admin.getChainAliases', '{"chain":5}')),
    named('alias info', alias('info', 'my-info')),
    named('alias reachable', probe('/ext/my-info')),
    named('original reachable', probe('/ext/info')),
    named('alias again', alias('info', 'my-info')),
    named('alias with a slash', alias('info', 'deep/er/info')),
    named('alias with a slash reachable', probe('/ext/deep/er/info')),
    named('alias of an alias', alias('my-info', 'second-info')),
    named('alias of an alias reachable', probe('/ext/second-info')),
    named('alias of nothing', alias('nothing', 'later')),
    named('alias of nothing is not there', probe('/ext/later')),
    named('alias of nothing again', alias('nothing', 'later')),
    named('alias onto an alias', alias('health', 'my-info')),
    named('alias onto a route', alias('info', 'health')),
    named('alias too long', alias('info', long)),
    named('alias too long in bytes', alias('info', `${longest}a`)),
    named('alias longest', alias('info', 'b'.repeat(512))),
    named('alias number', call('admin.alias', '{"endpoint":"info","alias":5}')),
    named('alias of admin', alias('admin', 'my-admin')),
    named('alias of admin reachable', { ...list(chainId), path: '/ext/my-admin' }),
    named('alias of a chain base', alias(`bc/${chainId}`, 'my-c')),
    named('alias of a chain base reachable', {
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
      path: '/ext/my-c/rpc',
    }),
    named('chain alias', chain(chainId, 'mychain')),
    named('chain alias route', {
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
      path: '/ext/bc/mychain/rpc',
    }),
    named('chain alias resolves', info('info.getBlockchainID', '{"alias":"mychain"}')),
    named('chain alias listed', list(chainId)),
    named('chain alias again', chain(chainId, 'mychain')),
    named('chain alias by alias', chain('mychain', 'mychain2')),
    named('chain alias by name', chain('C', 'mychain3')),
    named('chain alias taken', chain('P', 'mychain')),
    named('chain alias a built-in', chain('P', 'X')),
    named('chain alias of nothing', chain('nothing', 'x1')),
    named('chain alias of an unknown id', chain(other, 'x2')),
    named('chain alias of an empty text', chain('', 'x3')),
    named('chain alias too long', chain(chainId, long)),
    named('chain alias too long of nothing', chain('nothing', long)),
    named('chain aliases at the end', list(chainId)),
    named('chain resolves by id', info('info.getBlockchainID', JSON.stringify({ alias: chainId }))),
    named('chain does not resolve', info('info.getBlockchainID', '{"alias":"nope"}')),
    named('info network id', info('info.getNetworkID')),
    named('info network name', info('info.getNetworkName')),
    named('info bootstrapped', info('info.isBootstrapped', '{"chain":"mychain"}')),
    named('info bootstrapped unknown', info('info.isBootstrapped', '{"chain":"nope"}')),
    named('info bootstrapped empty', info('info.isBootstrapped')),
    named('info unknown method', info('info.nothing')),
    named('info GET', { method: 'GET', path: '/ext/info' }),
    named('liveness', {
      method: 'GET',
      path: '/ext/health/liveness',
      headers: { 'Content-Type': '' },
    }),
    named('liveness by POST', { ...call('health.liveness'), path: '/ext/health' }),
  ]
}

/** Requests about plugins and profiles. */
export const profiling: readonly NamedRequest[] = [
  named('no new VMs', call('admin.loadVMs')),
  named('stop a profiler that is not there', call('admin.stopCPUProfiler')),
  named('start the profiler', call('admin.startCPUProfiler')),
  named('start it again', call('admin.startCPUProfiler')),
  named('stop it', call('admin.stopCPUProfiler')),
  named('stop it again', call('admin.stopCPUProfiler')),
  named('memory profile', call('admin.memoryProfile')),
  named('lock profile', call('admin.lockProfile', '{}')),
]

/** Everything that does not depend on a chain. */
export const plainRequests: readonly NamedRequest[] = [
  ...transport,
  ...parsing,
  ...methods,
  ...logging,
]
