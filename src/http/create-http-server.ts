/**
 * Node's `createServer`.
 *
 * An import of `node:http` reads all of its members, one of which loads Node's own client: 60 ms of
 * processor time in each thread that begins, for what nobody uses.
 */
export const createHttpServer = process.getBuiltinModule('node:http').createServer
