/**
 * The modules that replace all functions with which the vendors' libraries could send requests. The libraries know the
 * APIs, and `src/outbound` sends the requests. A request from the library itself would have no deadline, no pace and no
 * guard. It could follow a redirect with a token. The parsers of XML and of whole CSV files are replaced too. These
 * parsers receive no response (`connectors/salesforce/client.ts`), and they are almost half of the code that would be
 * loaded.
 *
 * The bundler includes these modules in the program (`scripts/without-senders.ts`). If the sources run directly, Node
 * loads them (`without-senders.ts`).
 */

/** Matches importers inside the two libraries. For all others, the same names mean the real modules. */
const LIBRARY = /[\\/]node_modules[\\/](jsforce|@hubspot[\\/]api-client)[\\/]/;

/** HubSpot's own sender, by `fetch`, `http` and `https`. */
const TRANSPORT = /(^|\/)services\/http\/Transport(\.js)?$/;

/**
 * The code that replaces each module. The code can be loaded. The libraries can extend its classes and create objects
 * while they are loaded. Every function that would send a request throws an error.
 */
const STUBS: Readonly<Record<string, string>> = {
  undici: `
    export class Agent {}
    export class Response {}
    export const errors = { SocketError: class extends Error {} };
    export class ProxyAgent { constructor() { refuse(); } }
    export const fetch = refuse;
    export const request = refuse;
    export const setGlobalDispatcher = refuse;`,
  'form-data': 'export default class FormData { constructor() { refuse(); } }',
  http: 'export class Agent {} export const request = refuse; export const get = refuse;',
  https: 'export class Agent {} export const request = refuse; export const get = refuse;',
  xml2js: 'export default { parseStringPromise: refuse };',
  'csv-parse/sync': 'export const parse = refuse;',
  'csv-stringify/sync': 'export const stringify = refuse;',
  transport: `
    export const sendBufferedRequest = refuse;
    export const sendFetchRequest = refuse;`,
};

const REFUSE = `
  function refuse() {
    throw new Error('A library of a CRM vendor tried to send or to read on its own. Nothing was sent.');
  }`;

/** Returns the module that replaces an imported module, or null if the import is not replaced. */
export function stubFor(imported: string, importer: string | undefined): string | null {
  if (importer === undefined || !LIBRARY.test(importer)) return null;
  const name = TRANSPORT.test(imported) ? 'transport' : imported.replace(/^node:/, '');
  return Object.hasOwn(STUBS, name) ? name : null;
}

/** Returns the code of such a module. */
export function stubCode(name: string): string {
  return REFUSE + STUBS[name];
}
