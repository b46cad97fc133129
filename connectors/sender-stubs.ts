/**
 * The modules that take the place of everything by which the vendors' libraries could send. They speak the APIs, and
 * `src/outbound` sends: a request that left by the library's own means would have no deadline, no pace and no guard, and
 * could follow a redirect with a token. The parsers of XML and of whole CSV files go as well: no answer is handed over as
 * such (`connectors/salesforce/client.ts`), and they are nearly half of what would be loaded.
 *
 * The bundler puts these modules into the program (`scripts/without-senders.ts`). Where the sources run as they are,
 * Node is told to load them (`without-senders.ts`).
 */

/** Importers inside the two libraries; for all others, the same names mean the real modules. */
const LIBRARY = /[\\/]node_modules[\\/](jsforce|@hubspot[\\/]api-client)[\\/]/;

/** HubSpot's own sender, by `fetch`, `http` and `https`. */
const TRANSPORT = /(^|\/)services\/http\/Transport(\.js)?$/;

/**
 * The code that takes the place of each module. It can be loaded, its classes can be extended and created as far as the
 * libraries do this while they are loaded, and everything that would send throws.
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
    throw new Error('A library of a CRM vendor tried to send or to read by itself. Nothing was sent.');
  }`;

/** The module that takes the place of an imported one; null if it stays as it is. */
export function stubFor(imported: string, importer: string | undefined): string | null {
  if (importer === undefined || !LIBRARY.test(importer)) return null;
  const name = TRANSPORT.test(imported) ? 'transport' : imported.replace(/^node:/, '');
  return Object.hasOwn(STUBS, name) ? name : null;
}

/** The text of such a module. */
export function stubCode(name: string): string {
  return REFUSE + STUBS[name];
}
